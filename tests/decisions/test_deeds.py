"""What agents were let do is remembered, and shown to guardrails with what they are asked about."""

from __future__ import annotations

from datetime import timedelta

from hive.contracts.guardrail import Proposal
from hive.decisions.gate import rule_action
from hive.decisions.notices import outstanding
from hive.decisions.recall import recall
from hive.facts.autonomy import Action
from hive.facts.deeds import KEPT, Deed, Deeds, OpenPull, Refused
from hive.facts.events import Record, RequestRuled, TokenRefused
from hive.facts.memory import AgentMemory, Memory
from hive.facts.needs import NeedKind
from hive.facts.verdicts import Verdict
from tests.decisions.worlds import NOW, OTHER, REPO, memory, opened, policy, spec, task

A = "quality-1"


def ruled(action: str, ruling: str, agent: str = A) -> RequestRuled:
    return RequestRuled(
        agent=agent,
        request_id="r",
        action=action,
        target=REPO,
        ruling=ruling,
        rule="x",
        because="y",
        route="rest",
    )


def remembered(*events: RequestRuled | TokenRefused) -> Memory:
    return recall(Memory(), [Record(seq, NOW, 0, event) for seq, event in enumerate(events, 1)])


def test_reads_and_refusals_are_no_deeds_and_what_waits_for_a_person_was_not_done() -> None:
    known = remembered(
        ruled("read", "allow"),
        ruled("comment", "deny"),
        ruled("file-issue", "hold"),
        ruled("open-pr", "hold"),
        ruled("push-own-branch", "allow"),
    )
    recent = tuple(Deed(NOW, action, REPO) for action in ("file-issue", "open-pr", "push-own-branch"))
    assert known.deeds == {A: Deeds(recent, ("open-pr", "push-own-branch"))}


def test_kinds_are_kept_for_ever_and_single_deeds_are_not() -> None:
    known = remembered(ruled("open-pr", "allow"), *(ruled("comment", "allow") for _ in range(KEPT + 5)))
    assert known.deeds[A].kinds == ("open-pr", "comment")
    assert known.deeds[A].recent == (Deed(NOW, "comment", REPO),) * KEPT


def test_what_was_denied_in_a_row_is_counted_until_a_write_goes_through() -> None:
    denied = [ruled("comment", "deny"), ruled("read", "allow"), ruled("open-pr", "deny")]
    assert remembered(*denied).deeds[A].refused == Refused(2, "x", "y", NOW)
    assert remembered(*denied, ruled("open-pr", "hold")).deeds[A].refused is None
    assert remembered(ruled("comment", "allow"), *denied).deeds[A].refused == Refused(2, "x", "y", NOW)


def test_an_agent_whose_token_is_not_known_is_refused_until_anything_at_all_goes_through() -> None:
    away = TokenRefused(address=f"agent {A}", count=4)
    told = "their tokens are not known to the gateway"
    known = remembered(ruled("comment", "deny"), away, TokenRefused(address="10.0.0.7", count=9))
    assert known.deeds == {A: Deeds(refused=Refused(5, "gateway.no-caller", told, NOW))}
    (need,) = outstanding(known, policy(), NOW)
    assert (need.kind, need.about) == (NeedKind.REFUSED, "gateway.no-caller")
    assert need.text == f"hive, not the forge, refuses whatever {A} would write: {told}"
    assert remembered(away, ruled("read", "allow")).deeds[A].refused is None


class Looks:
    name = "looks"

    def __init__(self) -> None:
        self.seen: list[Proposal] = []

    def __call__(self, proposal: Proposal) -> Verdict | None:
        self.seen.append(proposal)
        return None


def test_a_guardrail_sees_the_task_the_past_and_the_open_pull_requests_of_the_repository() -> None:
    looks, one = Looks(), spec(repos=(REPO, OTHER))
    deeds = Deeds((Deed(NOW - timedelta(hours=1), "comment", REPO),), ("comment",))
    known = memory(
        {A: AgentMemory(task=task().id)},
        task(),
        pulls={f"{REPO}#31": opened(), f"{REPO}#30": opened(state="merged"), f"{OTHER}#2": opened()},
        deeds={A: deeds},
    )
    for repo in (REPO, OTHER):
        asked = Proposal(agent=A, role=one.role, action=Action.OPEN_PR, target=repo, at=NOW)
        rule_action(policy(one, level=6, guardrails=(looks,)), known, one, asked, repo)
    here, there = looks.seen
    was = opened()
    assert (here.issue, here.past) == (task().issue, deeds)
    assert here.pulls == (OpenPull(REPO, 31, was.agent, was.head_ref, was.issue),)
    assert (there.issue, there.past, [one.number for one in there.pulls]) == (None, deeds, [2])
