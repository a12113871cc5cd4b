"""`hive place` as it is typed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hive.cli.main import main
from tests.surfaces.fleet_documents import ALL, EAST, FACTS, REQUEST, place, spoiled

NOW = ("--now", "2026-11-30T12:00:00Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One document a file, with the three endings, among others that are no documents."""
    for index, text in enumerate(ALL):
        (tmp_path / f"{index}.{('yaml', 'yml')[index % 2]}").write_text(text)
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "notes.txt").write_text("no: [document")
    (tmp_path / "inner.yaml").mkdir()
    return tmp_path


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(["place", *words])
    except SystemExit as end:
        code = int(end.code or 0)
    return code, *capsys.readouterr()


def test_a_folder_is_its_documents(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = asked(capsys, "-f", str(folder), *NOW, "--json")
    assert (json.loads(out), code) == place(*ALL)
    assert err == ""


def test_files_may_be_repeated_or_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(folder / f"{index}.{('yaml', 'yml')[index % 2]}") for index in range(len(ALL))]
    listed = asked(capsys, "-f", *files, *NOW, "--json")
    repeated = asked(capsys, *(word for file in reversed(files) for word in ("-f", file)), *NOW, "--json")
    assert listed == repeated
    assert (json.loads(listed[1]), listed[0]) == place(*ALL)


def test_a_dash_is_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    piped: Any = SimpleNamespace(buffer=io.BytesIO(REQUEST.encode()))
    monkeypatch.setattr("sys.stdin", piped)
    (folder / "2.yaml").unlink()
    code, out, _ = asked(capsys, "-f", "-", "-f", str(folder), *NOW, "--json")
    assert (json.loads(out), code) == place(*ALL)


def test_a_person_reads_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "-f", str(folder), *NOW)
    assert code == 0
    assert "request hive/scanner-1: east, node n1-0\n" in out


def test_how_old_an_observation_may_be_is_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = ("-f", str(folder), "--now", "2026-11-30T12:10:00Z")
    assert asked(capsys, *later)[0] == 1
    assert asked(capsys, *later, "--stale-after", "11m")[0] == 0


def test_without_a_time_the_clock_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The observation is of a fixed time, which is not now."""
    (folder / "1.yml").write_text(spoiled(FACTS, "2026-11-30", "2001-11-30"))
    assert asked(capsys, "-f", str(folder))[0] == 1


def test_all_clusters_are_explained_when_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for index in range(59):
        (folder / f"c{index}.yaml").write_text(spoiled(EAST, "name: east", f"name: c{index}"))
    few = json.loads(asked(capsys, "-f", str(folder), *NOW, "--json")[1])
    every = json.loads(asked(capsys, "-f", str(folder), *NOW, "--json", "--why", "all")[1])
    assert [len(each["placements"][0]["why"]) for each in (few, every)] == [50, 60]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-f", "GONE", *NOW], "hive: GONE: cannot be read: No such file or directory"),
        (["-f", "BAD", *NOW], "hive: BAD:5: unknown key 'tmeplate' in spec; did you mean 'template'?"),
        (["-f", "BAD", "--now", "noon"], "hive: --now: 'noon' is no time with zone; write it like"),
        (
            ["-f", "BAD", "--stale-after", "5"],
            "hive: --stale-after: '5' is no duration; write 90s, 5m, 4h or 2d",
        ),
        (["-f", "BAD", "--why", "some"], "hive: argument --why: invalid choice: 'some'"),
        ([], "hive: the following arguments are required: -f"),
        (["-f"], "hive: argument -f"),
    ],
)
def test_wrong_input_is_one_line_on_stderr_and_nothing_on_stdout(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "BAD").write_text(spoiled(REQUEST, "template:", "tmeplate:"))
    given = [str(tmp_path / word) if word in ("BAD", "GONE") else word for word in words]
    code, out, err = asked(capsys, *given)
    assert (code, out) == (2, "")
    assert err.replace(f"{tmp_path}/", "").startswith(message)
    assert err.count("\n") == 1
