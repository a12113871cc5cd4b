"""Who gets which issue, and how tasks end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.decisions.released import text_digest
from hive.decisions.triage import Lane, TriagePolicy
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentState
from hive.facts.autonomy import AcmmLevel
from hive.facts.findings import Finding
from hive.facts.forge import Label
from hive.facts.memory import IssueMemory, Memory, Pause
from hive.facts.screens import ScreenState
from hive.facts.work import Task, task_id
from hive.facts.world import World
from tests.decisions.worlds import (
    NOW,
    OTHER,
    REPO,
    SECOND,
    issue,
    known_agent,
    look,
    memory,
    opened,
    policy,
    prompted,
    sighting,
    spec,
    task,
    world,
)

A, B = "quality-1", "quality-2"
TWO = policy(spec(A), spec(B))
KEY = f"{REPO}#7"


def claims(seen: World, known: Memory, wishes: Policy | None = None) -> list[tuple[str, str]]:
    """Agent and issue of every claim."""
    intents = plan(seen, known, wishes or policy()).intents
    return [(one.agent, one.subject) for one in intents if isinstance(one, i.ClaimWork)]


def ends(seen: World, known: Memory, wishes: Policy | None = None) -> list[tuple[str, str, str]]:
    """Tag, outcome (or time of rest in seconds) and reason of every end of a task."""
    found = []
    for one in plan(seen, known, wishes or policy()).intents:
        if isinstance(one, i.FinishTask):
            found.append(("finish", one.outcome, one.detail))
        elif isinstance(one, i.ReleaseTask):
            found.append(("release", str(int((one.until - seen.now).total_seconds())), one.because))
    return found


def here(*numbers: int, state: ScreenState = ScreenState.READY) -> World:
    return world(sighting(A, state), repos={REPO: look([issue(number) for number in numbers])})


def tried(**changes: object) -> Memory:
    return memory(issues={KEY: replace(IssueMemory(attempts=1), **changes)})  # type: ignore[arg-type]


def test_each_free_agent_gets_one_issue_oldest_first() -> None:
    seen = world(sighting(A), sighting(B), repos={REPO: look([issue(9), issue(8), issue(7)])})
    both = memory({A: known_agent(), B: known_agent()})
    assert claims(seen, both, TWO) == [(A, f"{REPO}#7"), (B, f"{REPO}#8")]


def test_a_claim_says_everything_that_the_task_will_be() -> None:
    (claim,) = plan(here(7), memory(), policy()).intents
    assert claim == i.ClaimWork(
        task=task_id(REPO, 7, 1),
        agent=A,
        repo=REPO,
        issue=7,
        attempt=1,
        branch=f"hive/{A}/7-crash-number-7",
        snapshot=text_digest(issue(7)),
        because="ada wrote it, MEMBER",
    )


def test_an_agent_takes_work_of_its_lanes_only_and_one_without_lanes_takes_any() -> None:
    lanes = TriagePolicy(lanes=(Lane("bug", labels=("bug",)), Lane("docs", labels=("docs",))))
    wishes = policy(spec(A, lanes=("docs",)), spec(B), triage=lanes)
    issues = [issue(7, labels=(Label("bug"),)), issue(8), issue(9, labels=(Label("docs"),))]
    seen = world(sighting(A), sighting(B), repos={REPO: look(issues)})
    both = memory({A: known_agent(), B: known_agent()})
    assert claims(seen, both, wishes) == [(B, f"{REPO}#7"), (A, f"{REPO}#9")]


def test_repositories_take_turns_by_rank() -> None:
    names = [f"agent-{n}" for n in range(4)]
    wishes = policy(*[spec(name, repos=(REPO, OTHER)) for name in names])
    seen = world(
        *[sighting(name) for name in names],
        repos={
            REPO: look([issue(1), issue(2)]),
            OTHER: look([issue(5, repo=OTHER), issue(6, repo=OTHER)], repo=OTHER),
        },
    )
    known = memory({name: known_agent() for name in names})
    assert [what for _, what in claims(seen, known, wishes)] == [
        f"{OTHER}#5",
        f"{REPO}#1",
        f"{OTHER}#6",
        f"{REPO}#2",
    ]


def test_an_issue_that_rests_is_tried_again_when_its_rest_is_over() -> None:
    assert claims(here(7), tried(last_outcome="released", rests_until=NOW + SECOND)) == []
    assert claims(here(7), tried(last_outcome="released", rests_until=NOW)) == [(A, KEY)]


@pytest.mark.parametrize("outcome", ["pull-request", "asked", "refused", "failed", "quarantined"])
def test_what_ended_for_good_is_left_to_people(outcome: str) -> None:
    assert claims(here(7), tried(last_outcome=outcome)) == []


def test_a_finding_becomes_work_when_the_level_rises() -> None:
    found = tried(last_outcome="finding")
    scanner = spec(A, "scanner")
    assert claims(here(7), found, policy(scanner, level=2)) == []
    assert claims(here(7), found, policy(scanner, level=4)) == []
    assert claims(here(7), found, policy(scanner, level=5)) == [(A, KEY)]


def test_an_issue_with_an_open_pull_request_of_an_agent_is_not_offered() -> None:
    known = memory(pulls={f"{REPO}#31": opened(issue=7)})
    assert claims(here(7), known) == []
    assert claims(here(7), memory(pulls={f"{REPO}#31": opened(issue=7, state="closed")})) == [(A, KEY)]
    assert claims(here(7), memory(pulls={f"{OTHER}#31": opened(issue=7)})) == [(A, KEY)]


def test_a_paused_agent_gets_nothing() -> None:
    paused = known_agent(pause=Pause("ada", "lunch", NOW))
    assert claims(here(7), memory({A: paused})) == []
    assert plan(here(7), memory({A: paused}, task(7)), policy()).intents != ()
    paused_state = replace(paused, state=AgentState.PAUSED)
    assert plan(here(7), memory({A: paused_state}, task(7)), policy()).intents == ()


@pytest.mark.parametrize("state", [state for state in AgentState if state not in ("ready", "failed")])
def test_only_an_agent_whose_composer_is_free_gets_work(state: AgentState) -> None:
    busy = replace(known_agent(), state=state)
    assert claims(here(7, state=ScreenState.WORKING), memory({A: busy})) == []


def test_an_agent_with_a_task_gets_no_second_one_and_its_issue_goes_to_nobody() -> None:
    seen = world(sighting(A, ScreenState.WORKING), sighting(B), repos={REPO: look([issue(7)])})
    known = memory({A: known_agent(), B: known_agent()}, prompted())
    assert claims(seen, known, TWO) == []


def test_an_agent_that_the_level_gives_no_mode_gets_nothing_there() -> None:
    wishes = policy(spec(A, repos=(REPO, OTHER)), repo_levels={REPO: AcmmLevel.L1})
    seen = world(sighting(A), repos={REPO: look([issue(7)]), OTHER: look([issue(8, repo=OTHER)], repo=OTHER)})
    assert claims(seen, memory(), wishes) == [(A, f"{OTHER}#8")]


# Ends.


def ended(turn: str, **changes: object) -> Task:
    return replace(prompted(), turn=turn, **changes)  # type: ignore[arg-type]  # the tests name fields


def test_a_turn_that_opened_a_pull_request_ends_the_task_with_it() -> None:
    known = memory(None, ended("done"), pulls={f"{REPO}#31": opened(task=prompted().id)})
    assert ends(here(7), known) == [("finish", "pull-request", f"{REPO}#31")]


def test_a_pull_request_amid_a_turn_ends_nothing() -> None:
    known = memory(None, prompted(), pulls={f"{REPO}#31": opened(task=prompted().id)})
    assert ends(here(7, state=ScreenState.WORKING), known) == []


def test_a_pull_request_of_an_agent_that_crashed_ends_the_task() -> None:
    crashed = replace(known_agent(), state=AgentState.CRASHED)
    known = memory({A: crashed}, prompted(), pulls={f"{REPO}#31": opened(task=prompted().id)})
    assert ends(world(repos={REPO: look([issue(7)])}), known) == [("finish", "pull-request", f"{REPO}#31")]


def test_a_turn_that_recorded_a_finding_ends_the_task_with_it() -> None:
    finding = Finding("F3", A, REPO, 7, "found", "", NOW, task=prompted().id)
    assert ends(here(7), memory(None, ended("done"), findings=(finding,))) == [("finish", "finding", "F3")]


@pytest.mark.parametrize("turn", ["asked", "refused"])
def test_a_turn_that_asked_or_refused_is_left_to_people(turn: str) -> None:
    assert ends(here(7), memory(None, ended(turn, detail="which one?"))) == [("finish", turn, "which one?")]


@pytest.mark.parametrize(("attempt", "rest"), [(1, "60"), (2, "120")])
def test_a_turn_without_a_result_rests_the_issue_twice_as_long_each_time(attempt: int, rest: str) -> None:
    without = ended("done", attempt=attempt)
    reason = "the agent ended without a pull request or a finding"
    assert ends(here(7), memory(None, without)) == [("release", rest, reason)]


def test_the_last_attempt_that_fails_leaves_the_issue_to_people() -> None:
    last = ended("error", detail="overloaded", attempt=3)
    assert ends(here(7), memory(None, last)) == [("finish", "failed", "3 attempts: overloaded")]


def test_an_issue_under_which_two_agents_crashed_is_quarantined() -> None:
    starting = replace(known_agent(), state=AgentState.STARTING)
    for killed, expected in ((1, []), (2, [("finish", "quarantined", "2 agents crashed on it")])):
        known = memory({A: starting}, prompted(), issues={KEY: IssueMemory(killed_agents=killed)})
        assert ends(here(7, state=ScreenState.STARTING), known) == expected


def test_each_crash_amid_work_counts_against_the_issue_and_none_before_the_prompt() -> None:
    crash = e.Record(2, NOW, 1, e.AgentChanged(agent=A, state="crashed"))
    assert recall(memory(None, prompted()), [crash]).issues[KEY].killed_agents == 1
    assert recall(memory(None, task()), [crash]).issues.get(KEY) is None


def test_a_task_that_takes_longer_than_the_deadline_is_released() -> None:
    old = replace(prompted(), claimed_at=NOW - timedelta(hours=2, seconds=1))
    assert ends(here(7, state=ScreenState.WORKING), memory(None, old)) == []
    assert ends(world(sighting(B), repos={REPO: look([issue(7)])}), memory(None, old)) == [
        ("release", "60", "it took longer than the deadline")
    ]


def test_the_last_attempt_that_takes_too_long_leaves_the_issue_to_people() -> None:
    old = replace(prompted(), claimed_at=NOW - timedelta(hours=2, seconds=1), attempt=3)
    assert ends(world(sighting(B), repos={REPO: look([issue(7)])}), memory(None, old)) == [
        ("finish", "failed", "3 attempts: it took longer than the deadline")
    ]


def test_a_task_of_an_agent_that_is_no_longer_configured_is_released() -> None:
    known = memory({A: known_agent()}, prompted())
    reason = "its agent is no longer in the configuration"
    assert ends(here(7), known, policy(spec(B))) == [("release", "60", reason)]
    assert ends(here(7), known, policy(spec(B), retired=frozenset({A}))) == []


def test_a_task_that_its_agent_never_began_is_released_when_the_level_falls() -> None:
    expected = [("release", "60", "its agent is not started at this level")]
    low = policy(level=1)
    assert ends(here(7), memory(None, task()), low) == expected
    gone = memory({A: replace(known_agent(), state=AgentState.NOT_STARTED)}, prompted())
    assert ends(world(repos={REPO: look([issue(7)])}), gone, low) == expected
    assert ends(here(7, state=ScreenState.WORKING), memory(None, prompted()), low) == []


def test_a_claimed_issue_that_was_closed_meanwhile_ends_before_any_prompt() -> None:
    assert ends(here(), memory(None, task())) == [("finish", "closed", "the issue is no longer open")]
    assert ends(here(state=ScreenState.WORKING), memory(None, prompted())) == []
