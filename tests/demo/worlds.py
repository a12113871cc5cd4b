"""Demo worlds for tests: small, quick, and killed at will."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hive.demo.daemon import DemoDaemon
from hive.demo.run import repository_state
from hive.demo.world import ACCOUNT, DemoWorld, Wishes, build
from hive.facts.events import Record
from hive.shells.sqlite import SqliteJournal

PATIENCE = 180.0
"""Seconds after which a test gives up; the machine may be slow."""


def issues_file(folder: Path, bodies: Mapping[str, str]) -> Path:
    """A file of issues by title, as `hive demo --issues` takes it."""
    path = folder / "issues.json"
    issues = [{"title": title, "body": body} for title, body in bodies.items()]
    path.write_text(json.dumps({"issues": issues}))
    return path


@contextmanager
def demo(folder: Path, wishes: Wishes) -> Iterator[DemoDaemon]:
    """A world with a daemon that is not started yet; everything is ended afterwards."""
    world = build(folder, wishes)
    daemon = DemoDaemon(world)
    try:
        yield daemon
    finally:
        daemon.stop()
        world.close()


def until(condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """The first true answer of `condition`; fails the test when there is none in time."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {patience:g} s")


def settled(daemon: DemoDaemon) -> Mapping[str, Any] | None:
    """The status when nothing is under way any more."""
    status = daemon.status()
    return status if status is not None and status["settled"] else None


def until_settled(daemon: DemoDaemon, patience: float = PATIENCE) -> Mapping[str, Any]:
    def calm() -> Mapping[str, Any] | None:
        assert daemon.is_running(), daemon.last_words()
        return settled(daemon)

    try:
        status: Mapping[str, Any] = until(calm, "a settled hive", patience)
    except AssertionError as error:
        raise AssertionError(f"{error}; now: {daemon.status()}; log: {daemon.last_words()}") from error
    return status


def records(daemon: DemoDaemon) -> tuple[Record, ...]:
    journal = SqliteJournal(daemon.places.journal, read_only=True)
    try:
        return tuple(journal.records())
    finally:
        journal.close()


def pulls(world: DemoWorld) -> list[Mapping[str, Any]]:
    """Hive's pull requests, as the stand-in has them."""
    return [pull for pull in repository_state(world)["pulls"] if pull["author"] == ACCOUNT]


def prompts(world: DemoWorld) -> Counter[str]:
    """How often each prompt arrived, by the agents' own transcripts."""
    return Counter(str(entry["prompt_id"]) for _, entry in _transcripts(world) if entry["type"] == "prompt")


def starts(world: DemoWorld) -> Counter[str]:
    """How often each agent's program was started, by its own transcript."""
    return Counter(agent for agent, entry in _transcripts(world) if entry["type"] == "session")


def _transcripts(world: DemoWorld) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for transcript in (world.state / "agents").glob("*/.scripted/transcript.jsonl"):
        for line in transcript.read_text().splitlines():
            yield transcript.parent.parent.name, json.loads(line)
