"""One demo from beginning to end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hive.app.places import Places
from hive.demo.clusters import ClusterWishes, clusters, install
from hive.demo.daemon import DemoDaemon
from hive.demo.progress import Progress, progress
from hive.demo.summary import summarise, unrecorded
from hive.demo.world import DemoWorld, Wishes, build
from hive.errors import HiveError, Unreachable
from hive.facts.events import Record
from hive.shells.sqlite import SqliteJournal

_LOOK = 0.5
"""Seconds between two looks at the daemon."""
_CALM = 3
"""So many looks in a row must find nothing under way before the demo is over."""


class DemoFailed(HiveError):
    """The demo did not come to an end, or its world does not agree with its journal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `hive demo` prints: the summary, where things lie, and how to end a world that was kept."""

    summary: Mapping[str, Any]
    folder: Path
    attach: str
    end: str


@contextmanager
def demo_world(wishes: Wishes) -> Iterator[DemoWorld]:
    """A world in a temporary folder. Afterwards only its journal and logs stay, unless it is kept."""
    folder = Path(tempfile.mkdtemp(prefix="hive-demo-"))
    try:
        world = build(folder, wishes)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    try:
        yield world
    finally:
        if not wishes.keep:
            world.close()
            _tidy(world)


def _tidy(world: DemoWorld) -> None:
    state = world.state
    left = (world.folder / "github", state / "agents", state / "gateway", world.folder / "token")
    for path in (*left, Places(state).sockets):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def require_tools() -> None:
    """Raise `Unreachable` with the remedy when a program is missing that the demo is played with."""
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), os.fspath(Path(sys.executable).parent)])
    missing = [name for name in ("tmux", "git", "gh") if shutil.which(name, path=search) is None]
    if missing:
        remedy = f"apt-get install {' '.join(missing)}"
        raise Unreachable("demo", f"{', '.join(missing)} cannot be found; install with, say: {remedy}")


def run_demo(wishes: Wishes, *, timeout: float, dashboard: Callable[[Places], None] | None = None) -> Outcome:
    """Run a demo until nothing is left to do; with a `dashboard`, until that is left.

    Raises `DemoFailed` when that takes longer than `timeout` seconds, when the daemon ends early, or when
    the stand-in has a pull request of hive's that the journal does not know.
    """
    require_tools()
    with demo_world(wishes) as world:
        daemon = DemoDaemon(world)
        try:
            daemon.start()
            if dashboard is not None:
                status = _first_status(daemon, timeout)
                dashboard(daemon.places)
                status = daemon.status() or status
            else:
                with progress() as shown:
                    status = watch(daemon, shown, timeout)
            outcome = conclude(daemon, wishes.level, status)
        finally:
            if not wishes.keep:
                daemon.stop()
    return outcome


def run_in_pods(
    wishes: Wishes,
    where: ClusterWishes,
    *,
    timeout: float,
    dashboard: Callable[[Places], None] | None = None,
) -> Outcome:
    """The same with agents in pods of a fleet. Raises `ConfigError` and `Unreachable` of `clusters` too."""
    require_tools()
    with clusters(where) as found:
        install(found)
        try:
            return run_demo(replace(wishes, clusters=found), timeout=timeout, dashboard=dashboard)
        finally:
            if where.kubeconfig is not None and not wishes.keep:
                from hive.demo.clearing import clear

                clear(found)


def _first_status(daemon: DemoDaemon, timeout: float) -> Mapping[str, Any]:
    """The daemon's first answer, as soon as it gives one."""
    deadline = time.monotonic() + timeout
    while (status := daemon.status()) is None:
        _check_alive(daemon)
        if time.monotonic() > deadline:
            raise DemoFailed(f"hive did not answer within {timeout:g} s (log: {daemon.log})")
        time.sleep(0.1)
    return status


def _check_alive(daemon: DemoDaemon) -> None:
    if not daemon.is_running():
        raise DemoFailed(f"hive ended early: {daemon.last_words()} (log: {daemon.log})")


def watch(daemon: DemoDaemon, shown: Progress, timeout: float) -> Mapping[str, Any]:
    """Follow the daemon until it is settled; return its last status."""
    deadline = time.monotonic() + timeout
    reader = _JournalReader(daemon)
    calm = 0
    status: Mapping[str, Any] | None = None
    while time.monotonic() < deadline:
        _check_alive(daemon)
        status = daemon.status()
        shown.show(status, reader.new())
        calm = calm + 1 if status is not None and status["settled"] else 0
        if calm >= _CALM and status is not None:
            reader.close()
            return status
        time.sleep(_LOOK)
    left = status["verdict"] if status else "it never answered"
    raise DemoFailed(f"not done after {timeout:g} s: {left} (log: {daemon.log})")


class _JournalReader:
    """What came into the journal since the last look."""

    def __init__(self, daemon: DemoDaemon) -> None:
        self._path = daemon.places.journal
        self._journal: SqliteJournal | None = None
        self._seq = 0

    def new(self) -> tuple[Record, ...]:
        if self._journal is None:
            if not self._path.exists():
                return ()
            self._journal = SqliteJournal(self._path, read_only=True)
        records = tuple(self._journal.records(after=self._seq))
        if records:
            self._seq = records[-1].seq
        return records

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


def conclude(daemon: DemoDaemon, level: int, status: Mapping[str, Any]) -> Outcome:
    """The summary, after comparing the journal with the stand-in."""
    journal = SqliteJournal(daemon.places.journal, read_only=True)
    try:
        records = tuple(journal.records())
    finally:
        journal.close()
    repository = repository_state(daemon.world)
    strangers = unrecorded(records, repository)
    if strangers:
        raise DemoFailed(f"pull requests that the journal does not know: {strangers}")
    summary = summarise(level, records, repository, len(status["findings"]), "hold", daemon.places.journal)
    tmux = f"tmux -S {daemon.places.tmux_socket}"
    end = f"kill {daemon.pid} {daemon.world.forge.pid}; {tmux} kill-server; rm -r {daemon.world.folder}"
    return Outcome(summary, daemon.world.folder, f"{tmux} attach", end)


def repository_state(world: DemoWorld) -> Mapping[str, Any]:
    """What the stand-in says of the world's repository."""
    found: Mapping[str, Any] = world.forge.state()["repositories"][world.repository]
    return found
