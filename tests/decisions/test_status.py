"""The status document: every key of it, one verdict with the real cause, and when hive has come to rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hive.decisions.policy import Policy
from hive.decisions.status import Surroundings, document
from hive.facts.agents import AgentState, session_name
from hive.facts.findings import Finding
from hive.facts.memory import AgentMemory, IssueMemory, Memory, Pause, RoundMemory
from hive.facts.screens import ScreenState
from hive.facts.work import TaskKind
from hive.facts.world import Unseen, World
from tests.decisions.worlds import (
    ADA,
    HEAD,
    NOW,
    REPO,
    SECOND,
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
    world,
)

A, B = "quality-1", "quality-2"
TWO = policy(spec(A), spec(B))
AROUND = Surroundings(
    pid=42, tick=7, tick_seconds=5.0, state="/state", attach="tmux attach", abandoned={"forge": 2}
)


def told(seen: World, known: Memory, wishes: Policy | None = None) -> dict[str, Any]:
    found = document(seen, known, wishes or policy(), AROUND)
    again: dict[str, Any] = json.loads(json.dumps(found))
    return again


def verdict(seen: World, known: Memory, wishes: Policy | None = None) -> str:
    return str(told(seen, known, wishes)["verdict"])


def both(**first: object) -> Memory:
    return memory({A: replace(known_agent(), **first), B: known_agent()})  # type: ignore[arg-type]


def test_the_document_has_every_key_and_is_json() -> None:
    finding = Finding("F1", A, REPO, 7, "found", "body", NOW, task="t")
    known = memory(
        {A: replace(known_agent(), state=AgentState.WORKING, since=NOW)},
        prompted(),
        findings=(finding,),
        pulls={f"{REPO}#31": opened(issue=8)},
    )
    seen = world(
        sighting(A, ScreenState.WORKING),
        repos={REPO: look([issue(7)], [pull(31, labels=held(ADA))])},
    )
    found = told(seen, known, policy(level=4))
    assert found == {
        "at": "2026-11-30T12:00:00Z",
        "tick": 7,
        "tick_seconds": 5.0,
        "pid": 42,
        "level": 4,
        "level_name": "Adaptive",
        "settled": False,
        "state": "/state",
        "verdict": "1 of 1 agents at work",
        "agents": [
            {
                "name": A,
                "role": "quality",
                "backend": "scripted",
                "mode": "holdgated",
                "level": 4,
                "state": "working",
                "detail": "",
                "options": [],
                "since": "2026-11-30T12:00:00Z",
                "task": {
                    "id": prompted().id,
                    "repo": REPO,
                    "issue": 7,
                    "title": "Crash number 7",
                    "branch": prompted().branch,
                },
                "paused": None,
                "starts": 1,
                "version": "",
                "other_model": "",
                "repos": [REPO],
                "session": session_name(A),
                "sandbox": None,
                "limited_until": None,
                "fallback": "",
                "usage": None,
                "attach": f"tmux attach -t ={session_name(A)}",
            }
        ],
        "work": [
            {
                "repo": REPO,
                "number": 7,
                "title": "Crash number 7",
                "eligible": True,
                "rank": 1,
                "lane": None,
                "kind": None,
                "size": None,
                "because": "ada wrote it, MEMBER",
                "why": ["23h old"],
                "agent": A,
                "task": prompted().id,
                "attempts": 0,
                "outcome": None,
            }
        ],
        "rounds": [],
        "pull_requests": [
            {
                "repo": REPO,
                "number": 31,
                "title": "Change 31",
                "url": "",
                "agent": A,
                "issue": 8,
                "head": HEAD,
                "state": "open",
                "draft": False,
                "held": True,
                "labels": ["hold"],
                "verdict": "blocked",
                "obstacles": [
                    {
                        "code": "hold",
                        "subject": "hold",
                        "because": "label hold was put on by ada",
                        "until": None,
                    }
                ],
            }
        ],
        "trees": [],
        "budgets": [],
        "holds": [],
        "incidents": [],
        "merging": [],
        "load": None,
        "standing": [],
        "forge": {"because": "", "poll_seconds": {}, "quotas": []},
        "webhooks": None,
        "needs": [],
        "findings": [
            {
                "id": "F1",
                "agent": A,
                "repo": REPO,
                "issue": 7,
                "title": "found",
                "at": "2026-11-30T12:00:00Z",
                "path": "",
                "rule": "",
                "state": "open",
                "times": 1,
                "seen_at": "2026-11-30T12:00:00Z",
                "filed": None,
                "by": None,
                "because": "it is about issue #7, which is there",
            }
        ],
        "refused": [],
        "ports": [
            {"name": "terminal", "state": "ok", "message": "", "abandoned": 0},
            {"name": f"forge {REPO}", "state": "ok", "message": "", "abandoned": 2},
        ],
    }


# One verdict with the real cause (hive 4823, 2375, 4460).


def test_all_paused_on_purpose_is_no_alarm() -> None:
    paused = replace(known_agent(pause=Pause("ada", "lunch", NOW)), state=AgentState.PAUSED)
    seen = world(sighting(A), sighting(B))
    assert verdict(seen, memory({A: paused, B: paused}), TWO) == "all agents are paused on purpose"
    assert told(seen, memory({A: paused, B: paused}), TWO)["agents"][0]["paused"] == {
        "by": "ada",
        "why": "lunch",
        "at": "2026-11-30T12:00:00Z",
    }


def test_an_agent_that_waits_for_a_person_is_named_with_its_reason() -> None:
    seen = world(sighting(A), sighting(B))
    at_login = both(state=AgentState.LOGGED_OUT, detail="Please run /login")
    assert verdict(seen, at_login, TWO) == f"{A} is logged-out: Please run /login"
    dead = replace(known_agent(), state=AgentState.CRASHED)
    assert verdict(seen, memory({A: dead, B: dead}), TWO) == f"{A} is crashed and 1 more: have a look"


def test_an_empty_queue_and_free_agents_is_nothing_to_do() -> None:
    assert verdict(world(sighting(A)), memory()) == "nothing to do: no eligible issue is waiting"


def test_issues_that_wait_for_an_agent_are_not_nothing_to_do() -> None:
    starting = memory({A: replace(known_agent(), state=AgentState.STARTING)})
    seen = world(sighting(A, ScreenState.STARTING), repos={REPO: look([issue(7), issue(8)])})
    assert verdict(seen, starting) == "2 eligible issues wait for a free agent"


def test_a_level_that_starts_nobody_says_so() -> None:
    seen = world(repos={REPO: look([issue(7)])})
    assert verdict(seen, memory({}), policy(level=1)) == "no agent is started at level 1 (Assisted)"


def test_a_port_that_fails_goes_before_everything() -> None:
    known = memory(ports={"terminal": "tmux does not answer"})
    found = told(world(unseen="tmux does not answer"), known)
    assert found["verdict"] == "terminal cannot be reached: tmux does not answer"
    assert (found["agents"][0]["state"], found["agents"][0]["detail"]) == ("unseen", "tmux does not answer")
    assert found["ports"][0]["state"] == "failing"


# Settled.


def settled(seen: World, known: Memory, wishes: Policy | None = None) -> bool:
    return bool(told(seen, known, wishes)["settled"])


DONE = memory(issues={f"{REPO}#7": IssueMemory(attempts=1, last_outcome="pull-request")})


def test_what_is_left_for_people_is_settled() -> None:
    assert settled(world(sighting(A)), memory())
    assert settled(world(sighting(A), repos={REPO: look([issue(7)])}), DONE)
    held_back = replace(DONE, pulls={f"{REPO}#31": opened(held_head=HEAD)})
    waits = look([issue(7)], [pull(31, labels=held())])
    assert settled(world(sighting(A), repos={REPO: waits}), held_back)


@pytest.mark.parametrize(
    ("seen", "known"),
    [
        (world(sighting(A)), memory(None, prompted())),
        (world(sighting(A), repos={REPO: look([issue(7)])}), memory()),
        (world(), memory({})),
        (world(unseen="away"), memory()),
        (world(sighting(A), repos={REPO: Unseen("away", NOW)}), memory()),
        (world(sighting(A)), memory({A: replace(known_agent(), state=AgentState.STARTING)})),
        (
            world(sighting(A), repos={REPO: look([issue(7)])}),
            memory(
                issues={
                    f"{REPO}#7": IssueMemory(
                        attempts=1, last_outcome="released", rests_until=NOW + 60 * SECOND
                    )
                }
            ),
        ),
    ],
    ids=["a task", "an issue", "an absent agent", "no terminal", "no forge", "a start", "a rest"],
)
def test_what_goes_on_or_comes_next_is_not_settled(seen: World, known: Memory) -> None:
    assert not settled(seen, known)


RESTS = {f"{REPO}#7": IssueMemory(attempts=1, last_outcome="released", rests_until=NOW + 60 * SECOND)}


@pytest.mark.parametrize(
    ("known", "wishes"),
    [
        (known_agent(), policy(spec(A, lanes=("docs",)))),
        (known_agent(), policy(spec(A, repos=("o/other",)))),
        (known_agent(pause=Pause("ada", "", NOW)), policy()),
        (replace(known_agent(), state=AgentState.LOGGED_OUT), policy()),
        (replace(known_agent(), state=AgentState.NOT_STARTED), policy(level=1)),
    ],
    ids=["another lane", "another repository", "paused", "at login", "not started"],
)
def test_an_issue_that_rests_and_that_nobody_can_take_is_left_to_people(
    known: AgentMemory, wishes: Policy
) -> None:
    seen = world(*[] if known.state == "not-started" else [sighting(A)], repos={REPO: look([issue(7)])})
    assert settled(seen, memory({A: known}, issues=RESTS), wishes)


def test_at_level_six_a_pull_request_that_waits_for_time_or_a_check_is_not_settled() -> None:
    known = replace(DONE, pulls={f"{REPO}#31": opened()})
    pending = pull(31, checks=(replace(pull().checks[0], status="queued", conclusion=None),))  # type: ignore[index]
    red = pull(31, checks=(replace(pull().checks[0], conclusion="failure"),))  # type: ignore[index]
    assert not settled(world(sighting(A), repos={REPO: look([], [pending])}), known, policy(level=6))
    assert not settled(world(sighting(A), repos={REPO: look([], [red])}), known, policy(level=6))
    enough = {TaskKind.FIX_CI: RoundMemory(3, (), NOW)}
    tried = replace(DONE, pulls={f"{REPO}#31": opened(rounds=enough)})
    assert settled(world(sighting(A), repos={REPO: look([], [red])}), tried, policy(level=6))
    refused = opened(rests_head=HEAD, rests_until=NOW + 600 * SECOND, rests_after="refused")
    left = replace(DONE, pulls={f"{REPO}#31": refused})
    assert settled(world(sighting(A), repos={REPO: look([], [pull(31)])}), left, policy(level=6))
    failed = replace(DONE, pulls={f"{REPO}#31": replace(refused, rests_after="failed")})
    assert not settled(world(sighting(A), repos={REPO: look([], [pull(31)])}), failed, policy(level=6))


def test_an_agent_that_nobody_saw_yet_has_a_row_of_its_own() -> None:
    row = told(world(), Memory(), policy(level=1))["agents"][0]
    assert (row["state"], row["since"], row["mode"], row["starts"]) == (AgentMemory().state, None, None, 0)
