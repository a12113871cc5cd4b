"""Persons decide on held actions on the forge itself; nobody else does, and nothing else is decided by it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from hive.decisions.approvals import decided, merge_on_hold
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.activity import Activity, Told
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.intents import EnqueuePullRequest, MergePullRequest
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from tests.decisions.worlds import ADA, EVE, HEAD, NEW_HEAD, NOW, REPO, SECOND, look, policy

MINUTE = timedelta(minutes=1)
HELD = e.ActionHeld(
    hold_id="H3",
    agent="quality-1",
    action="comment",
    target="o/r#31",
    content="c",
    shown="text",
    rule="guardrail.x",
    because="loud",
)


def memory(*events: e.Event) -> Memory:
    opened = e.PullRequestOpened(
        repo=REPO, number=31, agent="quality-1", head_ref="hive/quality-1/31", head=HEAD, held=True
    )
    records = [
        e.Record(seq=n + 1, at=NOW - 10 * MINUTE, tick=0, event=one)
        for n, one in enumerate([opened, HELD, *events])
    ]
    return recall(Memory(), records)


def another(hold_id: str, target: str = HELD.target) -> e.ActionHeld:
    return msgspec.structs.replace(HELD, hold_id=hold_id, target=target)


def said(text: str = "/hive approve H3", by: Actor | None = ADA, **changes: object) -> Told:
    made = Told("comment:1", by, NOW - 5 * MINUTE, 31, text)
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name fields


def words(*told: Told, known: Memory | None = None) -> list[e.HoldDecided]:
    seen = replace(look().value, activity=Activity(told=told))
    return [*decided(seen, known or memory(), policy(), NOW)]


def test_a_trusted_persons_comment_decides_and_is_on_record_with_who_said_it_where() -> None:
    assert words(said("I looked.\n  /Hive APPROVE h3 fine with me")) == [
        e.HoldDecided(hold_id="H3", approved=True, by="ada on o/r#31", why="fine with me", source="comment:1")
    ]
    assert words(said("/hive deny H3 too loud")) == [
        e.HoldDecided(hold_id="H3", approved=False, by="ada on o/r#31", why="too loud", source="comment:1")
    ]


@pytest.mark.parametrize(
    "told",
    [
        said(by=EVE),
        said(by=None),
        said(by=replace(ADA, association=Association.CONTRIBUTOR)),
        said(by=replace(ADA, association=None)),
        said(by=replace(ADA, kind=ActorKind.APP)),
        said(by=replace(ADA, kind=None)),
        said(by=replace(ADA, login="Hive-Bot")),
        said(edited=True),
        said(number=32),
        said(at=NOW - 11 * MINUTE),
        said("/hive approve H4"),
        said("/hive approve H33"),
        said("> /hive approve H3"),
        said("see `/hive approve H3`"),
        said("```\n/hive approve H3\n```"),
        said("~~~\n/hive approve H3"),
        said("/hive approve"),
    ],
)
def test_no_other_word_decides(told: Told) -> None:
    assert words(told) == []


def test_the_newest_word_counts_and_each_is_taken_once() -> None:
    first, second = said(), said("/hive deny H3 no", key="comment:2", at=NOW - 4 * MINUTE)
    (found,) = words(second, first)
    assert (found.approved, found.source) == (False, "comment:2")
    assert words(first, second, known=memory(found)) == []


def test_a_word_said_before_the_last_one_elsewhere_does_not_undo_it() -> None:
    by_hand = e.HoldDecided(hold_id="H3", approved=False, by="ann", why="no")
    assert words(said(at=NOW - 10 * MINUTE - SECOND), known=memory(by_hand)) == []
    assert [one.approved for one in words(said(), known=memory(by_hand))] == [True]


def test_what_is_done_or_expired_is_decided_on_no_more() -> None:
    done = memory(
        e.HoldDecided(hold_id="H3", approved=True, by="ann"),
        e.HoldUsed(hold_id="H3", agent="quality-1", request_id="r"),
    )
    assert words(said(), known=done) == []
    seen = replace(look().value, activity=Activity(told=(said(),)))
    assert [*decided(seen, memory(), policy(), NOW + timedelta(days=2))] == []


def test_the_label_approves_all_that_is_held_there_and_nothing_else() -> None:
    other = memory(another("H4"), another("H5", "o/r#32"))
    assert [(one.hold_id, one.approved) for one in words(said("", key="event:9"), known=other)] == [
        ("H3", True),
        ("H4", True),
    ]


def test_an_action_on_a_branch_is_decided_on_at_its_pull_request() -> None:
    push = another("H4", "o/r@refs/heads/hive/quality-1/31")
    assert [one.hold_id for one in words(said("/hive approve H4"), known=memory(push))] == ["H4"]


MERGE = MergePullRequest(repo=REPO, number=31, head=HEAD, base="main")
HOLD = Verdict(Ruling.HOLD, "guardrail.quiet-hours", "it is night")


def test_a_held_merge_of_hives_own_waits_in_the_same_queue_once() -> None:
    known = memory()
    verdict, (asked,) = merge_on_hold(MERGE, HOLD, known, NOW)
    assert isinstance(asked, e.ActionHeld)
    assert (asked.hold_id, asked.agent, asked.target, asked.shown) == (
        "M1",
        "hive",
        "o/r#31",
        f"merge {HEAD} into main",
    )
    assert verdict.because == "it is night; it waits for a person as M1"
    assert merge_on_hold(MERGE, HOLD, memory(asked), NOW) == (verdict, ())
    assert [one.hold_id for one in words(said("/hive approve M1"), known=memory(asked))] == ["M1"]


def test_a_place_in_the_merge_queue_waits_for_a_person_like_the_merge_that_it_leads_to() -> None:
    wanted = EnqueuePullRequest(repo=REPO, number=31, head=HEAD, base="main")
    verdict, (asked,) = merge_on_hold(wanted, HOLD, memory(), NOW)
    assert isinstance(asked, e.ActionHeld)
    assert (asked.hold_id, asked.action, asked.shown) == (
        "M1",
        "enqueue",
        f"put {HEAD} into the merge queue of main",
    )
    assert verdict.because == "it is night; it waits for a person as M1"
    yes = e.HoldDecided(hold_id="M1", approved=True, by="ada")
    verdict, used = merge_on_hold(wanted, HOLD, memory(asked, yes), NOW)
    assert (verdict.ruling, [type(one) for one in used]) == (Ruling.ALLOW, [e.HoldUsed])
    # A word about the queue is none about a merge past it.
    verdict, (again,) = merge_on_hold(MERGE, HOLD, memory(asked, yes), NOW)
    assert (verdict.ruling, again.hold_id) == (Ruling.HOLD, "M2")


def test_an_approved_merge_is_made_once_and_only_of_the_head_that_was_approved() -> None:
    _, (asked,) = merge_on_hold(MERGE, HOLD, memory(), NOW)
    yes = e.HoldDecided(hold_id="M1", approved=True, by="ada")
    verdict, used = merge_on_hold(MERGE, HOLD, memory(asked, yes), NOW)
    assert (verdict.ruling, used) == (
        Ruling.ALLOW,
        (e.HoldUsed(agent="hive", hold_id="M1", request_id=MERGE.id),),
    )
    moved = MergePullRequest(repo=REPO, number=31, head=NEW_HEAD, base="main")
    verdict, (again,) = merge_on_hold(moved, HOLD, memory(asked, yes), NOW)
    assert (verdict.ruling, again.hold_id) == (Ruling.HOLD, "M2")
    verdict, (again,) = merge_on_hold(MERGE, HOLD, memory(asked, yes, *used), NOW)
    assert (verdict.ruling, again.hold_id) == (Ruling.HOLD, "M2")


def test_a_denied_merge_is_denied_by_whom_and_why() -> None:
    _, (asked,) = merge_on_hold(MERGE, HOLD, memory(), NOW)
    no = e.HoldDecided(hold_id="M1", approved=False, by="ada", why="not now")
    verdict, events = merge_on_hold(MERGE, HOLD, memory(asked, no), NOW)
    assert (verdict, events) == (Verdict(Ruling.DENY, "hold.denied", "ada denied it as M1: not now"), ())
