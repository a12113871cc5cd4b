"""What every journal promises: the file, and the one in memory that other tests use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from hive.errors import JournalError
from hive.facts.events import Event, Noticed, PullRequestEnded, Record, SupervisorStarted, UsageRecorded
from hive.facts.memory import AgentMemory, Memory
from hive.facts.usage_events import BOOKKEEPING
from hive.ports.journal import Journal
from hive.shells.sqlite import SqliteJournal
from tests.fakes.journal import MemoryJournal

AT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
STARTED = SupervisorStarted(pid=7, version="1")


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    made: Journal = (
        MemoryJournal() if request.param == "memory" else SqliteJournal(tmp_path / "state" / "j.db")
    )
    yield made
    made.close()


def notice(about: str, message: str = "") -> Noticed:
    return Noticed(about=about, message=message)


def fill(journal: Journal, count: int) -> tuple[Record, ...]:
    return journal.append([notice("a", str(number)) for number in range(1, count + 1)], at=AT)


def test_what_was_appended_is_returned_and_read_back_with_gapless_positions(journal: Journal) -> None:
    first = journal.append([STARTED], at=AT, tick=1)
    second = journal.append([notice("a"), notice("b")], at=AT + timedelta(microseconds=1), tick=2)

    assert first == (Record(1, AT, 1, STARTED),)
    assert second == (
        Record(2, AT + timedelta(microseconds=1), 2, notice("a")),
        Record(3, AT + timedelta(microseconds=1), 2, notice("b")),
    )
    assert tuple(journal.records()) == first + second


def test_an_empty_journal_has_nothing(journal: Journal) -> None:
    assert tuple(journal.records()) == ()
    assert journal.newest(5) == ()
    assert journal.about("a") == ()
    assert journal.snapshot() is None
    assert journal.published() is None


def test_appending_nothing_records_nothing(journal: Journal) -> None:
    assert journal.append([], at=AT) == ()
    assert tuple(journal.records()) == ()


def test_times_are_recorded_in_utc(journal: Journal) -> None:
    journal.append([STARTED], at=AT.astimezone(timezone(timedelta(hours=5, minutes=30))))
    (record,) = journal.records()
    assert (record.at, record.at.utcoffset()) == (AT, timedelta(0))


def test_a_time_without_a_zone_is_a_bug_and_records_nothing(journal: Journal) -> None:
    with pytest.raises(ValueError, match="aware"):
        journal.append([STARTED], at=AT.replace(tzinfo=None))
    assert tuple(journal.records()) == ()


@pytest.mark.parametrize(
    ("after", "limit"), [(0, 0), (0, 1), (3, 4), (9, 5), (10, None), (99, None), (0, 2500)]
)
def test_records_start_after_a_position_and_stop_at_the_limit(
    journal: Journal, after: int, limit: int | None
) -> None:
    written = fill(journal, 10)
    end = len(written) if limit is None else after + limit
    assert tuple(journal.records(after=after, limit=limit)) == written[after:end]


@pytest.mark.parametrize("limit", [499, 500, 501, 1000, 1201, None])
def test_long_histories_are_read_whole_across_pages(journal: Journal, limit: int | None) -> None:
    written = fill(journal, 1201)
    assert tuple(journal.records(limit=limit)) == written[:limit]


def test_a_reading_goes_on_to_what_is_appended_meanwhile(journal: Journal) -> None:
    fill(journal, 500)
    reading = journal.records()
    seen = [next(reading) for _ in range(3)]
    journal.append([STARTED], at=AT)
    seen += list(reading)
    assert [record.seq for record in seen] == list(range(1, 502))


@pytest.mark.parametrize("limit", [0, 1, 4, 99])
def test_newest_gives_the_last_ones_oldest_first(journal: Journal, limit: int) -> None:
    written = fill(journal, 6)
    assert journal.newest(limit) == (written[-limit:] if limit else ())


def test_about_finds_one_subject_and_its_newest_records(journal: Journal) -> None:
    written = journal.append(
        [notice("ann", "1"), notice("bob"), notice("ann", "2"), notice("ann", "3")], at=AT
    )
    assert journal.about("ann") == (written[0], written[2], written[3])
    assert journal.about("ann", limit=2) == (written[2], written[3])
    assert journal.about("ann", limit=0) == ()
    assert journal.about("an") == ()


def test_about_leaves_out_kinds_that_are_not_wanted_and_counts_what_is_left(journal: Journal) -> None:
    used = UsageRecorded(agent="ann", model="m", key="k", source="relay", used_at=AT)
    written = journal.append([notice("ann", "1"), notice("ann", "2"), used, used], at=AT)
    assert journal.about("ann", limit=2, without=BOOKKEEPING) == written[:2]
    assert journal.about("ann", limit=2) == written[2:]
    assert journal.about("ann", without=("noticed", *BOOKKEEPING)) == ()


@pytest.mark.parametrize(
    ("recorded", "asked", "found"),
    [
        ("Owner/Repo#7", "owner/repo#7", True),
        ("Owner/Repo", "OWNER/repo", True),
        ("owner/repo#7", "owner/repo#70", False),
        ("Ann", "ann", False),
        ("Ann: odd / name", "ann: odd / name", False),
        ("Ä/b", "ä/b", False),
        ("a%", "ab", False),
    ],
)
def test_case_counts_except_in_names_of_repositories(
    journal: Journal, recorded: str, asked: str, found: bool
) -> None:
    written = journal.append([notice(recorded)], at=AT)
    assert journal.about(asked) == (written if found else ())


def test_repository_events_are_found_by_number(journal: Journal) -> None:
    event = PullRequestEnded(repo="Acme/Tool", number=3, state="merged")
    written = journal.append([event, replace_number(event, 33)], at=AT)
    assert journal.about("acme/tool#3") == written[:1]


def replace_number(event: PullRequestEnded, number: int) -> PullRequestEnded:
    return PullRequestEnded(repo=event.repo, number=number, state=event.state)


def test_the_newest_snapshot_is_given_back(journal: Journal) -> None:
    fill(journal, 9)
    memories = [
        Memory(seq=seq, agents={"ann": AgentMemory(generation=seq, started_at=AT)}) for seq in (3, 9, 5)
    ]
    for memory in memories:
        journal.store_snapshot(memory)
    assert journal.snapshot() == memories[1]


def test_a_snapshot_of_the_same_position_replaces_the_one_before(journal: Journal) -> None:
    fill(journal, 3)
    journal.store_snapshot(Memory(seq=3))
    journal.store_snapshot(Memory(seq=3, level=4))
    assert journal.snapshot() == Memory(seq=3, level=4)


def test_a_snapshot_beyond_the_end_is_ignored(journal: Journal) -> None:
    fill(journal, 3)
    journal.store_snapshot(Memory(seq=2))
    journal.store_snapshot(Memory(seq=4))
    assert journal.snapshot() == Memory(seq=2)


def test_the_published_document_is_the_last_one(journal: Journal) -> None:
    journal.publish(b"{}")
    journal.publish(b"\x00\xff")
    assert journal.published() == b"\x00\xff"


def test_many_threads_append_at_once_and_each_gets_its_own_positions(journal: Journal) -> None:
    threads, each = 8, 12
    results: list[list[tuple[Record, ...]]] = [[] for _ in range(threads)]

    def produce(index: int) -> None:
        for number in range(each):
            pair: list[Event] = [notice(f"t{index}", f"{number}a"), notice(f"t{index}", f"{number}b")]
            results[index].append(journal.append(pair, at=AT, tick=index))

    workers = [threading.Thread(target=produce, args=(index,)) for index in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)

    returned = sorted((record for mine in results for pair in mine for record in pair), key=lambda r: r.seq)
    assert [record.seq for record in returned] == list(range(1, 2 * threads * each + 1))
    assert tuple(returned) == tuple(journal.records())
    for index, mine in enumerate(results):
        assert all(pair[1].seq == pair[0].seq + 1 for pair in mine)
        assert [p[0].event for p in mine] == [notice(f"t{index}", f"{number}a") for number in range(each)]


def test_a_closed_journal_says_so_and_may_be_closed_again(journal: Journal) -> None:
    fill(journal, 1)
    journal.close()
    journal.close()
    for attempt in (
        lambda: journal.append([STARTED], at=AT),
        lambda: journal.newest(1),
        lambda: list(journal.records()),
        lambda: journal.about("a"),
        lambda: journal.publish(b""),
        journal.published,
        journal.snapshot,
        lambda: journal.store_snapshot(replace(Memory(), seq=1)),
    ):
        with pytest.raises(JournalError, match="closed"):
            attempt()
