"""The real authority knows the findings that any earlier hive recorded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hive.errors import Refused
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


def test_a_finding_is_known_again_after_a_restart_by_what_it_is_about() -> None:
    journal = MemoryJournal()
    first = authority(journal)
    first.record([FOUND])
    for restarted in (False, True):
        known = authority(journal) if restarted else first
        again = replace(FOUND, finding_id="")
        assert known.report(again).id == "F7"
        assert known.report(replace(again, agent="guide", task="t9", title="It adds (2 lines)")).id == "F7"
    others = (
        replace(FOUND, repo="acme/gadgets"),
        replace(FOUND, issue=None),
        replace(FOUND, title="It subtracts"),
        replace(FOUND, path="widgets.py"),
    )
    assert [authority(journal).report(other).id for other in others] == ["F8", "F9", "F10", "F11"]
    assert [one.times for one in Ledger(journal, FakeClock()).memory.findings] == [2, 1, 1, 1, 1]


def test_a_task_that_gives_too_many_findings_is_stopped_and_what_is_known_is_not_counted() -> None:
    desk = authority(MemoryJournal())
    for number in range(20):
        desk.report(replace(FOUND, finding_id="", path=f"a{number}.py"))
    with pytest.raises(Refused, match="has given 20 findings"):
        desk.report(replace(FOUND, finding_id="", path="b.py"))
    assert desk.report(replace(FOUND, finding_id="", path="a3.py")).id == "F4"
    assert desk.report(replace(FOUND, finding_id="", path="b.py", task="t2")).id == "F21"
