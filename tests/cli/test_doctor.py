"""`hive doctor`: the command, on a machine with nothing, with a broken and with a whole configuration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive.cli.main import main

CONFIG = """\
level: 4
github: {api_url: 'http://127.0.0.1:1', token: '${SESAME}'}
repositories: [acme/widgets]
agents:
  - {name: quality, role: quality, backend: scripted}
  - {name: scanner, role: scanner, backend: claude, environment: {ANTHROPIC_API_KEY: '${KEY}'}}
"""


@dataclass(frozen=True)
class Answer:
    returncode: int
    stdout: str
    stderr: str = ""

    @property
    def checks(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in json.loads(self.stdout)["checks"]}


Doctor = Callable[..., Answer]


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    """The command, run in `tmp_path` with more variables."""

    def doctor(*arguments: str, **environ: str) -> Answer:
        monkeypatch.chdir(tmp_path)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        code = main(["doctor", *arguments])
        told = capsys.readouterr()
        return Answer(code, told.out, told.err)

    return doctor


def program(folder: Path, name: str, script: str) -> str:
    """A program of that name; returns a PATH on which it comes first."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_with_nothing_configured_the_machine_is_looked_at_and_nothing_is_left(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "hive.cli", "doctor", "--json"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    done = Answer(ran.returncode, ran.stdout, ran.stderr)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert (document["source"], document["state"]) == (None, "ok")
    found = done.checks
    assert found["configuration"]["state"] == "skipped"
    assert {"python", "tmux", "git", "state folder", "daemon", "backend claude", "isolation"} <= found.keys()
    assert not [name for name in found if name.startswith(("github", "repository", "hub", "cluster"))]
    assert [*tmp_path.iterdir()] == []


def test_a_person_reads_lines_with_remedies(tmp_path: Path, doctor: Doctor) -> None:
    done = doctor()
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["skipped", "configuration", "there", "is", "no", "hive.yaml", "here"]
    assert lines[1].strip() == "→ write one with 'hive init'"
    assert lines[-1].endswith(" skipped")


@pytest.mark.parametrize("text", [None, "level: 9\n", "levle: 4\n"])
def test_a_configuration_that_cannot_be_read_is_exit_two_and_hides_nothing_of_the_machine(
    tmp_path: Path, doctor: Doctor, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "other.yaml").write_text(text)
    done = doctor("-c", "other.yaml", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    found = done.checks
    assert found["configuration"]["state"] == "problem"
    assert found["configuration"]["found"].startswith("other.yaml")
    assert found["python"]["state"] == "ok"


def test_a_configuration_is_checked_through_and_no_secret_is_shown(tmp_path: Path, doctor: Doctor) -> None:
    (tmp_path / "hive.yaml").write_text(CONFIG + "isolation: {mode: none}\n")
    path = program(tmp_path / "bin", "claude", 'echo "2.1.197 (Claude Code) $ANTHROPIC_API_KEY"')
    secrets = {"SESAME": "ghp_open_sesame", "KEY": "sk-ant-open-sesame"}
    done = doctor("--json", PATH=path, ANTHROPIC_API_KEY="sk-own-sesame", **secrets)
    assert (done.returncode, done.stderr) == (1, "")
    found = done.checks
    assert found["configuration"]["found"] == "hive.yaml: 2 agents"
    assert found["backend scripted"]["found"] == "it comes with hive"
    assert found["backend claude"]["found"] == f"2.1.197 (Claude Code), {tmp_path}/bin/claude"
    assert found["backend claude: login"]["found"].startswith("by ANTHROPIC_API_KEY;")
    assert found["isolation"]["state"] == "warning"
    assert found["github token"]["state"] == "problem"
    assert "sesame" not in done.stdout


def test_a_program_that_is_missing_or_has_no_login_comes_with_its_remedy(
    tmp_path: Path, doctor: Doctor
) -> None:
    (tmp_path / "hive.yaml").write_text(CONFIG.replace(", environment: {ANTHROPIC_API_KEY: '${KEY}'}", ""))
    found = doctor("--json", SESAME="ghp_x", PATH=str(tmp_path / "none")).checks
    assert found["git"]["remedy"] == "install git 2.32 or later: apt install git"
    assert found["tmux"]["remedy"] == "install tmux 3.2 or later: apt install tmux"
    assert found["backend claude"]["remedy"] == "npm install -g @anthropic-ai/claude-code"
    path = program(tmp_path / "bin", "claude", "echo 2.1.197")
    found = doctor("--json", SESAME="ghp_x", PATH=path).checks
    assert found["backend claude: login"]["state"] == "warning"
    assert "none is seen for scanner" in found["backend claude: login"]["found"]


def test_an_agent_that_is_rejected_is_a_problem_of_its_own(tmp_path: Path, doctor: Doctor) -> None:
    (tmp_path / "hive.yaml").write_text(CONFIG + "  - {name: broken, role: quality, backend: nonsense}\n")
    done = doctor("--json", SESAME="ghp_x", KEY="k")
    found = done.checks
    assert done.returncode == 1
    assert found["agent broken"]["state"] == "problem"
    assert "nonsense" in found["agent broken"]["found"]
    assert found["configuration"]["state"] == "ok"
