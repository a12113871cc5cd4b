"""The journal against its limits: durable group commit against bare JSON lines, replay against bare decoding.

Both sides of a ratio run in turns in the same process on the same disk, and each counts its best turn for
throughput: the noise of a shared machine only ever slows a turn down.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from hive.bench import BenchResult, BenchRow, at_least, at_most, below
from hive.facts.events import AgentChanged, Event, IntentRuled, RequestRuled, encode
from hive.shells.sqlite import SqliteJournal
from hive.shells.sqlite.grouping import GroupCommit

PRODUCERS = 16
"""As in the measurement behind the target: threads that each append one event at a time and wait for it."""

_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Commits:
    """One turn of group commit.

    Attributes:
        per_second: Durable events.
        p99: Seconds from asking to durable, of 99 in 100.
    """

    per_second: float
    p99: float


@dataclass(frozen=True, slots=True)
class JournalFigures:
    """What `measure` found, ours beside the limit."""

    commits: Commits
    bare_commits: Commits
    replay_seconds: float
    bare_replay_seconds: float
    replayed: int

    @property
    def commit_ratio(self) -> float:
        """Ours over bare; the target is 0.6 or more."""
        return self.commits.per_second / self.bare_commits.per_second

    @property
    def replay_ratio(self) -> float:
        """Ours over bare; the target is 1.5 or less."""
        return self.replay_seconds / self.bare_replay_seconds


def run(*, commits: int = 16_000, replayed: int = 1_000_000, turns: int = 3) -> BenchResult:
    """Measure both pairs, `turns` times each, in a temporary folder on the disk of the current one.

    Args:
        commits: Events appended one at a time by the producers together.
        replayed: Events read back.
    """
    figures = measure(commits=commits, replayed=replayed, turns=turns)
    ours, bare = figures.commits, figures.bare_commits
    rows = (
        at_least(
            "group commit", ours.per_second, "events/s", "JSON lines with fsync", bare.per_second, times=0.6
        ),
        below("group commit, p99", ours.p99 * 1e3, "ms", 5),
        BenchRow("JSON lines with fsync, p99", bare.p99 * 1e3, "ms"),
        at_most(
            "replay",
            figures.replay_seconds,
            "s",
            "msgspec over SQLite",
            figures.bare_replay_seconds,
            times=1.5,
        ),
    )
    return BenchResult(
        "journal", rows, f"{PRODUCERS} producers, {commits} commits, {replayed} events replayed"
    )


def measure(*, commits: int = 16_000, replayed: int = 1_000_000, turns: int = 3) -> JournalFigures:
    """Measure both pairs, `turns` times each, in a temporary folder on the disk of the current one."""
    folder = Path(tempfile.mkdtemp(prefix="hive-bench-journal-", dir=Path.cwd()))
    try:
        ours, bare = _commit_turns(folder, commits, turns)
        replay, bare_replay = _replay_turns(folder, replayed, turns)
    finally:
        shutil.rmtree(folder)
    return JournalFigures(ours, bare, replay, bare_replay, replayed)


def sample_events(count: int) -> Iterator[Event]:
    """A journal's usual mixture: state changes, rulings on intents, rulings on requests."""
    for number in range(count):
        agent = f"agent-{number % 50}"
        match number % 3:
            case 0:
                yield AgentChanged(agent=agent, state="busy", detail="running tests")
            case 1:
                yield IntentRuled(
                    intent_id=f"merge/acme/tool#{number}@0123456789ab",
                    about=f"acme/tool#{number}",
                    ruling="hold",
                    rule="acmm.holdgated.merge",
                    because="at level 5 people release the holds",
                )
            case _:
                yield RequestRuled(
                    agent=agent,
                    request_id=f"r{number}",
                    action="push",
                    target=f"acme/tool@refs/heads/hive/{agent}/{number}",
                    ruling="allow",
                    rule="acmm.holdgated.push-own",
                    because="it is its own branch",
                    route="git",
                )


def _commit_turns(folder: Path, count: int, turns: int) -> tuple[Commits, Commits]:
    ours, bare = [], []
    for turn in range(turns):
        with _bare_log(folder / f"{turn}.jsonl") as append:
            bare.append(_produce(append, count))
        journal = SqliteJournal(folder / f"{turn}.db")
        with contextlib.closing(journal):
            ours.append(_produce(lambda event: journal.append([event], at=_AT), count))  # noqa: B023 - used now
    return _best(ours), _best(bare)


def _best(turns: Sequence[Commits]) -> Commits:
    return Commits(max(turn.per_second for turn in turns), min(turn.p99 for turn in turns))


@contextlib.contextmanager
def _bare_log(path: Path) -> Iterator[Callable[[Event], object]]:
    """The limit: lines of JSON in a file, one write and one fsync a group, grouped the same way."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def commit(lines: Sequence[bytes]) -> Sequence[None]:
        os.write(descriptor, b"".join(lines))
        os.fsync(descriptor)
        return [None] * len(lines)

    group = GroupCommit(commit)
    yield lambda event: group.run(encode(event) + b"\n")
    os.close(descriptor)


def _produce(append: Callable[[Event], object], count: int) -> Commits:
    """Let the producers append `count` events between them."""
    shares = [list(sample_events(count // PRODUCERS)) for _ in range(PRODUCERS)]
    waits: list[list[float]] = [[] for _ in shares]
    barrier = threading.Barrier(PRODUCERS + 1)

    def work(share: list[Event], mine: list[float]) -> None:
        barrier.wait()
        for event in share:
            start = time.perf_counter()
            append(event)
            mine.append(time.perf_counter() - start)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(shares, waits, strict=True)]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    everything = [wait for mine in waits for wait in mine]
    return Commits(len(everything) / seconds, statistics.quantiles(everything, n=100)[98])


def _replay_turns(folder: Path, count: int, turns: int) -> tuple[float, float]:
    path = folder / "replay.db"
    with contextlib.closing(SqliteJournal(path)) as journal:
        _fill(journal, count)
        ours, bare = [], []
        for _ in range(turns):
            bare.append(_timed(lambda: _replay_bare(path), count))
            ours.append(_timed(lambda: sum(1 for _ in journal.records()), count))
    return min(ours), min(bare)


def _fill(journal: SqliteJournal, count: int) -> None:
    batch: list[Event] = []
    for number, event in enumerate(sample_events(count), 1):
        batch.append(event)
        if len(batch) == 5000 or number == count:
            journal.append(batch, at=_AT + timedelta(microseconds=number), tick=number // 5000)
            batch = []


def _replay_bare(path: Path) -> int:
    """The limit: every body out of SQLite and through msgspec, nothing else."""
    replayed = 0
    decode = msgspec.json.Decoder(Event).decode
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for (body,) in connection.execute("SELECT body FROM journal ORDER BY seq"):
            decode(body)
            replayed += 1
    return replayed


def _timed(replay: Callable[[], int], expected: int) -> float:
    # Processor time: nothing is waited for, and other processes do not count.
    start = time.process_time()
    replayed = replay()
    seconds = time.process_time() - start
    assert replayed == expected
    return seconds
