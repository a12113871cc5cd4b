"""What is said of a machine's programs and of a state folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.doctor.finding import State
from hive.decisions.doctor.machine import (
    StateFolder,
    git_finding,
    python_finding,
    state_folder_findings,
    tmux_finding,
)

FOLDER = StateFolder(path="/s/.hive", seen="/s/.hive", filesystem="ext4", sockets="/s/.hive/run")


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("tmux 3.3a", State.OK),
        ("tmux 3.2", State.OK),
        ("tmux next-3.6", State.OK),
        ("tmux master", State.OK),
        ("tmux 3.1c", State.PROBLEM),
        ("does not run: libevent-5.1.so: cannot open shared object file", State.PROBLEM),
        (None, State.PROBLEM),
    ],
)
def test_tmux_is_told_by_its_version_and_known_faults_of_one_are_no_problem(
    said: str | None, state: State
) -> None:
    assert tmux_finding(said).state is state


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("git version 2.39.5", State.OK),
        ("git version 2.39.5 (Apple Git-154)", State.OK),
        ("git version 2.32.0", State.OK),
        ("git version 2.30.2", State.PROBLEM),
        (None, State.PROBLEM),
    ],
)
def test_a_git_that_does_not_take_a_configuration_of_its_own_is_a_problem(
    said: str | None, state: State
) -> None:
    assert git_finding(said).state is state


def test_an_old_python_is_a_problem() -> None:
    assert python_finding((3, 11, 0)).state is State.OK
    assert python_finding((3, 10, 9)).state is State.PROBLEM


def test_a_good_state_folder_is_fine_in_all() -> None:
    assert [(each.name, each.state) for each in state_folder_findings(FOLDER)] == [
        ("state folder", State.OK),
        ("state folder: space", State.OK),
        ("state folder: journal", State.OK),
        ("state folder: sockets", State.OK),
    ]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (replace(FOLDER, mode=0o755), {"state folder": State.WARNING}),
        (replace(FOLDER, mode=None, seen="/s"), {}),
        (replace(FOLDER, free=500 << 20), {"state folder: space": State.WARNING}),
        (replace(FOLDER, free=10 << 20), {"state folder: space": State.PROBLEM}),
        (replace(FOLDER, filesystem="nfs4"), {"state folder: journal": State.PROBLEM}),
        (replace(FOLDER, wal_fault="mode 'delete'"), {"state folder: journal": State.PROBLEM}),
        (replace(FOLDER, socket_fault="not supported"), {"state folder: sockets": State.PROBLEM}),
        (replace(FOLDER, sockets_moved=True, sockets="/tmp/hive-1"), {}),
        (replace(FOLDER, is_own=False), {"state folder": State.PROBLEM}),
    ],
)
def test_each_fault_of_a_state_folder_is_told_by_itself(
    folder: StateFolder, expected: dict[str, State]
) -> None:
    found = [*state_folder_findings(folder)]
    assert {each.name: each.state for each in found if each.state is not State.OK} == expected
    assert all(each.remedy for each in found if each.state is not State.OK)


UNUSABLE = replace(FOLDER, mode=None, seen="/s")


@pytest.mark.parametrize("folder", [replace(UNUSABLE, is_folder=False), replace(UNUSABLE, is_writable=False)])
def test_of_a_folder_that_cannot_be_written_nothing_else_is_said(folder: StateFolder) -> None:
    assert [(each.name, each.state) for each in state_folder_findings(folder)] == [
        ("state folder", State.PROBLEM)
    ]
