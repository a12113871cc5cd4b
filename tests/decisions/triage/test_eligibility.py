from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.triage import TriageItem, TriagePolicy
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import Issue, Label, PullRequestRef
from tests.decisions.triage.good import ADA, APP, EVE, GO, ISSUE, POLICY, RELEASED, SECOND, T1, ruled

TRUSTED = (Association.OWNER, Association.MEMBER, Association.COLLABORATOR)


def yes(because: str) -> TriageItem:
    return TriageItem(5, True, 1, None, because)


def no(because: str) -> TriageItem:
    return TriageItem(5, False, None, None, because)


@pytest.mark.parametrize("association", [None, *Association])
def test_without_a_go_label_the_authors_association_decides(association: Association | None) -> None:
    issue = replace(ISSUE, author=replace(ADA, association=association))
    if association in TRUSTED:
        assert ruled(issue) == yes(f"ada wrote it, {association}")
    else:
        standing = association or "no association"
        assert ruled(issue) == no(f"ada wrote it, who is not trusted ({standing})")


def test_the_operator_says_which_associations_are_trusted() -> None:
    policy = replace(POLICY, trusted=frozenset({Association.CONTRIBUTOR}))
    assert not ruled(ISSUE, policy).eligible
    contributor = replace(ADA, association=Association.CONTRIBUTOR)
    assert ruled(replace(ISSUE, author=contributor), policy).eligible


@pytest.mark.parametrize(
    ("allowed", "author", "eligible"),
    [
        ("our-app[bot]", APP, True),
        ("Our-App[bot]", APP, True),
        ("our-app", APP, False),
        ("our-app[bot]", Actor("our-app"), False),
        ("eve", EVE, True),
        ("ev", EVE, False),
        ("eve", replace(EVE, login="eve2"), False),
    ],
)
def test_an_allow_listed_login_counts_whole(allowed: str, author: Actor, eligible: bool) -> None:
    policy = TriagePolicy(allow=(allowed,))
    assert ruled(replace(ISSUE, author=author), policy).eligible is eligible


def test_what_hives_own_agents_ask_for_is_no_work_until_a_person_says_so() -> None:
    own = Actor("owner", ActorKind.AGENT)
    needs = "its reasons need a person's word (go_label), or its login in allow"
    issue = replace(ISSUE, author=own)
    assert ruled(issue) == no(f"owner wrote it, an agent of hive's own: {needs}")
    assert ruled(issue, TriagePolicy(allow=("Owner",))).eligible
    assert ruled(replace(issue, labels=RELEASED.labels), GO).eligible
    assert not ruled(replace(issue, labels=(Label("agent-ready", own, T1),)), GO).eligible


@pytest.mark.parametrize(
    ("by", "trusted"),
    [
        (Actor("ada", ActorKind.PERSON, Association.CONTRIBUTOR), False),
        (Actor("Org-Fork", ActorKind.PERSON, Association.CONTRIBUTOR), True),
        (Actor("org-fork2", ActorKind.PERSON, Association.CONTRIBUTOR), False),
    ],
)
def test_a_maintainers_fork_is_trusted_where_its_login_is_listed(by: Actor, trusted: bool) -> None:
    issue = replace(ISSUE, pull_requests=(PullRequestRef(9, "open", by),))
    whose = f"by {by.login}" + ("" if trusted else ", who is not trusted")
    assert ruled(issue, TriagePolicy(allow=("org-fork",))) == no(f"pull request #9 for it is open ({whose})")


def test_a_deleted_account_is_trusted_with_nothing() -> None:
    answer = ruled(replace(ISSUE, author=None), TriagePolicy(allow=("ghost", "")))
    assert answer == no("a deleted account wrote it, who is not trusted (no association)")


def test_an_issue_that_a_trusted_person_released_is_work() -> None:
    assert ruled(RELEASED, GO) == yes("ada put label agent-ready on it, MEMBER")


def test_with_a_go_label_the_authors_standing_is_not_enough() -> None:
    assert ruled(ISSUE, GO) == no("it does not have label agent-ready")


@pytest.mark.parametrize(
    ("name", "counts"), [("Agent-Ready", True), ("agent-ready!", False), ("agent", False)]
)
def test_the_go_label_counts_by_its_whole_name_in_any_case(name: str, counts: bool) -> None:
    assert ruled(replace(RELEASED, labels=(Label(name, ADA, T1),)), GO).eligible is counts


@pytest.mark.parametrize(
    ("by", "reason"),
    [
        (None, "it is not known who put it on"),
        (replace(ADA, kind=ActorKind.BOT), "ada put it on, who is bot"),
        (replace(ADA, kind=ActorKind.APP), "ada put it on, who is app"),
        (replace(ADA, kind=ActorKind.AGENT), "ada put it on, who is agent"),
        (replace(ADA, kind=None), "ada put it on, who is not known to be a person"),
        (replace(EVE, login="mallory"), "mallory put it on, who is not trusted"),
        (EVE, "eve put it on, who is not trusted"),
    ],
)
def test_the_go_label_of_others_does_not_count(by: Actor | None, reason: str) -> None:
    labelled = replace(RELEASED, labels=(Label("agent-ready", by, T1),))
    assert ruled(labelled, GO) == no(f"label agent-ready does not count: {reason}")


def test_an_allow_listed_person_releases_but_not_an_allow_listed_app() -> None:
    policy = replace(GO, allow=("bob", "our-app[bot]"))
    bob = Actor("bob", ActorKind.PERSON)
    labelled = replace(RELEASED, labels=(Label("agent-ready", bob, T1),))
    assert ruled(labelled, policy) == yes("bob put label agent-ready on it, on the allow-list")
    assert not ruled(replace(labelled, labels=(Label("agent-ready", APP, T1),)), policy).eligible


