from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hive.decisions.budgets import Budget, Limit
from hive.decisions.notices import changes, outstanding
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.agents import AgentState
from hive.facts.holds import Hold
from hive.facts.memory import AgentMemory, IssueMemory, Memory, MergingHold, Pause, SandboxMemory
from hive.facts.needs import Need, NeedKind
from hive.facts.work import TaskState
from tests.decisions.worlds import HEAD, NOW, SECOND, known_agent, memory, opened, policy, task

KIND = NeedKind
HOLD = Hold(
    "H3", "quality-1", "comment", "o/r#7", "c" * 64, "hello", "guardrail.first-time", "its first", NOW
)


def of_agent(**changed: Any) -> tuple[Need, ...]:
    return outstanding(memory({"quality-1": replace(known_agent(), **changed)}), policy(), NOW)


def about_agent(kind: NeedKind, text: str, command: str) -> tuple[Need, ...]:
    return (Need(f"{kind}/quality-1", kind, "quality-1", text, command, agent="quality-1"),)


def test_nothing_waits_for_a_person_while_all_goes_well() -> None:
    assert outstanding(memory(), policy(), NOW) == ()


@pytest.mark.parametrize(
    ("state", "kind", "command"),
    [
        (AgentState.ASKING, KIND.ASKING, "hive send quality-1 ..."),
        (AgentState.BLOCKED, KIND.BLOCKED, "hive attach quality-1"),
        (AgentState.LOGGED_OUT, KIND.LOGGED_OUT, "hive attach quality-1"),
        (AgentState.OUT_OF_CREDIT, KIND.OUT_OF_CREDIT, "hive attach quality-1"),
    ],
)
def test_an_agent_that_only_a_person_can_help_is_a_need(
    state: AgentState, kind: NeedKind, command: str
) -> None:
    assert of_agent(state=state, detail="have a look") == about_agent(kind, "have a look", command)


def test_an_agent_that_is_paused_on_purpose_needs_nobody() -> None:
    assert of_agent(state=AgentState.ASKING, pause=Pause("ada", "lunch", NOW)) == ()


def test_an_agent_that_hive_restarts_by_itself_needs_nobody_until_hive_gives_it_up() -> None:
    crashed = {"state": AgentState.CRASHED, "detail": "exit code 1"}
    often = tuple(NOW - timedelta(minutes=10) + number * SECOND for number in range(8))
    assert of_agent(**crashed, crash_times=often[:7]) == ()
    assert of_agent(**crashed, crash_times=often) == about_agent(
        KIND.STUCK, "exit code 1", "hive restart quality-1"
    )


def test_a_limit_is_a_need_once_it_lasts() -> None:
    limited = {"state": AgentState.LIMITED, "detail": "until 15:00"}
    assert of_agent(**limited, since=NOW - timedelta(minutes=59)) == ()
    assert of_agent(**limited, since=NOW - timedelta(minutes=60)) == about_agent(
        KIND.LIMITED, "until 15:00", "hive explain quality-1"
    )


def test_a_pod_that_no_cluster_takes_is_a_need() -> None:
    sandbox = SandboxMemory("pending", NOW, message="no cluster has a free GPU")
    assert of_agent(sandbox=sandbox) == about_agent(
        KIND.SANDBOX, "no cluster has a free GPU", "hive explain quality-1"
    )


def test_a_held_action_is_a_need_until_a_person_has_spoken() -> None:
    def needs(hold: Hold) -> tuple[Need, ...]:
        return outstanding(memory(holds={"H3": hold}), policy(), NOW + SECOND)

    text = "quality-1 wants to comment o/r#7: its first"
    waiting = Need("approval/H3", KIND.APPROVAL, "H3", text, "hive approve H3", "quality-1", "o/r")
    assert needs(HOLD) == (waiting,)
    assert needs(replace(HOLD, approved=True, decided_at=NOW)) == ()


def test_a_pull_request_is_a_need_when_hives_hold_alone_is_in_its_way() -> None:
    def needs(*codes: str) -> tuple[Need, ...]:
        judged = tuple((code, "", "") for code in codes)
        pull = opened(held_head=HEAD, judged=judged)
        return outstanding(memory(pulls={"o/r#31": pull}), policy(), NOW)

    text = "quality-1 opened it and nothing else is in its way"
    held = Need("held/o/r#31", KIND.HELD, "o/r#31", text, "gh pr view 31 -R o/r", "quality-1", "o/r")
    assert needs("hold") == (held,)
    assert needs("hold", "check-pending") == ()
    assert needs() == ()


def test_an_issue_that_hive_gave_up_is_a_need() -> None:
    ended = task(attempt=3, state=TaskState.FINISHED, outcome="failed", detail="it crashes")
    known = memory({}, ended, issues={"o/r#7": IssueMemory(attempts=3, last_outcome="failed")})
    text = "failed after 3 attempts: it crashes"
    assert outstanding(known, policy(), NOW) == (
        Need("stuck/o/r#7", KIND.STUCK, "o/r#7", text, "hive explain o/r#7", "quality-1", "o/r"),
    )


