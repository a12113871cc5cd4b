"""What the journal is told of a look: each change once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.notice import notice
from hive.decisions.policy import Policy
from hive.decisions.ports_seen import port_events
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.actors import Actor
from hive.facts.agents import AgentSighting, AgentState, Turn
from hive.facts.forge import PullRequest
from hive.facts.memory import Memory, Pause
from hive.facts.screens import ScreenState
from hive.facts.world import Unseen, World
from tests.decisions.worlds import (
    HEAD,
    NOW,
    REPO,
    held,
    issue,
    known_agent,
    look,
    memory,
    opened,
    policy,
    prompted,
    pull,
    sighting,
    spec,
    task,
    world,
)

A = "quality-1"
SEEN = world(sighting())


def told(seen: World, known: Memory, wishes: Policy | None = None) -> list[e.Event]:
    return list(notice(seen, known, wishes or policy()))


def remembered(known: Memory, events: list[e.Event]) -> Memory:
    return recall(known, [e.Record(known.seq + n, NOW, 1, event) for n, event in enumerate(events, 1)])


def states(seen: World, known: Memory, wishes: Policy | None = None) -> list[tuple[str, str]]:
    events = told(seen, known, wishes)
    return [(one.state, one.detail) for one in events if isinstance(one, e.AgentChanged)]


def test_whatever_a_look_tells_it_tells_once() -> None:
    seen = world(
        sighting(state=ScreenState.ASKING),
        repos={REPO: look([issue(7), issue(8)], [pull(31)], [pull(30, state="merged")])},
    )
    known = memory(pulls={f"{REPO}#{n}": opened() for n in (30, 31)})
    first = told(seen, known)
    assert [e.kind_of(one) for one in first] == [
        "agent-changed",
        "issue-triaged",
        "issue-triaged",
        "pull-request-judged",
        "pull-request-ended",
    ]
    assert told(seen, remembered(known, first)) == []


def test_nothing_is_told_of_what_was_not_seen() -> None:
    blind = world(unseen="away", repos={REPO: Unseen("away", NOW)})
    assert told(blind, memory(None, prompted(), pulls={f"{REPO}#31": opened()})) == []


@pytest.mark.parametrize(
    "state", ["starting", "ready", "working", "asking", "blocked", "limited", "failed", "context-full"]
)
def test_a_session_that_is_gone_though_nobody_stopped_it_is_a_crash(state: str) -> None:
    known = memory({A: replace(known_agent(), state=state)})
    assert states(world(), known) == [("crashed", "its session is gone")]


def test_a_session_that_hive_stopped_is_absent() -> None:
    assert states(world(), memory({A: replace(known_agent(), token_digest="")})) == [("absent", "")]


@pytest.mark.parametrize("state", ["crashed", "failed-to-start", "hung"])
def test_what_an_agent_came_to_stays_known_until_its_next_start(state: str) -> None:
    assert states(world(), memory({A: replace(known_agent(), state=state, detail="why")})) == []


def test_a_role_that_the_level_does_not_start_is_told_as_such() -> None:
    expected = [("not-started", "role quality is not started at this level")]
    assert states(world(), memory({}), policy(level=1)) == expected


def test_a_pause_shows_on_a_free_agent_and_on_an_absent_one_and_not_amid_work() -> None:
    paused = memory({A: known_agent(pause=Pause("ada", "lunch", NOW))})
    assert states(SEEN, paused) == states(world(), paused) == [("paused", "by ada: lunch")]
    assert states(world(sighting(state=ScreenState.WORKING)), paused) == [("working", "")]


def test_three_agents_of_a_server_that_died_are_told_in_one_look() -> None:
    names = ("a", "b", "c")
    wishes = policy(*[spec(name, role) for name, role in zip(names, ("quality", "guide", "x"), strict=True)])
    known = memory({name: known_agent() for name in names})
    assert [one.subject for one in told(world(), known, wishes) if isinstance(one, e.AgentChanged)] == [
        *names
    ]


def test_without_a_transcript_a_turn_ends_when_the_composer_is_free_again() -> None:
    at_work = replace(prompted(), state=prompted().state.WORKING)

    def ended(seen: AgentSighting) -> list[str]:
        events = told(world(seen), memory(None, at_work))
        return [one.outcome for one in events if isinstance(one, e.TurnEnded)]

    assert ended(sighting(turns=None)) == ["done"]
    assert ended(sighting(state=ScreenState.WORKING, turns=None)) == []
    assert ended(sighting(state=ScreenState.ASKING, turns=None)) == []


def test_a_turn_whose_end_was_never_written_ends_when_its_agent_has_long_been_at_rest() -> None:
    at_work = replace(prompted(), state=prompted().state.WORKING)
    unfinished = (Turn(at_work.prompt_id, ended=False),)

    def ended(seen: AgentSighting) -> list[tuple[str, str]]:
        events = told(world(seen), memory(None, at_work))
        return [(one.outcome, one.detail) for one in events if isinstance(one, e.TurnEnded)]

    def since(seconds: int, state: ScreenState = ScreenState.READY) -> AgentSighting:
        resting = replace(sighting(state=state), turns=unfinished)
        return replace(resting, screen_since=NOW - timedelta(seconds=seconds))

    assert ended(since(29)) == []
    assert ended(since(30)) == [("error", "it rests, and its transcript tells of no end")]
    assert ended(since(3600, ScreenState.WORKING)) == []
    assert ended(since(3600, ScreenState.ASKING)) == []


# Pull requests that the journal missed.


def adopted(seen: PullRequest, known: Memory | None = None) -> list[e.PullRequestOpened]:
    events = told(world(sighting(), repos={REPO: look(pulls=[seen])}), known or memory(None, task()))
    return [one for one in events if isinstance(one, e.PullRequestOpened)]


def test_a_pull_request_that_hive_opened_and_could_not_record_is_adopted() -> None:
    assert adopted(pull(31, head_ref=task().branch, labels=held())) == [
        e.PullRequestOpened(
            repo=REPO,
            number=31,
            agent=A,
            head_ref=task().branch,
            head=HEAD,
            held=True,
            issue=7,
            task=task().id,
        )
    ]


@pytest.mark.parametrize(
    "seen",
    [
        pull(31, head_ref=task().branch, head_repo="eve/r"),
        pull(31, head_ref=task().branch, author=Actor("eve")),
        pull(31, head_ref=task().branch, author=None),
        pull(31, head_ref="hive/quality-1/other"),
        pull(31, head_ref="main"),
    ],
    ids=["a fork", "a stranger", "nobody", "another branch", "no agent's branch"],
)
def test_nobody_elses_pull_request_is_adopted(seen: PullRequest) -> None:
    assert adopted(seen) == []


def test_one_that_is_on_record_is_not_adopted_again() -> None:
    known = memory(None, task(), pulls={f"{REPO}#31": opened()})
    assert adopted(pull(31, head_ref=task().branch), known) == []


# Ports.


def test_a_port_is_told_when_it_fails_and_when_it_is_back() -> None:
    away = world(unseen="tmux is away", repos={REPO: Unseen("502", NOW)})
    failed = port_events(away, Memory())
    assert failed == (
        e.PortFailed(port="terminal", message="tmux is away"),
        e.PortFailed(port=f"forge {REPO}", message="502"),
    )
    known = remembered(Memory(), list(failed))
    assert port_events(away, known) == ()
    assert port_events(world(), known) == (
        e.PortRecovered(port="terminal"),
        e.PortRecovered(port=f"forge {REPO}"),
    )


def test_a_port_that_was_not_looked_at_yet_has_not_failed() -> None:
    early = world(repos={REPO: Unseen("not looked at yet", NOW, is_early=True)})
    assert port_events(early, Memory()) == ()
    failing = Memory(ports={f"forge {REPO}": "502"})
    assert port_events(early, failing) == ()


def test_an_agent_that_is_seen_again_after_a_crash_is_what_it_is() -> None:
    known = memory({A: replace(known_agent(), state=AgentState.CRASHED)})
    assert states(SEEN, known) == [("ready", "")]
