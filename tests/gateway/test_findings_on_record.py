"""The real authority knows the findings that any earlier hive recorded."""

from __future__ import annotations

from hive.facts.events import FindingRecorded
from hive.kernel.authority import KernelAuthority
from hive.kernel.ledger import Ledger
from tests.decisions.worlds import policy
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal
from tests.gateway.place import AGENT, REPO

FOUND = FindingRecorded(
    agent=AGENT, finding_id="F7", repo=REPO, issue=1, title="It adds", body="b", task="t1"
)


def authority(journal: MemoryJournal) -> KernelAuthority:
    """As a hive that starts on this journal has it."""
    clock = FakeClock()
    return KernelAuthority(
        Ledger(journal, clock), policy, clock, keeps_draft=lambda: False, poke=lambda _: None
    )


def test_a_finding_is_known_again_after_a_restart_by_all_that_makes_it_one() -> None:
    journal = MemoryJournal()
    first = authority(journal)
    assert first.finding(AGENT, REPO, 1, "It adds", "t1") is None
    first.record([FOUND])
    for known in (first, authority(journal)):
        assert known.finding(AGENT, REPO, 1, "It adds", "t1") == "F7"
        others = (
            known.finding("guide", REPO, 1, "It adds", "t1"),
            known.finding(AGENT, "acme/gadgets", 1, "It adds", "t1"),
            known.finding(AGENT, REPO, None, "It adds", "t1"),
            known.finding(AGENT, REPO, 1, "It subtracts", "t1"),
            known.finding(AGENT, REPO, 1, "It adds", ""),
        )
        assert others == (None,) * 5
    assert authority(journal).next_finding_id() == "F8"
