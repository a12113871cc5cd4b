"""Recorded rulings under another level or configuration: what would differ, and what cannot be told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.contracts.guardrail import Proposal
from hive.decisions.replay import CONTENT, NO_ACTION, NO_AGENT, PERSON, Replay, replayed
from hive.facts import events as e
from hive.facts.autonomy import AcmmLevel
from hive.facts.verdicts import Ruling, Verdict
from tests.decisions.worlds import NOW, REPO, policy, spec

A = "quality-1"


def ruled(
    action: str, ruling: str, rule: str, *, agent: str = A, target: str = f"{REPO}@refs/heads/x"
) -> e.RequestRuled:
    return e.RequestRuled(
        agent=agent,
        request_id="r",
        action=action,
        target=target,
        ruling=ruling,
        rule=rule,
        because="so it was",
        route="rest",
    )


def records(*events: e.Event) -> list[e.Record]:
    return [e.Record(seq, NOW + timedelta(minutes=seq), 0, event) for seq, event in enumerate(events, 1)]


def differing(found: Replay) -> list[tuple[int, str, str, str]]:
    return [(one.seq, one.action, one.was.ruling.value, one.would_be.rule) for one in found.differ]


OPENED = ruled("open-pr", "hold", "acmm.holdgated.open-pr", target=REPO)
COMMENTED = ruled("comment", "allow", "acmm.holdgated.comment", target=f"{REPO}#7")


def test_another_level_shows_what_it_would_change_with_its_reason() -> None:
    journal = records(OPENED, e.AgentPaused(agent=A, by="ann"), COMMENTED)
    assert replayed(journal, policy(level=5)) == Replay(2, 2, (), {})
    assert differing(replayed(journal, policy(level=5), AcmmLevel.L6)) == [
        (1, "open-pr", "hold", "acmm.full.open-pr")
    ]
    found = replayed(journal, policy(level=5), AcmmLevel.L2)
    assert differing(found) == [
        (1, "open-pr", "hold", "acmm.advisory.open-pr"),
        (3, "comment", "allow", "acmm.advisory.comment"),
    ]
    first = found.differ[0]
    assert (first.at, first.agent, first.target) == (NOW + timedelta(minutes=1), A, REPO)


def test_an_operators_changes_count_from_when_they_were_made_unless_a_level_is_given() -> None:
    lowered = e.LevelChanged(scope="hive", level=2, by="ann")
    denied = ruled("comment", "deny", "acmm.advisory.comment", target=REPO)
    journal = records(COMMENTED, lowered, denied)
    assert differing(replayed(journal, policy(level=5))) == []
    assert differing(replayed(journal, policy(level=5), AcmmLevel.L5)) == [
        (3, "comment", "deny", "acmm.holdgated.comment")
    ]


class Says:
    def __init__(self, ruling: Ruling) -> None:
        self.name, self.ruling = "says", ruling

    def __call__(self, proposal: Proposal) -> Verdict | None:
        return Verdict(self.ruling, "guardrail.says", f"at {proposal.at:%H:%M}")


def test_guardrails_of_another_configuration_are_asked_at_the_time_of_the_ruling() -> None:
    found = replayed(records(COMMENTED), policy(level=5, guardrails=(Says(Ruling.DENY),)))
    [one] = found.differ
    assert one.would_be == Verdict(Ruling.DENY, "guardrail.says", "at 12:01")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (ruled("comment", "allow", "acmm.full.comment", agent="gone"), NO_AGENT),
        (ruled("levitate", "deny", "acmm.full.levitate"), NO_ACTION),
        (ruled("push-own-branch", "deny", "guardrail.secrets"), CONTENT),
        (ruled("comment", "allow", "hold.approved"), PERSON),
        (ruled("comment", "deny", "hold.denied"), PERSON),
    ],
)
def test_what_cannot_be_told_is_counted_by_why(event: e.RequestRuled, why: str) -> None:
    assert replayed(records(event, event), policy(level=5)) == Replay(2, 0, (), {why: 2})


def test_what_is_certain_without_paths_and_text_is_told() -> None:
    held = ruled("push-own-branch", "hold", "guardrail.protected-paths")
    assert differing(replayed(records(held), policy(level=2))) == [
        (1, "push-own-branch", "hold", "acmm.advisory.push-own-branch")
    ]
    approved = ruled("comment", "allow", "hold.approved")
    assert replayed(records(approved), policy(level=5, guardrails=(Says(Ruling.HOLD),))).same == 1
    unknown = ruled("unknown", "deny", "request.unknown")
    assert replayed(records(unknown), policy(level=6)).same == 1


def test_hives_own_acts_are_ruled_on_again_too() -> None:
    opened = e.PullRequestOpened(repo=REPO, number=9, agent=A, head_ref="hive/x", held=False)
    merge = e.IntentRuled(
        intent_id=f"merge/{REPO}#9@abc",
        about=f"{REPO}#9",
        ruling="allow",
        rule="acmm.full.request-merge",
        because="so it was",
    )
    start = e.IntentRuled(intent_id="start/x/1", about="x", ruling="allow", rule="hive.own", because="")
    found = replayed(records(opened, merge, start), policy(level=6), AcmmLevel.L5)
    assert differing(found) == [(2, "request-merge", "allow", "acmm.holdgated.request-merge")]
    assert (found.same, found.differ[0].agent) == (1, A)
    assert replayed(records(opened, merge), policy(spec("other"), level=6)).unknown == {NO_AGENT: 1}