def test_a_port_out_of_reach_and_a_wrong_file_are_needs() -> None:
    known = memory(ports={"forge o/r": "no answer"}, rejected_configuration="hive.yaml:3: no")
    assert outstanding(known, policy(), NOW) == (
        Need("configuration", KIND.CONFIGURATION, "the configuration", "hive.yaml:3: no", "hive check"),
        Need("unreachable/forge o/r", KIND.UNREACHABLE, "forge o/r", "no answer", "hive doctor"),
    )


def test_agents_that_are_kept_apart_less_than_was_asked_for_are_a_need() -> None:
    known = memory(ports={"isolation": "no control groups here"})
    text = "no control groups here"
    assert outstanding(known, policy(), NOW) == (
        Need("isolation/isolation", KIND.ISOLATION, "isolation", text, "hive doctor"),
    )


def test_a_budget_is_a_need_when_it_stops_work_and_not_when_it_warns() -> None:
    def needs(spent: int) -> tuple[Need, ...]:
        budget = Budget("daily", window=timedelta(days=1), soft=Limit(tokens=5), hard=Limit(tokens=10))
        used = e.UsageRecorded(agent="quality-1", model="m", key="k", source="relay", input=spent)
        return outstanding(told(memory(), used), policy(budgets=(budget,)), NOW)

    assert needs(9) == ()
    (need,) = needs(10)
    assert (need.kind, need.about, need.command) == (KIND.BUDGET, "daily (hive)", "hive costs")
    assert need.text.startswith("over budget: 'daily' for hive is spent until 2026-12-01 00:00 UTC")


def test_merging_that_hive_itself_stopped_is_a_need_and_what_a_person_stopped_is_none() -> None:
    held = MergingHold("main", "c" * 40, 31, "build failed on main", "", NOW)
    command = "hive merging release o/r --why '...'"
    need = Need("merging/o/r", KIND.MERGING, "o/r", "build failed on main", command, repo="o/r")
    assert outstanding(memory(merging={"o/r": held}), policy(), NOW) == (need,)
    assert outstanding(memory(merging={"o/r": replace(held, by="ada")}), policy(), NOW) == ()


def test_a_wrong_file_is_remembered_until_a_good_one_is_read() -> None:
    wrong = e.ConfigurationRejected(message="hive.yaml:3: no")
    assert told(Memory(), wrong).rejected_configuration == "hive.yaml:3: no"
    good = e.ConfigurationLoaded(digest="d", source="hive.yaml")
    assert told(told(Memory(), wrong), good).rejected_configuration == ""


def told(known: Memory, *events: e.Event, at: timedelta = timedelta()) -> Memory:
    return recall(known, [e.Record(known.seq + 1 + n, NOW + at, 1, one) for n, one in enumerate(events)])


def diff(known: Memory, needs: Sequence[Need]) -> list[e.Event]:
    return list(changes(known, needs))


def test_each_change_is_recorded_once() -> None:
    (need,) = of_agent(state=AgentState.ASKING, detail="Overwrite?")
    raised = diff(Memory(), [need])
    assert [type(one) for one in raised] == [e.NeedRaised]
    known = told(Memory(), *raised)
    assert diff(known, [need]) == []
    other = replace(need, text="Delete?")
    known = told(known, *diff(known, [other]))
    assert known.needs["asking/quality-1"].need == other
    cleared = diff(known, [])
    assert cleared == [e.NeedCleared(key="asking/quality-1", about="quality-1")]
    assert diff(told(known, *cleared), []) == []


def test_what_comes_back_soon_is_the_same_need_and_what_comes_back_late_is_another() -> None:
    (need,) = of_agent(state=AgentState.ASKING, detail="Overwrite?")
    known = told(Memory(), *diff(Memory(), [need]))
    gone = told(known, *diff(known, []), at=timedelta(minutes=1))
    soon = told(gone, *diff(gone, [need]), at=timedelta(minutes=11))
    late = told(gone, *diff(gone, [need]), at=timedelta(minutes=12))
    assert soon.needs[need.key].since == NOW
    assert late.needs[need.key].since == NOW + timedelta(minutes=12)


def test_needs_that_went_long_ago_are_forgotten() -> None:
    (need,) = of_agent(state=AgentState.ASKING)
    known = told(Memory(), *diff(Memory(), [need]))
    gone = told(known, *diff(known, []))
    other = replace(need, key="asking/other")
    assert set(told(gone, *diff(gone, [other]), at=timedelta(minutes=61)).needs) == {"asking/other"}


def test_an_agent_that_nobody_remembers_needs_nobody() -> None:
    assert outstanding(Memory(agents={"gone": AgentMemory(state="asking")}), policy(), NOW) == ()
