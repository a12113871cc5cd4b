from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.triage import TriagePolicy, approved_at, comments_that_count
from hive.facts.actors import Actor, ActorKind
from hive.facts.forge import Comment, Label
from tests.decisions.triage.good import ADA, APP, EVE, GO, ISSUE, POLICY, RELEASED, SECOND, T0, T1, said


def counted(*comments: Comment, policy: TriagePolicy = GO) -> list[int]:
    issue = replace(RELEASED, comments=comments)
    return [number for number, _ in comments_that_count(issue, policy, approved_at(issue, policy))]


def test_an_issue_is_approved_when_it_was_released_or_else_when_it_was_written() -> None:
    assert approved_at(RELEASED, GO) == T1
    assert approved_at(ISSUE, POLICY) == T0
    assert approved_at(ISSUE, GO) is None


def test_of_several_releases_the_last_that_counts_is_the_approval() -> None:
    labels = (
        Label("agent-ready", ADA, T1),
        Label("agent-ready", ADA, T1 + SECOND),
        Label("agent-ready", EVE, T1 + 9 * SECOND),
    )
    assert approved_at(replace(RELEASED, labels=labels), GO) == T1 + SECOND


def test_what_stood_before_the_approval_counts_whoever_wrote_it() -> None:
    before = T1 - SECOND
    assert counted(said(EVE, before), said(None, before), said(APP, before), said(ADA, before)) == [
        1,
        2,
        3,
        4,
    ]


@pytest.mark.parametrize("after", [timedelta(0), timedelta(milliseconds=500), SECOND])
def test_a_strangers_text_from_the_second_of_the_approval_on_does_not_count(after: timedelta) -> None:
    late = T1 + after
    assert counted(said(EVE, late), said(None, late), said(APP, late)) == []
    assert counted(said(EVE, T0, edited=late)) == []


def test_a_trusted_persons_later_comment_counts() -> None:
    bob = Actor("bob", ActorKind.PERSON)
    later = T1 + SECOND
    comments = (said(ADA, later), said(ADA, T0, edited=later), said(bob, later))
    assert counted(*comments) == [1, 2]
    assert counted(*comments, policy=replace(GO, allow=("bob",))) == [1, 2, 3]


@pytest.mark.parametrize("kind", [None, ActorKind.BOT, ActorKind.APP, ActorKind.AGENT])
def test_a_members_later_comment_does_not_count_when_no_person_wrote_it(kind: ActorKind | None) -> None:
    assert counted(said(replace(ADA, kind=kind), T1 + SECOND)) == []


def test_a_comment_of_unknown_time_counts_only_from_a_trusted_person() -> None:
    assert counted(said(EVE, None), said(ADA, None)) == [2]


def test_without_a_go_label_no_strangers_comment_counts() -> None:
    assert counted(said(EVE, T0), said(EVE, T1), said(ADA, T1), policy=POLICY) == [3]


def test_while_the_approval_is_not_known_only_trusted_persons_count() -> None:
    issue = replace(ISSUE, created_at=None, comments=(said(EVE, T0), said(ADA, T0)))
    assert [number for number, _ in comments_that_count(issue, POLICY, None)] == [2]