def test_authors_release_their_own_issue_only_when_trusted() -> None:
    policy = replace(GO, allow=("eve",))
    own = replace(RELEASED, labels=(Label("agent-ready", replace(EVE, login="Eve"), T1),))
    because = "label agent-ready does not count: Eve put it on his or her own issue"
    assert ruled(own, policy) == no(because)
    assert ruled(replace(RELEASED, author=ADA), GO).eligible


def test_a_release_of_unknown_time_is_no_snapshot() -> None:
    answer = ruled(replace(RELEASED, labels=(Label("agent-ready", ADA),)), GO)
    assert answer == no("label agent-ready does not count: it is not known when it was put on")


def test_one_release_that_counts_is_enough() -> None:
    twice = replace(RELEASED, labels=(Label("agent-ready", None, T1), *RELEASED.labels))
    assert ruled(twice, GO).eligible


@pytest.mark.parametrize("part", ["title", "body"])
@pytest.mark.parametrize(
    ("after", "eligible"),
    [
        (-SECOND, True),
        (timedelta(0), False),
        (timedelta(milliseconds=-1), True),
        (timedelta(milliseconds=999), False),
        (SECOND, False),
    ],
)
def test_what_was_edited_in_the_second_of_its_release_or_later_is_not_released(
    part: str, after: timedelta, eligible: bool
) -> None:
    moment = T1 + after
    edited = (
        replace(RELEASED, title_edited_at=moment) if part == "title" else replace(RELEASED, edited_at=moment)
    )
    because = f"its {part} was edited after it was released; release it again"
    assert ruled(edited, GO) == (yes("ada put label agent-ready on it, MEMBER") if eligible else no(because))


def test_an_edit_in_the_same_second_as_an_early_label_counts_as_later() -> None:
    label = Label("agent-ready", ADA, T1 + timedelta(milliseconds=900))
    assert not ruled(replace(RELEASED, labels=(label,), edited_at=T1), GO).eligible


def test_without_a_go_label_edits_of_a_trusted_authors_issue_change_nothing() -> None:
    assert ruled(replace(ISSUE, edited_at=T1, title_edited_at=T1)).eligible


def test_an_open_pull_request_claims_the_issue() -> None:
    pull = PullRequestRef(9, "open", ADA)
    assert ruled(replace(ISSUE, pull_requests=(pull,))) == no("pull request #9 for it is open (by ada)")


def test_a_strangers_pull_request_blocks_too_and_is_named() -> None:
    for by, named in ((EVE, "eve"), (None, "a deleted account")):
        pull = PullRequestRef(9, "open", by)
        because = f"pull request #9 for it is open (by {named}, who is not trusted)"
        assert ruled(replace(ISSUE, pull_requests=(pull,))) == no(because)


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_a_pull_request_that_has_ended_claims_nothing(state: str) -> None:
    assert ruled(replace(ISSUE, pull_requests=(PullRequestRef(9, state, EVE),))).eligible


@pytest.mark.parametrize("kind", [None, *ActorKind])
def test_an_assigned_person_does_it_himself(kind: ActorKind | None) -> None:
    answer = ruled(replace(ISSUE, assignees=(Actor("bob", kind),)))
    if kind in (None, ActorKind.PERSON):
        assert answer == no("it is assigned to bob")
    else:
        assert answer.eligible


@pytest.mark.parametrize(
    ("name", "holds"), [("hold", True), ("HOLD", True), ("wip", True), ("on hold", False)]
)
def test_a_hold_label_holds(name: str, holds: bool) -> None:
    policy = replace(POLICY, hold_labels=frozenset({"WIP"}))
    answer = ruled(replace(ISSUE, labels=(Label(name),)), policy)
    assert answer == (no(f"label {name} holds it") if holds else yes("ada wrote it, MEMBER"))


def test_an_open_blocker_blocks_and_one_that_is_not_there_is_closed() -> None:
    blocked = replace(ISSUE, blocked_by=(3, 99))
    blocker = Issue(number=3)
    assert ruled(blocked, POLICY, blocker) == no("it is blocked by #3")
    assert ruled(replace(ISSUE, blocked_by=(99,)), POLICY, blocker).eligible


def test_a_ring_blocks_its_members_and_is_named() -> None:
    ring = "it is in a ring of issues that block each other: #3, #5, #7"
    five = replace(ISSUE, blocked_by=(3,))
    three, seven = replace(ISSUE, number=3, blocked_by=(7,)), replace(ISSUE, number=7, blocked_by=(5,))
    outside = replace(ISSUE, number=8, blocked_by=(7,))
    assert ruled(five, POLICY, three, seven, outside).because == ring
    assert ruled(seven, POLICY, three, five, outside).because == ring
    assert ruled(outside, POLICY, three, five, seven).because == "it is blocked by #7"


def test_an_issue_that_blocks_itself_is_a_ring_of_one() -> None:
    answer = ruled(replace(ISSUE, blocked_by=(5,)))
    assert answer == no("it is in a ring of issues that block each other: #5")


def test_a_ring_does_not_hide_another_blocker() -> None:
    five = replace(ISSUE, blocked_by=(5, 3))
    assert ruled(five, POLICY, Issue(number=3)) == no(
        "it is in a ring of issues that block each other: #5; it is blocked by #3"
    )


def test_every_reason_is_named_at_once() -> None:
    issue = replace(
        ISSUE,
        author=EVE,
        labels=(Label("hold"),),
        assignees=(ADA,),
        pull_requests=(PullRequestRef(9, "open", ADA),),
    )
    assert ruled(issue) == no(
        "eve wrote it, who is not trusted (NONE); pull request #9 for it is open (by ada); "
        "it is assigned to ada; label hold holds it"
    )
