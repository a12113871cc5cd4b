"""Versions of agents' programs, asked of the programs themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive.app.versions import ProgramVersions, version_of


def program(folder: Path, version: str, *, fails: bool = False) -> Path:
    """It says `version`, and notes that it was asked."""
    path = folder / "agent"
    path.write_text(f"#!/bin/sh\necho asked >>{folder}/asked\necho {version} $HOME\nexit {int(fails)}\n")
    path.chmod(0o755)
    return path


def test_a_program_is_asked_once_and_again_when_its_file_changes(tmp_path: Path) -> None:
    versions = ProgramVersions()
    command = (str(program(tmp_path, "1.0")), "--version")
    for _ in range(3):
        assert versions.of(command).startswith("1.0 ")
    assert (tmp_path / "asked").read_text().count("asked") == 1
    changed = program(tmp_path, "1.1")
    os.utime(changed, ns=(1, 1))
    assert versions.of(command).startswith("1.1 ")


def test_a_program_is_asked_in_a_home_that_is_nobodys(tmp_path: Path) -> None:
    home = version_of((str(program(tmp_path, "1.0")), "--version")).removeprefix("1.0 ")
    assert "hive-version-" in home
    assert not Path(home).exists()


@pytest.mark.parametrize("command", [(), ("/nowhere/agent", "--version")])
def test_what_is_not_there_has_no_version(command: tuple[str, ...]) -> None:
    assert ProgramVersions().of(command) == ""


def test_a_program_that_fails_has_none_either(tmp_path: Path) -> None:
    failing = program(tmp_path, "1.0", fails=True)
    assert ProgramVersions().of((str(failing), "--version")) == ""
