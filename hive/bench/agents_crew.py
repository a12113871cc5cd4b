"""Scripted agents that a benchmark has at hand: told to work, past hive, by their own keyboard."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from hive.bench.agents_states import state_now
from hive.bench.daemon import configure, server_of, until_ready
from hive.bench.process_tree import ProcessTree
from hive.demo.daemon import DemoDaemon
from hive.facts.agents import session_name
from hive.shells.isolation.place import is_launcher

_DWELL = 1.5
"""Seconds that an agent is at work when it is to change its state: longer than a round of the poll loop."""
_APART = 0.1
"""Seconds between two agents that are told to."""
_PATIENCE = 60.0


class Crew:
    """The agents of one daemon, which note what state they are in (``log-states``).

    Attributes:
        server: Pid of their tmux server, once they are started.
    """

    def __init__(self, daemon: DemoDaemon) -> None:
        self.daemon = daemon
        self.server = 0
        self._all: list[dict[str, Any]] = yaml.safe_load(daemon.world.config.read_text())["agents"]
        for agent in self._all:
            agent["environment"] = {"SCRIPTED_SCRIPT": '["log-states"]'}

    @property
    def names(self) -> list[str]:
        return [agent["name"] for agent in self._all]

    @property
    def socket(self) -> Path:
        return self.daemon.places.tmux_socket

    @property
    def homes(self) -> Path:
        return self.daemon.world.state / "agents"

    @property
    def journal(self) -> Path:
        return self.daemon.places.journal

    def panes(self) -> dict[str, str]:
        """Session by agent."""
        return {name: session_name(name) for name in self.names}

    def start(self, count: int) -> None:
        """Start the daemon over the first `count`. Raises `RuntimeError` when they do not become ready."""
        configure(self.daemon, {"agents": self._all[:count]})
        self.daemon.start()
        until_ready(self.daemon, count)
        self.server = server_of(self.daemon)

    def employ(self, count: int) -> None:
        """Have the daemon take on more, up to `count`. Raises like `start`."""
        configure(self.daemon, {"agents": self._all[:count]})
        until_ready(self.daemon, count)

    def dismiss_daemon(self) -> None:
        """End the daemon; the agents stay."""
        self.daemon.terminate()

    def of_hive(self) -> ProcessTree:
        """All that watches them: the daemon with what it started, the tmux server, what is around each."""
        watching = ProcessTree.of(self.daemon.pid).pids | {self.server} | self.around_agents().pids
        return ProcessTree(watching)

    def around_agents(self) -> ProcessTree:
        """Hive's own processes below the tmux server."""
        below = ProcessTree.of(self.server).commands()
        return ProcessTree(frozenset(pid for pid, argv in below.items() if is_launcher(argv)))

    def percent(self, spent: Callable[[], float], seconds: float) -> float:
        """Of a core, for each agent, over `seconds`; `spent` gives seconds of processor time so far."""
        before, began = spent(), time.monotonic()
        time.sleep(seconds)
        return 100 * (spent() - before) / (time.monotonic() - began) / len(self._all)

    def change_states(self, rounds: int) -> None:
        """Have each agent work for a moment, once a round, and wait until all rest again."""
        for _ in range(rounds):
            for name in self.names:
                self._type(name, f"@script slow {_DWELL:g}")
                time.sleep(_APART)
            time.sleep(_DWELL)
            self.rest()
            time.sleep(1.0)  # so that the last change can be known before the next one

    def work(self, seconds: float) -> None:
        """Have all work for so long; returns when they do."""
        for name in self.names:
            self._type(name, f"@script slow {seconds:g}")
        self._until("working")

    def rest(self) -> None:
        """Wait until nobody works."""
        self._until("ready")

    def _until(self, state: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        while any(state_now(self.homes, name) != state for name in self.names):
            if time.monotonic() > deadline:
                states = {name: state_now(self.homes, name) for name in self.names}
                raise RuntimeError(f"not all agents are {state} after {_PATIENCE:g} s: {states}")
            time.sleep(0.1)

    def _type(self, agent: str, text: str) -> None:
        target = f"={session_name(agent)}:"
        keys = ["send-keys", "-t", target, "-l", "--", text, ";", "send-keys", "-t", target, "Enter"]
        subprocess.run(["tmux", "-S", os.fspath(self.socket), *keys], capture_output=True, check=True)
