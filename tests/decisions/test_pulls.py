"""Holds and merges: put on once for each head, never taken from a person, merged as judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.actors import Actor
from hive.facts.forge import Check, PullRequest
from hive.facts.memory import Memory, PullMemory
from tests.decisions.worlds import (
    ADA,
    HEAD,
    HIVE,
    NEW_HEAD,
    NOW,
    REPO,
    SECOND,
    held,
    look,
    memory,
    opened,
    policy,
    pull,
    spec,
    world,
)

KEY = f"{REPO}#31"
FULL = policy(level=6)
HOLDGATED = policy(level=5)


def decided(
    seen: PullRequest, known: PullMemory | None = None, wishes: Policy = HOLDGATED
) -> list[tuple[str, str]]:
    """Tag and head of what is decided about one pull request."""
    return said(plan(world(repos={REPO: look(pulls=[seen])}), remembered(known or opened()), wishes).intents)


def remembered(*known: PullMemory) -> Memory:
    return memory({}, pulls={f"{REPO}#{31 + n}": one for n, one in enumerate(known)})


def said(intents: tuple[i.Intent, ...]) -> list[tuple[str, str]]:
    return [
        (one.id.partition("/")[0], one.head)
        for one in intents
        if isinstance(one, i.HoldPullRequest | i.LiftHold | i.MergePullRequest)
    ]


def test_a_pull_request_below_full_autonomy_gets_hives_hold() -> None:
    (intent,) = (
        one
        for one in plan(world(repos={REPO: look(pulls=[pull()])}), remembered(opened()), HOLDGATED).intents
        if isinstance(one, i.HoldPullRequest)
    )
    assert intent == i.HoldPullRequest(
        repo=REPO,
        number=31,
        label="hold",
        head=HEAD,
        because="opened by quality-1, which is holdgated here",
    )


def test_a_hold_that_a_person_took_off_stays_off() -> None:
    assert decided(pull(), opened(held_head=HEAD)) == []


def test_a_new_head_is_held_anew_after_a_release() -> None:
    assert decided(pull(head=NEW_HEAD), opened(held_head=HEAD)) == [("hold", NEW_HEAD)]


def test_a_head_that_came_under_a_standing_hold_can_be_released_once_and_for_all() -> None:
    """The hold is hive's word on the new head, too: what a person then releases stays released."""
    standing = pull(head=NEW_HEAD, labels=held(HIVE))
    assert decided(standing, opened(held_head=HEAD)) == [("hold", NEW_HEAD)]
    assert decided(standing, opened(held_head=NEW_HEAD)) == []
    assert decided(pull(head=NEW_HEAD), opened(held_head=NEW_HEAD)) == []


def test_a_persons_hold_needs_none_of_hives_beside_it() -> None:
    assert decided(pull(labels=held(ADA))) == []


def test_the_hold_that_was_done_is_remembered_by_its_head() -> None:
    hold = i.HoldPullRequest(repo=REPO, number=31, label="hold", head=HEAD)
    started = e.Record(2, NOW, 1, e.IntentStarted(intent_id=hold.id, body=hold))
    done = e.Record(3, NOW, 1, e.IntentFinished(intent_id=hold.id, about=KEY, outcome="done"))
    assert recall(remembered(opened()), [started, done]).pulls[KEY].held_head == HEAD


def test_hive_lifts_its_own_hold_when_the_level_rises_to_six() -> None:
    assert decided(pull(labels=held(HIVE, "Hold")), opened(held_head=HEAD), FULL) == [("lift", HEAD)]


@pytest.mark.parametrize("by", [ADA, None, Actor("hive-bot-2")])
def test_hive_never_lifts_a_hold_that_it_did_not_put_on(by: Actor | None) -> None:
    for held_head in ("", HEAD):
        assert decided(pull(labels=held(by)), opened(held_head=held_head), FULL) == []


def test_a_hold_of_hives_account_that_the_journal_does_not_know_stays() -> None:
    assert decided(pull(labels=held(HIVE)), opened(), FULL) == []


def test_a_green_pull_request_of_an_agent_whose_mode_is_full_is_merged_at_the_judged_head() -> None:
    assert decided(pull(), wishes=FULL) == [("merge", HEAD)]


def test_nothing_below_full_mode_is_merged_however_green() -> None:
    for level in range(1, 6):
        assert ("merge", HEAD) not in decided(pull(), opened(held_head=HEAD), policy(level=level))


@pytest.mark.parametrize(
    "seen",
    [
        pull(checks=(Check(1, "build", "check", HEAD, "completed", "failure"),)),
        pull(draft=True),
        pull(mergeable=None),
        replace(pull(), head=None),
        replace(pull(), base=None),
        pull(labels=held(ADA)),
    ],
)
def test_what_has_an_obstacle_is_not_merged(seen: PullRequest) -> None:
    assert decided(seen, wishes=FULL) == []


def test_two_green_ones_of_one_base_are_merged_one_after_the_other() -> None:
    both = look(pulls=[pull(32), pull(31), pull(33, base="dev")])
    known = remembered(opened(), opened(), opened())
    merges = [one.subject for one in plan(world(repos={REPO: both}), known, FULL).intents]
    assert f"{REPO}#31" in merges
    assert [one for one in merges if one.startswith(REPO)] == [f"{REPO}#31", f"{REPO}#33"]


def test_pull_requests_that_no_agent_opened_are_nobodys_business() -> None:
    assert said(plan(world(repos={REPO: look(pulls=[pull(99)])}), remembered(opened()), FULL).intents) == []


def test_a_pull_request_of_an_agent_that_is_no_longer_configured_is_held_and_not_merged() -> None:
    assert decided(pull(), opened("gone"), FULL) == [("hold", HEAD)]


def test_a_look_from_before_a_merge_merges_nothing_more_into_that_base() -> None:
    both = look(pulls=[pull(31), pull(32), pull(33, base="dev")])
    known = remembered(opened(), opened(state="merged"), opened())
    assert [
        one.subject for one in plan(world(repos={REPO: both}), known, FULL).intents if "merge/" in one.id
    ] == [f"{REPO}#33"]


def test_the_hold_label_may_have_another_name() -> None:
    wishes = policy(spec(), level=5, hold_label="wait")
    (intent,) = (
        one
        for one in plan(
            world(repos={REPO: look(pulls=[pull(labels=held(ADA))])}), remembered(opened()), wishes
        ).intents
        if isinstance(one, i.HoldPullRequest)
    )
    assert intent.label == "wait"


# A merge that the forge refused.


@pytest.mark.parametrize(("outcome", "seconds"), [("failed", 10), ("missing", 60), ("refused", 600)])
def test_what_the_forge_did_not_do_rests_a_while_on_that_head(outcome: str, seconds: int) -> None:
    merge = i.MergePullRequest(repo=REPO, number=31, head=HEAD, base="main")
    started = e.Record(2, NOW, 1, e.IntentStarted(intent_id=merge.id, body=merge))
    refused = e.IntentFinished(intent_id=merge.id, about=KEY, outcome=outcome, detail="a review is missing")
    known = recall(remembered(opened()), [started, e.Record(3, NOW, 1, refused)]).pulls[KEY]
    assert known.rests_until == NOW + seconds * SECOND
    assert decided(pull(), known, FULL) == []
    assert decided(pull(), replace(known, rests_until=NOW), FULL) == [("merge", HEAD)]
    assert decided(pull(head=NEW_HEAD), known, FULL) == [("merge", NEW_HEAD)]
