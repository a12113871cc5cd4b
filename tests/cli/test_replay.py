"""`hive replay` on a real journal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.cli import main
from hive.facts import events as e
from hive.shells.sqlite import SqliteJournal

NOW = datetime(2026, 11, 30, 23, tzinfo=UTC)
CONFIGURATION = """\
level: 4
github: {api_url: "http://127.0.0.1:9", token: "${FORGE_TOKEN}"}
repositories: [acme/tally]
agents:
  - {name: ada, role: quality, backend: scripted}
state: here
"""


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "none")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A hive whose journal has three rulings."""
    path = tmp_path / "hive.yaml"
    path.write_text(CONFIGURATION)
    journal = SqliteJournal(tmp_path / "here" / "journal.db")
    whole = {"agent": "ada", "request_id": "r", "target": "acme/tally", "route": "rest", "because": "so"}
    for action, ruling, rule in (
        ("open-pr", "hold", "acmm.holdgated.open-pr"),
        ("file-issue", "allow", "acmm.holdgated.file-issue"),
        ("push-own-branch", "deny", "guardrail.secrets"),
    ):
        journal.append([e.RequestRuled(action=action, ruling=ruling, rule=rule, **whole)], at=NOW)
    journal.close()
    return path


def replay(config: Path, *options: str) -> int:
    return main(["replay", "-c", str(config), *options])


def test_another_level_in_json(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(config, "--level", "6", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    [one] = found.pop("differ")
    assert found == {
        "source": str(config),
        "level": 6,
        "rulings": 3,
        "same": 1,
        "unknown": [
            {"because": "a guardrail ruled on paths or text, which the journal does not keep", "count": 1}
        ],
    }
    assert one["was"] == {"ruling": "hold", "rule": "acmm.holdgated.open-pr", "because": "so"}
    assert (one["would_be"]["ruling"], one["would_be"]["rule"]) == ("allow", "acmm.full.open-pr")
    assert (one["seq"], one["at"], one["agent"]) == (1, "2026-11-30T23:00:00Z", "ada")


def test_another_configuration_in_words(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    other = config.with_name("other.yaml")
    other.write_text(CONFIGURATION + "guardrails: {quiet-hours: {from: '22:30'}}\n")
    assert replay(other) == 0
    assert capsys.readouterr().out == (
        "3 recorded rulings: 1 the same, 2 different\n"
        "SEQ  AT                    AGENT  ACTION      TARGET      WAS    WOULD BE\n"
        "1    2026-11-30T23:00:00Z  ada    open-pr     acme/tally  hold   deny (guardrail.quiet-hours)\n"
        "2    2026-11-30T23:00:00Z  ada    file-issue  acme/tally  allow  deny (guardrail.quiet-hours)\n"
        "Allowed reads are not recorded. Guardrails saw who, what, where and when, but no paths or text.\n"
    )


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ("{secretes: true}", "7: no guardrail 'secretes' is installed; did you mean 'secrets'?"),
        ("{secrets: {alow: [x]}}", "7: unknown key 'alow' in guardrails.secrets; did you mean 'allow'?"),
        ("{blast-radius: {files: none}}", "7: guardrails.blast-radius.files: 'none' is no whole number"),
        ("{secrets: sometimes}", "7: guardrails.secrets: true, false or a mapping of settings is expected"),
    ],
)
def test_a_wrong_guardrail_is_one_line(
    config: Path, section: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(f"{CONFIGURATION}guardrails: {section}\n")
    for command in ("replay", "check", "run"):
        assert main([command, "-c", str(config)]) == 2
        assert capsys.readouterr().err == f"hive: {config}:{complaint}\n"


def test_a_hive_without_a_journal_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hive.yaml"
    path.write_text(CONFIGURATION)
    assert replay(path) != 0
    assert capsys.readouterr().err.count("\n") == 1
