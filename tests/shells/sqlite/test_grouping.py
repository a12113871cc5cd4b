"""Group commit: who comes during a commit shares the next; nobody waits for ever or gets another's error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.errors import JournalError
from hive.facts.events import Noticed
from hive.shells.sqlite import SqliteJournal, grouping
from hive.shells.sqlite.grouping import GroupCommit

Outcome = BaseException | None


class Commits:
    """Records the groups, and stops in the first until it is let go."""

    def __init__(self, answer: Callable[[str], Outcome] = lambda job: None) -> None:
        self.groups: list[list[str]] = []
        self.may_go_on = threading.Event()
        self.in_first = threading.Event()
        self._answer = answer

    def __call__(self, jobs: Sequence[str]) -> Sequence[Outcome]:
        self.groups.append(list(jobs))
        if len(self.groups) == 1:
            self.in_first.set()
            assert self.may_go_on.wait(30)
        return [self._answer(job) for job in jobs]


def start(group: GroupCommit[str], job: str, outcomes: dict[str, Outcome]) -> threading.Thread:
    def run() -> None:
        try:
            group.run(job)
            outcomes[job] = None
        except BaseException as error:
            outcomes[job] = error

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def run_behind_a_first(commits: Commits, jobs: Sequence[str]) -> dict[str, Outcome]:
    """One job starts, `jobs` come while it is being committed."""
    group, outcomes = GroupCommit(commits), dict[str, Outcome]()
    threads = [start(group, "first", outcomes)]
    assert commits.in_first.wait(30)
    for count, job in enumerate(jobs, 1):
        threads.append(start(group, job, outcomes))
        wait_until(lambda count=count: len(group._waiting) == count)  # type: ignore[misc] # bound now
    commits.may_go_on.set()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    return outcomes


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_those_who_come_during_a_commit_share_the_next_in_order_of_arrival() -> None:
    commits = Commits()
    outcomes = run_behind_a_first(commits, ["a", "b", "c", "d"])
    assert commits.groups == [["first"], ["a", "b", "c", "d"]]
    assert outcomes == dict.fromkeys(["first", "a", "b", "c", "d"])


def test_each_caller_gets_its_own_error() -> None:
    error = JournalError("b's own")
    outcomes = run_behind_a_first(Commits(lambda job: error if job == "b" else None), ["a", "b", "c"])
    assert outcomes == {"first": None, "a": None, "b": error, "c": None}


def test_a_commit_that_raises_fails_its_group_and_not_the_next_one() -> None:
    def answer(job: str) -> Outcome:
        if job == "first":
            raise JournalError("broken")
        return None

    outcomes = run_behind_a_first(Commits(answer), ["a", "b"])
    assert repr(outcomes) == repr({"first": JournalError("broken"), "a": None, "b": None})


def test_an_interrupted_leader_passes_the_lead_on_and_keeps_its_interrupt() -> None:
    def answer(job: str) -> Outcome:
        if job == "a":
            raise KeyboardInterrupt
        return None

    outcomes = run_behind_a_first(Commits(answer), ["a", "b"])
    assert isinstance(outcomes["a"], KeyboardInterrupt)
    assert isinstance(outcomes["b"], JournalError)


def test_an_interrupted_follower_leaves_the_queue_in_order() -> None:
    commits = Commits()
    group, outcomes = GroupCommit(commits), dict[str, Outcome]()
    first = start(group, "first", outcomes)
    assert commits.in_first.wait(30)
    seat_taken = threading.Event()

    class Torn:
        """A lock whose wait ends like a Ctrl-C."""

        def acquire(self) -> bool:
            seat_taken.set()
            raise KeyboardInterrupt

        def release(self) -> None: ...

    seat = grouping._Seat("torn")
    seat.turn = Torn()  # type: ignore[assignment] # stands for a lock
    with group._mutex:
        group._waiting.append(seat)
    with pytest.raises(KeyboardInterrupt):
        group._await_turn(seat)
    assert seat_taken.is_set()
    assert group._waiting == []
    commits.may_go_on.set()
    first.join(30)
    group.run("after")
    assert commits.groups == [["first"], ["after"]]


def test_an_interrupted_caller_that_was_given_the_lead_passes_it_on() -> None:
    commits = Commits()
    commits.may_go_on.set()
    group = GroupCommit(commits)

    class Torn:
        def acquire(self) -> bool:
            raise KeyboardInterrupt

    seat = grouping._Seat("torn")
    seat.turn, seat.has_lead = Torn(), True  # type: ignore[assignment] # stands for a lock
    group._waiting, group._is_led = [seat], True
    with pytest.raises(KeyboardInterrupt):
        group._await_turn(seat)
    assert not group._is_led
    group.run("after")
    assert commits.groups == [["after"]]


def test_threads_that_append_at_once_share_transactions_of_the_file(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    assert journal._writer is not None
    statements: list[str] = []
    journal._writer.set_trace_callback(statements.append)
    barrier = threading.Barrier(16)

    def produce() -> None:
        barrier.wait(30)
        for _ in range(20):
            journal.append([Noticed(about="a", message="m")], at=datetime(2026, 3, 4, tzinfo=UTC))

    threads = [threading.Thread(target=produce) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert journal.last_seq() == 320
    assert statements.count("COMMIT") < 160
    journal.close()


def test_one_bad_write_does_not_fail_its_neighbours(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")

    def insert(number: int) -> Callable[[object], None]:
        def write(connection: object) -> None:
            assert hasattr(connection, "execute")
            connection.execute("INSERT INTO journal VALUES (?, '', 0, '', '', '{}')", (number,))

        return write

    outcomes = journal._commit([insert(1), insert(5), insert(2)])
    assert [type(outcome) for outcome in outcomes] == [type(None), JournalError, type(None)]
    assert "no gaps" in str(outcomes[1])
    assert journal.last_seq() == 2
    journal.close()
