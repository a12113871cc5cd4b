from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.budgets import Accounts
from hive.decisions.governor import Pressure, forecast, mode_of_load, news
from hive.decisions.governor_policy import GovernorPolicy, Weights
from hive.decisions.notice_load import load_changes, load_row, pressures
from hive.decisions.plan_claims import claims, free_agents
from hive.decisions.policy import Policy
from hive.decisions.triage import Lane, TriagePolicy
from hive.facts.forge import Label
from hive.facts.governor import GovernorMemory, LoadMode
from hive.facts.memory import Memory
from hive.facts.work import Task, TaskState
from hive.facts.world import Unseen, World
from tests.decisions.worlds import (
    ADA,
    NOW,
    OTHER,
    REPO,
    issue,
    known_agent,
    look,
    memory,
    opened,
    policy,
    sighting,
    spec,
    task,
    world,
)

IDLE, QUIET, BUSY, SURGE = LoadMode.IDLE, LoadMode.QUIET, LoadMode.BUSY, LoadMode.SURGE
MINUTE = timedelta(minutes=1)
PLAIN = GovernorPolicy()


def was(mode: LoadMode, minutes: int = 10) -> GovernorMemory:
    return GovernorMemory(mode, NOW - minutes * MINUTE, 0, "")


def now_in(mode: LoadMode, total: float, minutes: int = 10, *, is_whole: bool = True) -> LoadMode:
    return mode_of_load(total, was(mode, minutes), PLAIN, NOW, is_whole=is_whole)


@pytest.mark.parametrize(
    ("total", "mode"),
    [(0, IDLE), (0.9, IDLE), (1, QUIET), (9.9, QUIET), (10, BUSY), (19.9, BUSY), (20, SURGE), (500, SURGE)],
)
def test_at_first_the_load_alone_decides(total: float, mode: LoadMode) -> None:
    assert mode_of_load(total, None, PLAIN, NOW, is_whole=True) is mode


def test_what_hovers_about_a_threshold_does_not_flap() -> None:
    assert now_in(QUIET, 10) is BUSY
    assert now_in(BUSY, 9.9) is BUSY
    assert now_in(BUSY, 8) is BUSY
    assert now_in(BUSY, 7.9) is QUIET


def test_a_mode_lasts_but_a_surge_begins_at_once() -> None:
    assert now_in(QUIET, 15, minutes=4) is QUIET
    assert now_in(QUIET, 15, minutes=5) is BUSY
    assert now_in(QUIET, 20, minutes=0) is SURGE
    assert now_in(SURGE, 0, minutes=4) is SURGE
    assert now_in(SURGE, 0, minutes=5) is IDLE


def test_what_was_not_seen_is_not_taken_for_empty() -> None:
    assert now_in(BUSY, 0, is_whole=False) is BUSY
    assert now_in(QUIET, 20, is_whole=False) is SURGE
    assert news(0, "", None, PLAIN, NOW, is_whole=False) is None


def test_a_person_is_told_what_would_change_the_mode() -> None:
    assert forecast(IDLE, 0, PLAIN) == "pressure 0; quiet from 1"
    assert forecast(BUSY, 12, PLAIN) == "pressure 12; surge from 20, lower below 8"
    assert forecast(SURGE, 30, PLAIN) == "pressure 30; lower below 16"


def waiting_world(*numbers: int, repo: str = REPO) -> World:
    return world(sighting(), repos={repo: look([replace(issue(n), repo=repo) for n in numbers], repo=repo)})


def test_pressure_counts_what_waits_and_not_what_an_agent_is_at() -> None:
    held = memory(None, task(7))
    held = replace(
        held,
        pulls={
            f"{REPO}#31": opened(judged=(("check-failed", "build", ""), ("conflict", "main", ""))),
            f"{REPO}#32": opened(judged=(("conflict", "main", ""),)),
            f"{REPO}#33": opened(judged=(("hold", "hold", ""),)),
            f"{REPO}#34": opened(state="merged", judged=(("conflict", "main", ""),)),
        },
    )
    wishes = policy(governor=GovernorPolicy(sla={"": timedelta(hours=1)}))
    found = pressures(waiting_world(7, 8, 9), held, wishes)
    assert found == {REPO: Pressure(issues=2, pulls=1, red=1, breaches=2)}
    assert found[REPO].total(wishes.governor) == 2 + 2 + 3 + 10
    assert found[REPO].words == (
        "2 issues, 1 pull request for agents, 1 failing pull request, 2 issues over its SLA"
    )


def test_a_change_of_mode_is_news_once_and_stands_in_the_status() -> None:
    wishes = policy()
    (changed,) = load_changes(waiting_world(7, 8), memory(), wishes)
    assert (changed.mode, changed.pressure, changed.why) == (QUIET, 2, "2 issues")
    known = memory(load=GovernorMemory(QUIET, NOW, 2, "2 issues"))
    assert list(load_changes(waiting_world(7, 8), known, wishes)) == []
    row = load_row(waiting_world(7, 8), known, wishes)
    assert row is not None
    assert (row["mode"], row["changes"]) == ("quiet", "pressure 2; busy from 10, lower below 0.8")


def test_a_repository_out_of_sight_changes_nothing_downwards() -> None:
    hidden = world(sighting(), repos={REPO: Unseen("no answer", NOW)})
    known = memory(load=was(SURGE))
    assert list(load_changes(hidden, known, policy())) == []


def given_to(around: World, known: Memory, wishes: Policy) -> list[tuple[str, str, int]]:
    accounts = Accounts(known.spending, wishes.budgets, around.now)
    free = free_agents(around, known, wishes)
    return [(one.agent, one.repo, one.issue) for one in claims(free, around, known, wishes, accounts)]


