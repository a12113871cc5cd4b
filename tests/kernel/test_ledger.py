"""The ledger: journal and memory in step, from any thread."""

from __future__ import annotations

import threading

import pytest

from hive.decisions.recall import recall
from hive.errors import JournalError
from hive.facts import events as e
from hive.facts.memory import Memory
from hive.kernel.ledger import Ledger
from tests.decisions.worlds import NOW
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal


def refused(number: int, ruling: str = "deny") -> e.RequestRuled:
    return e.RequestRuled(
        agent="a",
        request_id=str(number),
        action="merge-directly",
        target=f"o/r#{number}",
        ruling=ruling,
        rule="acmm.never",
        because="never",
        route="rest",
    )


def test_many_threads_write_one_journal_and_the_memory_is_what_it_says() -> None:
    journal = MemoryJournal()
    ledger = Ledger(journal, FakeClock(NOW))

    def write(thread: int) -> None:
        for number in range(50):
            ledger.record(
                [e.AgentPaused(agent=f"{thread}-{number}", by="x"), e.PortFailed(port="p", message="m")]
            )

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.memory.seq == 800
    assert len(ledger.memory.agents) == 400
    assert recall(Memory(), journal.records()) == ledger.memory


def test_what_cannot_be_written_is_not_remembered() -> None:
    journal = MemoryJournal()
    ledger = Ledger(journal, FakeClock(NOW))
    journal.failure = "the disk is full"
    with pytest.raises(JournalError):
        ledger.record([e.AgentPaused(agent="a", by="x")])
    assert ledger.memory == Memory()
    journal.failure = None
    ledger.record([e.AgentPaused(agent="a", by="x")])
    assert list(ledger.memory.agents) == ["a"]


def test_a_memory_that_was_handed_out_does_not_change() -> None:
    ledger = Ledger(MemoryJournal(), FakeClock(NOW))
    before = ledger.memory
    ledger.record([e.AgentPaused(agent="a", by="x")])
    assert (before, list(ledger.memory.agents)) == (Memory(), ["a"])


def test_a_new_start_remembers_the_same_with_a_snapshot_and_without() -> None:
    journal = MemoryJournal()
    ledger = Ledger(journal, FakeClock(NOW))
    ledger.record([e.AgentPaused(agent="a", by="x"), refused(1)])
    without = Ledger(journal, FakeClock(NOW)).memory
    ledger.store_snapshot(force=True)
    ledger.record([e.AgentResumed(agent="a", by="x"), e.AgentPaused(agent="b", by="x")])
    assert without.seq == 2
    assert Ledger(journal, FakeClock(NOW)).memory == ledger.memory


def test_a_snapshot_is_stored_now_and_then_only() -> None:
    journal = MemoryJournal()
    ledger = Ledger(journal, FakeClock(NOW))
    ledger.record([e.PortFailed(port="p", message="m")] * 1999)
    ledger.store_snapshot()
    assert journal.snapshot() is None
    ledger.record([e.PortFailed(port="p", message="m")])
    ledger.store_snapshot()
    assert journal.snapshot() == ledger.memory


def test_the_newest_fifty_refusals_are_kept_over_a_restart_and_nothing_that_was_allowed() -> None:
    journal = MemoryJournal()
    ledger = Ledger(journal, FakeClock(NOW))
    ledger.record([refused(0, "allow"), refused(0, "hold"), *(refused(n) for n in range(1, 61))])
    assert [one["target"] for one in ledger.refusals()] == [f"o/r#{n}" for n in range(11, 61)]
    assert ledger.refusals()[0] == {
        "agent": "a",
        "action": "merge-directly",
        "target": "o/r#11",
        "rule": "acmm.never",
        "at": "2026-11-30T12:00:00Z",
    }
    assert Ledger(journal, FakeClock(NOW)).refusals() == ledger.refusals()
