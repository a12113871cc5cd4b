"""Two hives on one repository never both take an issue."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.lease_policy import LeasePolicy
from hive.decisions.leases import first_of
from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.forge import Label
from hive.facts.memory import Memory
from hive.facts.world import World
from tests.decisions.worlds import NOW, REPO, issue, known_agent, look, memory, policy, sighting, world

A = "quality-1"
SIX = timedelta(hours=6)
SHARED = policy(leases=LeasePolicy("hive:", "a", SIX))
KEY = f"{REPO}#7"


def here(*labels: Label, at: datetime = NOW) -> World:
    seen = world(sighting(A), repos={REPO: look([issue(7, labels=labels)])})
    return replace(seen, now=at)


def intents(seen: World, known: Memory) -> list[i.Intent]:
    return list(plan(seen, known, SHARED).intents)


def after(known: Memory, intent: i.Intent, outcome: str, at: datetime = NOW) -> Memory:
    events: tuple[e.Event, ...] = (
        e.IntentStarted(intent_id=intent.id, body=intent),
        e.IntentFinished(intent_id=intent.id, about=intent.subject, outcome=outcome),
    )
    return recall(known, [e.Record(known.seq + n, at, 1, event) for n, event in enumerate(events, 1)])


def test_a_lease_is_taken_before_the_issue_is_claimed_and_dropped_when_nobody_needs_it() -> None:
    (take,) = intents(here(), memory({A: known_agent()}))
    assert take == i.TakeLease(
        repo=REPO, issue=7, label="hive:a", prefix="hive:", expires_s=21600, because=f"{A} is to have it"
    )
    held = after(memory({A: known_agent()}), take, "done")
    (claim,) = intents(here(), held)
    assert isinstance(claim, i.ClaimWork)
    mine = Label("hive:a", None, NOW)
    working = after(held, claim, "done")
    long_after = here(mine, at=NOW + timedelta(minutes=30))
    assert not any(isinstance(one, i.DropLease) for one in intents(long_after, working))
    unused = replace(held, agents={})
    drops = [one for one in intents(long_after, unused) if isinstance(one, i.DropLease)]
    assert drops == [i.DropLease(repo=REPO, issue=7, label="hive:a", because="nobody works on it")]
    assert after(unused, drops[0], "done").leases == {}


def test_an_issue_that_another_hive_has_is_not_offered_until_its_lease_is_over() -> None:
    theirs = Label("Hive:b", None, NOW)
    known = memory({A: known_agent()})
    assert intents(here(theirs), known) == []
    late = here(theirs, at=NOW + SIX)
    assert [type(one) for one in intents(late, known)] == [i.TakeLease]
    assert intents(here(Label("hive:b")), known) == []


def test_who_was_second_leaves_the_issue_alone_for_a_while() -> None:
    known = memory({A: known_agent()})
    (take,) = intents(here(), known)
    lost = after(known, take, "moved")
    assert intents(here(), lost) == []
    assert [type(one) for one in intents(here(at=NOW + timedelta(minutes=15)), lost)] == [i.TakeLease]


def test_a_lease_that_would_end_within_the_task_is_taken_anew() -> None:
    known = replace(memory({A: known_agent()}), leases={KEY: NOW - timedelta(hours=4, minutes=1)})
    assert [type(one) for one in intents(here(), known) if not isinstance(one, i.DropLease)] == [i.TakeLease]


@pytest.mark.parametrize(
    ("mine", "theirs", "holder"),
    [
        (0, 5, ""),
        (5, 0, "hive b has it (label hive:b)"),
        (5, 5, "hive b has it (label hive:b)"),
        (5, None, "hive b has it (label hive:b)"),
        (None, 5, "label hive:a is not on it"),
    ],
)
def test_who_was_first_by_the_forges_clock_has_it_and_in_one_second_nobody(
    mine: int | None, theirs: int | None, holder: str
) -> None:
    labels = tuple(
        Label(name, None, NOW + timedelta(seconds=seconds) if seconds is not None else None)
        for name, seconds in (("hive:a", mine), ("hive:b", theirs))
        if name == "hive:b" or seconds is not None
    )
    assert first_of(labels, "hive:a", "hive:", SIX, NOW) == holder


class _Forge:
    """Labels with whole seconds, as GitHub has them; each step of a hive is one request."""

    def __init__(self) -> None:
        self.at: dict[str, datetime] = {}

    def taking(self, name: str, now: list[datetime], won: set[str]) -> Generator[None]:
        label = f"hive:{name}"
        yield
        self.at.pop(label, None)
        yield
        self.at[label] = now[0].replace(microsecond=0)
        yield
        timed = dict(self.at)
        yield
        labels = tuple(Label(one, None, timed.get(one)) for one in self.at)
        if first_of(labels, label, "hive:", SIX, now[0]):
            yield
            self.at.pop(label, None)
        else:
            won.add(name)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1500)), max_size=40))
def test_however_the_requests_of_three_hives_interleave_at_most_one_has_the_issue(
    steps: list[tuple[str, int]],
) -> None:
    """Each may be killed at any step and begin anew; who has the issue keeps it."""
    forge, now, won = _Forge(), [NOW], set[str]()
    running = {name: forge.taking(name, now, won) for name in "abc"}
    for name, milliseconds in steps:
        now[0] += timedelta(milliseconds=milliseconds)
        if name not in won and next(running[name], "over") == "over" and name not in won:
            running[name] = forge.taking(name, now, won)
        assert len(won) <= 1
