from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.merge_gate import Judgement, MergeVerdict, Obstacle, ObstacleCode, judge
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import Review
from tests.decisions.merge_gate.good import ADA, AGENT, HEAD, MERGES, NOW, OLD, POLICY, PR, outcome, review

BLOCKED = MergeVerdict.BLOCKED
ONE = replace(POLICY, approvals=1)
MISSING = (BLOCKED, (("review-missing", "approvals", None),))
STALE = (BLOCKED, (("review-stale", "ada", None),))
REQUESTED = (BLOCKED, (("changes-requested", "ada", None),))
BOB = replace(ADA, login="bob")


def reviewed(*reviews: Review) -> object:
    return outcome(replace(PR, reviews=reviews), ONE)


def test_an_approval_on_this_head_counts() -> None:
    assert reviewed(review("approved")) == MERGES


def test_no_review_is_not_enough_where_one_is_wanted() -> None:
    assert reviewed() == MISSING


def test_an_approval_of_an_older_head_is_stale() -> None:
    assert reviewed(review("approved", OLD)) == STALE
    assert reviewed(review("approved", None)) == STALE


def test_a_stale_approval_and_a_missing_one_are_both_named() -> None:
    two = replace(POLICY, approvals=2)
    both = (BLOCKED, (("review-stale", "ada", None), ("review-missing", "approvals", None)))
    assert outcome(replace(PR, reviews=(review("approved", OLD),)), two) == both


def test_a_stale_approval_is_no_obstacle_where_enough_others_approved() -> None:
    assert reviewed(review("approved", OLD), review("approved", by=BOB)) == MERGES


def test_two_approvals_of_one_person_are_one() -> None:
    twice = (review("approved"), review("approved", by=replace(ADA, login="ADA"), minute=1))
    assert outcome(replace(PR, reviews=twice), replace(POLICY, approvals=2)) == MISSING
    each = (review("approved"), review("approved", by=BOB))
    assert outcome(replace(PR, reviews=each), replace(POLICY, approvals=2)) == MERGES


@pytest.mark.parametrize("association", [None, *Association])
def test_only_those_who_belong_to_the_repository_approve(association: Association | None) -> None:
    heard = association in (Association.OWNER, Association.MEMBER, Association.COLLABORATOR)
    by = replace(ADA, association=association)
    assert reviewed(review("approved", by=by)) == (MERGES if heard else MISSING)


@pytest.mark.parametrize("kind", [None, *ActorKind])
def test_only_persons_approve_unless_others_are_listed(kind: ActorKind | None) -> None:
    pr = replace(PR, reviews=(review("approved", by=replace(ADA, kind=kind)),))
    assert outcome(pr, ONE) == (MERGES if kind == ActorKind.PERSON else MISSING)
    agents = replace(ONE, approvals_by=frozenset({ActorKind.AGENT}))
    assert outcome(pr, agents) == (MERGES if kind == ActorKind.AGENT else MISSING)


@pytest.mark.parametrize("login", ["ada", "ADA"])
def test_nobody_approves_what_he_wrote_or_pushed_to(login: str) -> None:
    approved = (review("approved"),)
    as_author = replace(PR, author=Actor(login), reviews=approved)
    as_pusher = replace(PR, pushers=("hive-quality", login), reviews=approved)
    assert outcome(as_author, ONE) == outcome(as_pusher, ONE) == MISSING


def test_a_deleted_account_approves_and_blocks_nothing() -> None:
    assert reviewed(review("approved", by=None)) == MISSING
    assert reviewed(review("approved"), review("changes_requested", by=None)) == MERGES


@pytest.mark.parametrize("head", [HEAD, OLD, None])
def test_requested_changes_stand_on_any_head(head: str | None) -> None:
    assert outcome(replace(PR, reviews=(review("changes_requested", head),))) == REQUESTED


def test_a_later_approval_or_dismissal_takes_requested_changes_back() -> None:
    asked = review("changes_requested", OLD)
    assert reviewed(asked, review("approved", minute=1)) == MERGES
    assert reviewed(review("approved", minute=1), asked) == MERGES
    assert reviewed(asked, review("dismissed", OLD, minute=1)) == MISSING


def test_requested_changes_after_an_approval_count_and_void_it() -> None:
    both = (review("approved"), review("changes_requested", minute=1))
    assert outcome(replace(PR, reviews=both)) == REQUESTED
    assert reviewed(*both) == (BLOCKED, (*REQUESTED[1], *MISSING[1]))


@pytest.mark.parametrize("state", ["commented", "pending"])
def test_comments_change_nothing(state: str) -> None:
    assert reviewed(review("approved"), review(state, minute=1)) == MERGES
    asked = replace(PR, reviews=(review("changes_requested"), review(state, minute=1)))
    assert outcome(asked) == REQUESTED


def test_a_dismissed_approval_counts_for_nothing() -> None:
    assert reviewed(review("dismissed")) == MISSING
    assert reviewed(review("approved"), review("dismissed", minute=1)) == MISSING


def test_approval_of_another_does_not_take_requested_changes_back() -> None:
    assert reviewed(review("changes_requested"), review("approved", by=BOB, minute=1)) == REQUESTED


@pytest.mark.parametrize("kind", [None, *ActorKind])
def test_changes_asked_for_by_a_member_of_any_kind_block(kind: ActorKind | None) -> None:
    by = replace(ADA, kind=kind)
    assert outcome(replace(PR, reviews=(review("changes_requested", by=by),))) == REQUESTED


def test_changes_asked_for_by_a_stranger_are_shown_and_do_not_block() -> None:
    stranger = Actor("eve", ActorKind.PERSON, Association.NONE)
    judgement = judge(replace(PR, reviews=(review("changes_requested", by=stranger),)), POLICY, NOW)
    shown = Obstacle(ObstacleCode.CHANGES_REQUESTED, "eve", "eve has requested changes")
    assert judgement == Judgement(MergeVerdict.MERGE, HEAD, (), (shown,))


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_reviews_in_one_second_the_stricter_counts(turned: bool) -> None:
    pair = [review("approved"), review("changes_requested")]
    assert outcome(replace(PR, reviews=tuple(reversed(pair) if turned else pair))) == REQUESTED


def test_a_review_of_unknown_time_only_tightens() -> None:
    approved = Review(ADA, "approved", HEAD, None)
    asked = Review(ADA, "changes_requested", HEAD, None)
    assert outcome(replace(PR, reviews=(review("changes_requested"), approved))) == REQUESTED
    assert outcome(replace(PR, reviews=(review("approved"), asked))) == REQUESTED


def test_an_agents_own_pull_request_is_not_approved_by_itself() -> None:
    agents = replace(ONE, approvals_by=frozenset({ActorKind.AGENT}))
    own = review("approved", by=replace(AGENT, association=Association.MEMBER))
    assert outcome(replace(PR, reviews=(own,)), agents) == MISSING
