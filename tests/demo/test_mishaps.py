"""What goes wrong around a running hive, and what it makes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import AgentChanged, ConfigurationRejected, PortFailed, PortRecovered
from tests.demo.worlds import demo, issues_file, prompts, pulls, records, starts, until, until_settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SLOW = {f"Slow note {number}": "Write it down.\n\n@script slow 4" for number in range(1, 4)}


@pytest.fixture
def hive(tmp_path: Path) -> Iterator[DemoDaemon]:
    """Three agents on three slow issues, at level 5, running."""
    wishes = Wishes(level=5, agents=3, issues=issues_file(tmp_path, SLOW))
    with demo(tmp_path / "demo", wishes) as daemon:
        daemon.start()
        yield daemon


def agents(hive: DemoDaemon) -> list[Mapping[str, Any]]:
    status = hive.status()
    return list(status["agents"]) if status else []


def all_at_work(hive: DemoDaemon) -> bool:
    return len(agents(hive)) == 3 and all(agent["state"] == "working" for agent in agents(hive))


def pane_pids(hive: DemoDaemon) -> dict[str, int]:
    """The first process of each agent's session."""
    listed = tmux(hive, "list-panes", "-a", "-F", "#{session_name} #{pane_pid}")
    rows = (line.split() for line in listed.splitlines())
    return {name: int(pid) for name, pid in rows if name != "hive-control"}


def tmux(hive: DemoDaemon, *arguments: str) -> str:
    command = ["tmux", "-S", os.fspath(hive.places.tmux_socket), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def command(hive: DemoDaemon, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hive.cli", *arguments, "-c", os.fspath(hive.world.config)],
        capture_output=True,
        text=True,
        check=False,
    )


def each_issue_has_its_pull_request(hive: DemoDaemon) -> bool:
    return sorted(pull["title"] for pull in pulls(hive.world)) == sorted(SLOW)


def test_an_agent_killed_mid_task_is_started_again_and_its_task_goes_on(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    victim, pid = sorted(pane_pids(hive).items())[0]
    os.kill(pid, signal.SIGKILL)
    until_settled(hive)

    agent = next(one["name"] for one in agents(hive) if one["session"] == victim)
    lost = [
        record.event
        for record in records(hive)
        if isinstance(record.event, AgentChanged) and record.event.state == "crashed"
    ]
    assert [(event.agent, event.detail) for event in lost][-1:] == [
        (agent, "killed by signal 9, and not by hive")
    ]
    assert starts(hive.world)[agent] == 2
    assert each_issue_has_its_pull_request(hive)
    assert set(prompts(hive.world).values()) == {1}


def test_the_tmux_server_killed_mid_task_takes_nothing_with_it_for_good(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    server = int(tmux(hive, "display-message", "-p", "#{pid}"))
    os.kill(server, signal.SIGKILL)
    until(lambda: not all_at_work(hive), "the loss noticed", 20)
    until_settled(hive)

    assert each_issue_has_its_pull_request(hive)
    assert set(starts(hive.world).values()) == {2}
    assert set(prompts(hive.world).values()) == {1}


def test_no_agent_can_read_the_forges_credential_at_its_own_place(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    credential = (hive.world.folder / "token").read_bytes()
    roots = set(pane_pids(hive).values())
    family = [pid for pid in descendants(roots) if Path(f"/proc/{pid}").exists()]
    assert len(family) >= 3
    for pid in family:
        assert credential not in Path(f"/proc/{pid}/environ").read_bytes()
        assert credential not in Path(f"/proc/{pid}/cmdline").read_bytes()
    files = [path for path in (hive.world.state / "agents").rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if credential in path.read_bytes()] == []


def descendants(roots: set[int]) -> set[int]:
    found = set(roots)
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def test_asked_to_end_it_ends_at_once_and_leaves_its_agents_at_work(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    before = pane_pids(hive)
    os.kill(hive.pid, signal.SIGTERM)
    until(lambda: not hive.is_running(), "the end", 10)
    assert pane_pids(hive) == before
    hive.start()
    until_settled(hive)
    assert each_issue_has_its_pull_request(hive)
    assert set(starts(hive.world).values()) == {1}


def test_a_forge_that_does_not_answer_is_told_and_survived(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    os.kill(hive.world.forge.pid, signal.SIGSTOP)
    try:
        until(
            lambda: any(isinstance(one.event, PortFailed) for one in records(hive)), "the failure told", 120
        )
        began = time.monotonic()
        assert hive.status() is not None
        assert time.monotonic() - began < 2
    finally:
        os.kill(hive.world.forge.pid, signal.SIGCONT)
    until_settled(hive)
    assert any(isinstance(one.event, PortRecovered) for one in records(hive))
    assert each_issue_has_its_pull_request(hive)


def test_a_pause_and_a_level_outlive_the_daemon_and_say_who_and_why(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    assert command(hive, "pause", "quality-1", "--why", "a look first").returncode == 0
    assert command(hive, "level", "2", "--why", "calm down").returncode == 0
    hive.kill()
    hive.start()
    status = until(hive.status, "an answer")
    assert status["level"] == 2
    quality = next(agent for agent in status["agents"] if agent["name"] == "quality-1")
    assert quality["paused"]["why"] == "a look first"
    assert quality["paused"]["by"]
    told = command(hive, "explain", "quality-1").stdout
    assert "a look first" in told


def test_a_wrong_configuration_leaves_the_old_one_in_force(hive: DemoDaemon) -> None:
    until(lambda: all_at_work(hive), "agents at work")
    config = hive.world.config
    good = config.read_text()
    config.write_text(good.replace("level:", "levle:"))

    def rejected() -> list[str]:
        return [
            record.event.message
            for record in records(hive)
            if isinstance(record.event, ConfigurationRejected)
        ]

    until(rejected, "the rejection told", 30)
    assert rejected() == [f"{config}:1: unknown key 'levle'; did you mean 'level'?"]
    config.write_text(good.replace("level: 5", "level: 3"))
    until(lambda: (hive.status() or {}).get("level") == 3, "the new level", 30)


def test_a_second_hive_on_the_same_state_is_refused_in_one_line(hive: DemoDaemon) -> None:
    until(hive.status, "an answer")
    second = command(hive, "run")
    assert second.returncode == 2
    assert second.stderr.startswith(
        f"hive: state folder {hive.world.state} is in use by hive process {hive.pid}"
    )
    assert len(second.stderr.splitlines()) == 1
