"""Twenty scripted agents with a quirk each, and issues that ask for everything else that can go wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from hive.demo.daemon import DemoDaemon
from hive.facts.agents import session_name
from hive.shells.isolation.cgroups import ControlGroups
from hive.shells.system.processes import children_of, descendants, environment_of, process_table
from hive.shells.tmux import TmuxTerminal

QUIRKS: dict[str, tuple[str, ...]] = {
    "quick": (),
    "double-enter": ("double-enter",),
    "lost-enter": ("ignore-enter 1",),
    "dies-in-paste": ("die-in-paste",),
    "exits-at-once": ("exit-at-start 3 once",),
    "late": ("start-delay 6",),
    "ignores": ("ignore-prompt 1 once",),
    "trust-box": ("trust-box yes-first",),
    "strange-screen": ("strange-screen 10",),
    "logged-out-at-start": ("logged-out",),
}
"""Agents by name, with the marks of their seat; all others have none."""

MISHAPS = (
    "slow 3", "stream 100", "flood 1", "hang", "freeze 12 once", "stop once", "exit 5 once", "exit 0 once",
    "signal SIGSEGV once", "signal SIGABRT once", "out-of-memory 32 once", "crash-once after-pr",
    "crash-once before-push", 'refuse "not with me"', 'fail "no luck"', "wrong-turn", "compact 2",
    "quote-banner", "fork-children 3", "strange-dialog 9 once", 'ask "Which way?" "A" "B"',
    'permission "May I?"', 'limit "resets in 10 seconds" 12', "out-of-credit", "logged-out", "context-full",
)  # fmt: skip
"""One issue each; what is missing of them is plain."""


def issues(plain: int) -> dict[str, str]:
    """Titles and bodies. Plain ones and mishaps in turns, so that no agent gets the mishaps alone."""
    quiet = [(f"Plain note {number}", "Write it down.\n\n@script slow 2") for number in range(1, plain + 1)]
    loud = [(f"Mishap: {mark}", f"Write it down.\n\n@script {mark}") for mark in MISHAPS]
    found: list[tuple[str, str]] = []
    while quiet or loud:
        found += [rest.pop(0) for rest in (quiet, loud) if rest]
    return dict(found)


def cast(daemon: DemoDaemon, deadline: str = "10m") -> None:
    """Give the agents of a world that is not started their quirks; each has an account of its own. `deadline`
    is that of a task."""
    path = daemon.world.config
    settings: dict[str, Any] = yaml.safe_load(path.read_text())
    for agent, quirk in zip(settings["agents"], [*QUIRKS, *[""] * len(settings["agents"])], strict=False):
        agent["name"] = quirk or agent["name"]
        agent["account"] = agent["name"]
        script = json.dumps(["log-states", *QUIRKS.get(quirk, ())])
        agent["environment"] = {"SCRIPTED_RETRY_SECONDS": "600", "SCRIPTED_SCRIPT": script}
    settings["lifecycle"] |= {"deadline": deadline}
    path.write_text(yaml.safe_dump(settings, sort_keys=False))


def names(daemon: DemoDaemon) -> frozenset[str]:
    settings: dict[str, Any] = yaml.safe_load(daemon.world.config.read_text())
    return frozenset(agent["name"] for agent in settings["agents"])


def strays(daemon: DemoDaemon) -> list[str]:
    """What is there of agents and should not be: sessions and groups of nobody, processes below no session,
    a second process of an agent's program."""
    own = names(daemon)
    terminal = TmuxTerminal(daemon.places.tmux_socket)
    try:
        panes = {pane.name: pane.pid for pane in terminal.look() if pane.marks.get("agent")}
    finally:
        terminal.close()
    groups = ControlGroups(daemon.places.state)
    found = [f"session {name}" for name in panes.keys() - {session_name(name) for name in own}]
    found += [f"group {name}" for name in groups.agents() - own - {"hive-supervisor"}]
    below = children_of(process_table())
    held = {pid for root in panes.values() for pid in descendants(root, below)}
    # Hive's own steps on agents' work trees run in their places, each named after the daemon that began it.
    step = f".{daemon.pid}."
    found += [
        f"process {pid} {argv}"
        for pid, argv in _agents_processes(daemon)
        if pid not in held and step not in argv and not _is_below(pid, step)
    ]
    return found


def _is_below(pid: int, step: str) -> bool:
    """Whether one of its parents is a step of the daemon's."""
    table = process_table()
    while pid in table and pid > 1:
        if step in _command(pid):
            return True
        pid = table[pid].parent
    return False


def left_behind(daemon: DemoDaemon) -> list[str]:
    """Processes and groups of agents when everything was ended."""
    groups = ControlGroups(daemon.places.state).agents() - {"hive-supervisor"}
    return [
        *(f"group {name}" for name in groups),
        *(f"process {pid} {argv}" for pid, argv in _agents_processes(daemon)),
    ]


def _agents_processes(daemon: DemoDaemon) -> Iterator[tuple[int, str]]:
    """Everything that was started with an agent's home, whatever became of its parent."""
    homes = os.fsencode(daemon.world.state / "agents")
    for pid in process_table():
        if any(entry.startswith(b"HOME=" + homes) for entry in environment_of(pid)):
            yield pid, _command(pid)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "(gone)"
