"""A person's word that incidents are dealt with, as it comes over the operators' socket."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from hive.errors import ConfigError, JournalError, Refused
from hive.facts import events as e
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.requests import OperatorRequests
from tests.decisions.worlds import NOW, REPO
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal


class Desk:
    """The requests of a daemon with two open incidents and a note, on a real ledger."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.ledger = Ledger(self.journal, FakeClock(NOW))
        self.ledger.record([self._raised("Xa1"), self._raised("Xb2"), self._raised("Xc3", is_note=True)])
        self.pokes = 0
        nothing = cast(Any, None)
        self.requests = OperatorRequests(
            configuration=nothing,
            terminal=nothing,
            journal=Lane("journal", lambda: self.ledger),
            status=dict,
            holds=dict,
            incidents=lambda: self.ledger.memory.incidents,
            merging=dict,
            findings=list,
            memory=lambda: self.ledger.memory,
            backends={},
            now=lambda: NOW,
            poke=self._poke,
        )

    def _poke(self) -> None:
        self.pokes += 1

    @staticmethod
    def _raised(name: str, *, is_note: bool = False) -> e.IncidentRaised:
        return e.IncidentRaised(incident_id=name, what="push", repo=REPO, evidence="e", is_note=is_note)

    def close(self, *ids: object, why: object = "renewed") -> Any:
        handler = self.requests.handlers()["close-incidents"]
        request = {"op": "close-incidents", "ids": list(ids), "by": "ann", "why": why}
        return asyncio.run(cast(Any, handler(request)))

    def open(self) -> list[str]:
        return [one.id for one in self.ledger.memory.incidents.values() if one.is_open]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_the_named_ones_are_closed_on_record_and_hive_looks_again(desk: Desk) -> None:
    assert desk.close("XA1") == {}
    closed = desk.ledger.memory.incidents["Xa1"]
    assert (closed.closed_by, closed.why, desk.open(), desk.pokes) == ("ann", "renewed", ["Xb2"], 1)


def test_several_are_closed_together_each_once(desk: Desk) -> None:
    desk.close("Xb2", "Xa1", "Xb2")
    assert desk.open() == []


@pytest.mark.parametrize(
    ("ids", "why", "kind", "said"),
    [
        (("Xa1", "X9"), "w", ConfigError, "there is no incident 'X9'; open: Xa1, Xb2"),
        (("Xa1", "Xc3"), "w", Refused, "Xc3 is not open; open: Xa1, Xb2"),
        ((), "w", ConfigError, "name at least one incident"),
        ((7,), "w", ConfigError, "name at least one incident"),
        (("Xa1",), "  ", ConfigError, "say how it was dealt with; it goes on record"),
    ],
)
def test_all_of_those_named_or_none(
    desk: Desk, ids: tuple[object, ...], why: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        desk.close(*ids, why=why)
    assert (desk.open(), desk.pokes) == (["Xa1", "Xb2"], 0)


def test_a_word_that_cannot_be_recorded_closes_nothing(desk: Desk) -> None:
    desk.journal.failure = "the disk is full"
    with pytest.raises(JournalError, match="the disk is full"):
        desk.close("Xa1")
    assert (desk.open(), desk.pokes) == (["Xa1", "Xb2"], 0)
