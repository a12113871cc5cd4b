"""Processes of agents that have no session: ended, and nobody else's."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.shells.system.orphans import end_orphans
from hive.shells.system.processes import boot_id

Sleepers = dict[str, subprocess.Popen[bytes]]


@pytest.fixture
def sleepers(tmp_path: Path) -> Iterator[Sleepers]:
    homes = tmp_path / "agents"
    told = {
        "left": {"HOME": f"{homes}/left", "HIVE_GENERATION": "3"},
        "alive": {"HOME": f"{homes}/alive", "HIVE_GENERATION": "3"},
        "a person's": {"HOME": f"{homes}/left"},
        "another hive's": {"HOME": f"{tmp_path}/other/agents/left", "HIVE_GENERATION": "3"},
        "below": {"HOME": f"{homes}/left/deeper", "HIVE_GENERATION": "3"},
    }
    made = {name: subprocess.Popen(["/bin/sleep", "60"], env=env) for name, env in told.items()}
    try:
        yield made
    finally:
        for one in made.values():
            one.kill()
            one.wait()


def test_only_an_agents_own_processes_without_a_session_are_ended(sleepers: Sleepers, tmp_path: Path) -> None:
    assert end_orphans(tmp_path / "agents", {"alive"}) == ("left",)
    assert sleepers["left"].wait(5) == -9
    assert [name for name, one in sleepers.items() if one.poll() is None] == [
        "alive",
        "a person's",
        "another hive's",
        "below",
    ]
    assert end_orphans(tmp_path / "agents", {"alive"}) == ()


def test_a_machine_tells_which_of_its_starts_this_is() -> None:
    assert len(boot_id()) == 36
    assert boot_id() == boot_id()
