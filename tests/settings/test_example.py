from __future__ import annotations

import re
import stat
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from hive import assets
from hive.errors import ConfigError
from hive.kernel.plugins import guardrails
from hive.settings.example import ASSET, init_text, preferred, write_new
from hive.settings.hive_file import HiveFile
from hive.settings.loading import load
from tests.settings.conftest import Loads
from tests.settings.test_fleet import kubeconfig


def test_the_shipped_example_is_what_init_writes() -> None:
    assert init_text() == assets.text(ASSET)


def test_what_init_writes_loads_as_it_is(loads: Loads) -> None:
    settings = loads(init_text("o/r"))
    assert [one.name for one in settings.repositories] == ["o/r"]
    assert [spec.name for spec in settings.agents] == ["scanner", "quality"]
    assert settings.rejected == ()


def test_it_needs_nothing_but_the_token(tmp_path: Path) -> None:
    path = tmp_path / "hive.yaml"
    path.write_text(init_text("o/r"))
    with pytest.raises(ConfigError, match="the variable GITHUB_TOKEN is not set"):
        load(path, environ={}, backends={})


def test_it_is_written_for_a_backend_that_is_installed(tmp_path: Path) -> None:
    installed = {point.name: point.load() for point in entry_points(group="hive.backends")}
    path = tmp_path / "hive.yaml"
    path.write_text(init_text("o/r", backend=preferred(installed)))
    settings = load(path, environ={"GITHUB_TOKEN": "ghp_0123456789"}, backends=installed)
    assert settings.rejected == ()


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        (["scripted", "goose", "copilot"], "copilot"),
        (["scripted", "aider"], "scripted"),
        (["zed", "aider"], "aider"),
        ([], "claude"),
    ],
)
def test_a_real_agent_is_preferred_to_the_scripted_one(installed: list[str], chosen: str) -> None:
    assert preferred(installed) == chosen


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("github.com", "https://api.github.com"),
        ("ghe.example", "https://ghe.example/api/v3"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
    ],
)
def test_the_forge_of_the_repository_at_hand_is_written_down(loads: Loads, host: str, api: str) -> None:
    assert loads(init_text("o/r", host=host)).github.api_url == api


def test_every_key_that_is_commented_out_can_be_switched_on(
    loads: Loads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    kubeconfig(tmp_path / ".kube" / "config", "hub", "east", "west", current="hub")
    (tmp_path / "clusters.yaml").write_text("")
    (tmp_path / "my-templates").mkdir()
    (tmp_path / "my-prompts").mkdir()
    known = "|".join(field.alias or name for name, field in HiveFile.model_fields.items())
    text = init_text("o/r")
    switched = re.sub(rf"^# (?=(?:{known}):|  )", "", text, flags=re.M)
    assert set(yaml.safe_load(switched)) > {
        "triage",
        "merge",
        "lifecycle",
        "roles",
        "raise",
        "gateway",
        "tick",
    }
    changed, plain = loads(switched, OPS_URL="json://127.0.0.1/"), loads(text)
    assert changed.gateway.pods is not None, "a door is open only where it is asked for"
    assert changed.gateway.approval_label is not None, "no label approves unless it is asked for"
    assert (replace(changed.gateway, pods=None, approval_label=None), changed.lifecycle) == (
        plain.gateway,
        plain.lifecycle,
    )
    assert (changed.tick, changed.poll, changed.state, changed.strict) == (
        plain.tick,
        plain.poll,
        plain.state,
        plain.strict,
    )
    assert changed.raised
    names = [one.name for one in plain.guardrails]
    assert [one for one in changed.guardrails if one.name in names] == [*plain.guardrails]
    assert [one.name for one in changed.guardrails] == [*guardrails()]
    defaults = loads(f"{text}fleet: {{}}\n").fleet
    assert changed.fleet is not None
    assert replace(changed.fleet, inventory=None, image=None, templates=None) == defaults


def test_a_file_that_exists_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "hive.yaml"
    write_new(path, "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ConfigError) as caught:
        write_new(path, "two")
    assert str(caught.value) == (
        f"{path}: this file exists and is not overwritten; move it away, or name another with -c"
    )
    assert (path.read_text(), caught.value.exit_code) == ("one", 2)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the file cannot be written: No such file or directory"):
        write_new(tmp_path / "none" / "hive.yaml", "one")
