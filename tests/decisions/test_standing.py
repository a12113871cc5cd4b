"""Standing work: when it is due, that a restart begins none early, and that it never starves the queue."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.decisions.standing.rows import standing_rows
from hive.decisions.standing_policy import StandingDuty
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.governor import LoadMode
from hive.facts.memory import IssueMemory, Memory
from hive.facts.work import TaskKind, TaskState, task_id
from hive.facts.world import Unseen, World
from tests.decisions.worlds import NOW, REPO, issue, known_agent, look, memory, policy, sighting, spec, world

A = "quality-1"
HOUR = timedelta(hours=1)
DUTY = StandingDuty("quality", "look over the tests", {LoadMode.IDLE: HOUR, LoadMode.QUIET: 2 * HOUR})
WISHES = policy(standing=(DUTY,))
KEY = f"{REPO.casefold()} quality"


def loaded(mode: LoadMode = LoadMode.IDLE, known: Memory | None = None) -> Memory:
    event = e.LoadModeChanged(mode=mode, pressure=0, why="w")
    before = known or memory({A: known_agent()})
    return recall(before, [e.Record(before.seq + 1, NOW - HOUR, 1, event)])


def here(*numbers: int, at: datetime = NOW) -> World:
    return replace(world(sighting(A), repos={REPO: look([issue(n) for n in numbers])}), now=at)


def claims(seen: World, known: Memory, wishes: Policy = WISHES) -> list[i.ClaimWork]:
    return [one for one in plan(seen, known, wishes).intents if isinstance(one, i.ClaimWork)]


def done(known: Memory, intent: i.Intent, at: datetime) -> Memory:
    events: tuple[e.Event, ...] = (
        e.IntentStarted(intent_id=intent.id, body=intent),
        e.IntentFinished(intent_id=intent.id, about=intent.subject, outcome="done"),
    )
    return recall(known, [e.Record(known.seq + n, at, 1, event) for n, event in enumerate(events, 1)])


def over(known: Memory, at: datetime) -> Memory:
    """Every open task is over."""
    for task in [one for one in known.tasks.values() if one.is_open]:
        finish = i.FinishTask(task=task.id, repo=task.repo, issue=task.issue, outcome="done")
        known = done(known, finish, at)
    return known


def test_what_was_never_begun_is_begun_at_once_and_then_when_it_is_due() -> None:
    (claim,) = claims(here(), loaded())
    assert claim == i.ClaimWork(
        task=task_id(REPO, 0, 1),
        agent=A,
        repo=REPO,
        issue=0,
        attempt=1,
        branch=f"hive/{A}/standing-1",
        kind=TaskKind.STANDING,
        items=("quality",),
        because="standing work of quality",
    )
    begun = done(loaded(), claim, NOW)
    assert claims(here(at=NOW + 2 * HOUR), begun) == []
    ended = over(begun, NOW + timedelta(minutes=5))
    assert claims(here(at=NOW + timedelta(minutes=59)), ended) == []
    (second,) = claims(here(at=NOW + HOUR), ended)
    assert (second.task, second.attempt) == (task_id(REPO, 0, 2), 2)


@pytest.mark.parametrize(
    ("mode", "minutes", "due"),
    [
        (LoadMode.IDLE, 60, True),
        (LoadMode.QUIET, 119, False),
        (LoadMode.QUIET, 120, True),
        (LoadMode.BUSY, 9999, False),
    ],
)
def test_the_load_sets_the_cadence(mode: LoadMode, minutes: int, due: bool) -> None:
    known = replace(loaded(mode), standing={KEY: NOW})
    assert bool(claims(here(at=NOW + timedelta(minutes=minutes)), known)) is due


def test_nothing_is_begun_while_the_load_or_the_repository_is_not_known() -> None:
    assert claims(here(), memory({A: known_agent()})) == []
    assert claims(world(sighting(A), repos={REPO: Unseen("no answer", NOW)}), loaded()) == []
    assert claims(here(), loaded(), replace(WISHES, level=policy(level=1).level)) == []


def test_where_issues_wait_nobody_gets_standing_work_twice_in_a_row() -> None:
    (first,) = claims(here(7), loaded())
    assert first.kind is TaskKind.STANDING
    known = over(done(loaded(), first, NOW), NOW)
    later = NOW + 3 * HOUR
    (second,) = claims(here(7, at=later), known)
    assert (second.kind, second.issue) == (TaskKind.ISSUE, 7)
    (third,) = claims(here(8, at=later), over(done(known, second, later), later))
    assert third.kind is TaskKind.STANDING


def test_an_issue_that_its_level_lets_nobody_take_keeps_nobody_from_standing_work() -> None:
    (first,) = claims(here(7), loaded())
    known = over(done(loaded(), first, NOW), NOW)
    left = replace(
        known, issues={**known.issues, f"{REPO}#7": IssueMemory(attempts=1, last_outcome="failed")}
    )
    assert [one.kind for one in claims(here(7, at=NOW + HOUR), left)] == [TaskKind.STANDING]


@pytest.mark.parametrize(
    ("turn", "found", "outcome"),
    [
        ("done", False, ("done", "nothing was found")),
        ("done", True, ("finding", "F1")),
        ("error", False, ("failed", "error")),
        ("asked", False, ("asked", "")),
    ],
)
def test_it_ends_by_what_came_of_it_and_is_not_tried_again(
    turn: str, found: bool, outcome: tuple[str, str]
) -> None:
    (claim,) = claims(here(), loaded())
    known = done(loaded(), claim, NOW)
    events: list[e.Event] = [e.TurnEnded(agent=A, task=claim.task, prompt_id="p", outcome=turn, detail="")]
    if found:
        told = e.FindingRecorded(agent=A, finding_id="F1", repo=REPO, title="t", body="", task=claim.task)
        events.insert(0, told)
    known = recall(known, [e.Record(known.seq + n, NOW, 1, event) for n, event in enumerate(events, 1)])
    ends = [one for one in plan(here(), known, WISHES).intents if isinstance(one, i.FinishTask)]
    assert [(one.outcome, one.detail) for one in ends] == [outcome]
    assert claims(here(at=NOW + timedelta(minutes=30)), done(known, ends[0], NOW)) == []


def test_status_says_when_next_and_why() -> None:
    known = replace(loaded(), standing={KEY: NOW})
    (row,) = standing_rows(here(), known, WISHES)
    assert row == {
        "role": "quality",
        "repo": REPO,
        "last": "2026-11-30T12:00:00Z",
        "next": "2026-11-30T13:00:00Z",
        "because": "every 1h while the load is idle",
    }
    (busy,) = standing_rows(here(), loaded(LoadMode.BUSY), WISHES)
    assert (busy["next"], busy["because"]) == (None, "not while the load is busy")
    other = replace(WISHES, agents=(spec("scanner-1", "scanner"),))
    (nobody,) = standing_rows(here(), loaded(), other)
    assert (nobody["next"], nobody["because"]) == (None, "no agent of role quality is started there")


@given(st.lists(st.tuples(st.integers(1, 50), st.sampled_from(["tick", "restart", "end"])), max_size=40))
def test_whatever_restarts_come_no_work_is_begun_early(steps: list[tuple[int, str]]) -> None:
    known, at, begun = loaded(), NOW, list[datetime]()
    for minutes, step in steps:
        at += timedelta(minutes=minutes)
        if step == "end":
            known = over(known, at)
        elif step == "restart":
            started = e.SupervisorStarted(pid=1, version="v", boot="b")
            known = recall(known, [e.Record(known.seq + 1, at, 0, started)])
            known = replace(known, agents={A: known_agent()})
        for claim in claims(here(at=at), known):
            begun.append(at)
            known = done(known, claim, at)
        assert claims(here(at=at), known) == []
    assert all(later - former >= HOUR for former, later in pairwise(begun))
    assert sum(task.state is TaskState.CLAIMED for task in known.tasks.values()) <= 1