TEAM = tuple(spec(f"a-{n}", role="quality", repos=(REPO, OTHER)) for n in range(1, 4))
FREE = {one.name: known_agent() for one in TEAM}


def two(here: tuple[int, ...], there: tuple[int, ...]) -> World:
    return world(
        *(sighting(one.name) for one in TEAM),
        repos={
            REPO: look([issue(n) for n in here]),
            OTHER: look([replace(issue(n), repo=OTHER) for n in there], repo=OTHER),
        },
    )


def test_repositories_are_served_in_turn() -> None:
    assert given_to(two((1, 2, 3), (4,)), memory(FREE), policy(*TEAM)) == [
        ("a-1", OTHER, 4),
        ("a-2", REPO, 1),
        ("a-3", REPO, 2),
    ]


def test_a_mode_gives_no_more_tasks_than_it_has_slots() -> None:
    wishes = policy(*TEAM, governor=GovernorPolicy(slots={BUSY: 2}))
    around = two((1, 2, 3), (4,))
    assert len(given_to(around, memory(FREE, load=was(BUSY)), wishes)) == 2
    assert len(given_to(around, memory(FREE, load=was(SURGE)), wishes)) == 3
    assert len(given_to(around, memory(FREE, task(9, "a-1"), load=was(BUSY)), wishes)) == 1


def test_with_one_slot_the_repository_that_waited_longest_is_next() -> None:
    wishes = policy(*TEAM, governor=GovernorPolicy(slots={BUSY: 1}))
    done = replace(task(1, "a-1"), state=TaskState.FINISHED, outcome="closed")
    assert given_to(two((2, 3), (4,)), memory(FREE, done, load=was(BUSY)), wishes) == [("a-1", OTHER, 4)]


def test_a_larger_share_gets_more_of_the_slots() -> None:
    wishes = policy(*TEAM, governor=GovernorPolicy(shares={REPO: 2.0}))
    given_ = given_to(two((1, 2, 3), (4, 5, 6)), memory(FREE), wishes)
    assert [repo for _, repo, _ in given_].count(REPO) == 2


def test_a_role_gets_no_task_before_its_cadence_also_after_a_restart() -> None:
    governor = GovernorPolicy(cadence={"quality": {IDLE: timedelta(hours=1)}})
    wishes = policy(*TEAM, governor=governor)
    done = replace(task(9, "a-1"), state=TaskState.FINISHED, outcome="closed")
    known = memory(FREE, done, load=was(IDLE))
    assert given_to(two((1,), ()), known, wishes) == []
    later = replace(two((1,), ()), now=NOW + timedelta(hours=1))
    assert len(given_to(later, known, wishes)) == 1
    assert len(given_to(two((1,), ()), replace(known, load=was(BUSY)), wishes)) == 1


def test_the_oldest_issue_of_all_gets_every_fourth_task() -> None:
    lanes = TriagePolicy(lanes=(Lane("bug", labels=("bug",)),))
    wishes = policy(spec("a-1"), triage=lanes)
    old = issue(1)
    bugs = [replace(issue(n), labels=(Label("bug", ADA, NOW),)) for n in (5, 6)]
    around = world(sighting("a-1"), repos={REPO: look([old, *bugs])})
    done = [replace(task(n, "a-1"), state=TaskState.FINISHED, outcome="closed") for n in (2, 3, 4)]
    free = {"a-1": known_agent()}
    assert given_to(around, memory(free, *done[:2]), wishes) == [("a-1", REPO, 5)]
    assert given_to(around, memory(free, *done), wishes) == [("a-1", REPO, 1)]


@given(
    st.lists(st.sampled_from([REPO, OTHER]), min_size=1, max_size=12),
    st.integers(1, 3),
    st.sampled_from(LoadMode),
)
def test_every_eligible_issue_gets_a_slot_within_a_bound_in_every_mode(
    where: list[str], slots: int, mode: LoadMode
) -> None:
    governor = GovernorPolicy(slots=dict.fromkeys(LoadMode, slots))
    wishes = policy(*TEAM, governor=governor)
    left = dict(enumerate(where, start=1))
    done: list[Task] = []
    for step in range(len(where)):
        around = two(
            tuple(n for n, repo in left.items() if repo == REPO),
            tuple(n for n, repo in left.items() if repo == OTHER),
        )
        given_ = given_to(
            replace(around, now=NOW + step * MINUTE), memory(FREE, *done, load=was(mode)), wishes
        )
        assert len(given_) <= slots
        for agent, repo, number in given_:
            assert left.pop(number) == repo
            made = replace(task(number, agent), repo=repo, claimed_at=NOW + step * MINUTE)
            done.append(replace(made, state=TaskState.FINISHED, outcome="closed"))
    assert left == {}


@given(st.floats(0, 100), st.sampled_from(LoadMode), st.integers(0, 20), st.booleans())
def test_a_mode_that_was_just_decided_stands(total: float, mode: LoadMode, minutes: int, whole: bool) -> None:
    decided = mode_of_load(total, was(mode, minutes), PLAIN, NOW, is_whole=whole)
    again = GovernorMemory(decided, NOW, total, "")
    assert mode_of_load(total, again, PLAIN, NOW, is_whole=whole) in (decided, SURGE)


def test_weights_may_make_a_part_count_for_nothing() -> None:
    nothing = GovernorPolicy(weights=Weights(issue=0, pull=0, red=0, breach=0))
    assert Pressure(9, 9, 9, 9).total(nothing) == 0
