"""What holds for every pull request: bad facts only add obstacles, and order means nothing."""

from __future__ import annotations

import gc
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.merge_gate import MergePolicy, MergeVerdict, RequiredCheck, gate, judge
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.bases import BaseRules, RequiredContext
from hive.facts.forge import ChangedFile, Check, Label, LinkedIssue, PullRequest
from tests.decisions.merge_gate.good import HEAD, NOW, OLD, PR, review

OPTIONAL = {"checks_total", "changed_files", "repo", "title", "body", "url", "state", "head_ref", "head_repo"}
OPTIONAL |= {"base_tip", "behind", "review_decision", "queued", "dequeued", "merge_commit"}
JUDGED = sorted(field.name for field in fields(PullRequest) if field.name not in OPTIONAL | {"number"})

actors = st.one_of(
    st.none(),
    st.builds(
        Actor,
        st.sampled_from(["ada", "bob", "hive-quality"]),
        st.one_of(st.none(), st.sampled_from(ActorKind)),
        st.one_of(st.none(), st.sampled_from(Association)),
    ),
)
heads = st.sampled_from([HEAD, OLD])
checks = st.builds(
    Check,
    id=st.integers(1, 5),
    name=st.sampled_from(["build", "lint", "e2e"]),
    source=st.sampled_from(["check", "status"]),
    head=heads,
    status=st.sampled_from(["completed", "completed", "queued"]),
    conclusion=st.sampled_from([None, "success", "success", "failure", "skipped", "stale"]),
    app=st.sampled_from([None, "github-actions", "other"]),
)
reviews = st.builds(
    review,
    state=st.sampled_from(["approved", "changes_requested", "commented", "dismissed"]),
    head=heads,
    by=actors,
    minute=st.integers(0, 3),
)
pull_requests = st.builds(
    replace,
    st.just(PR),
    draft=st.booleans(),
    mergeable=st.sampled_from([True, True, False, None]),
    labels=st.lists(st.builds(Label, st.sampled_from(["bug", "hold"])), max_size=1).map(tuple),
    checks=st.lists(checks, max_size=5).map(tuple),
    reviews=st.lists(reviews, max_size=4).map(tuple),
    unresolved_threads=st.sampled_from([0, 0, 1]),
    linked_issues=st.lists(
        st.builds(LinkedIssue, st.integers(1, 9), st.sampled_from(["open", "closed"])), max_size=2
    ).map(tuple),
    files=st.lists(
        st.builds(ChangedFile, st.sampled_from(["a.py", "AGENTS.md"]), st.sampled_from([None, ".github/x"])),
        max_size=2,
    ).map(tuple),
)
policies = st.builds(
    MergePolicy,
    required=st.one_of(
        st.none(),
        st.lists(
            st.builds(
                RequiredCheck, st.sampled_from(["build", "lint"]), st.sampled_from([None, "github-actions"])
            ),
            max_size=2,
        ).map(tuple),
    ),
    accept=st.sampled_from([frozenset({"success"}), frozenset({"success", "skipped"})]),
    approvals=st.integers(0, 2),
    allow_no_checks=st.booleans(),
    own_checks=st.sampled_from([frozenset[str](), frozenset({"e2e"})]),
)


@given(pull_requests, policies)
def test_it_merges_exactly_when_nothing_is_in_the_way(pr: PullRequest, policy: MergePolicy) -> None:
    judgement = judge(pr, policy, NOW)
    assert (judgement.verdict == MergeVerdict.MERGE) == (not judgement.obstacles)
    assert judgement.head == pr.head


@given(pull_requests, policies, st.sampled_from(JUDGED))
def test_nothing_merges_while_a_field_is_not_known(pr: PullRequest, policy: MergePolicy, field: str) -> None:
    unknown: dict[str, Any] = {field: None}
    judgement = judge(replace(pr, **unknown), policy, NOW)
    assert judgement.verdict != MergeVerdict.MERGE
    assert field in {obstacle.subject for obstacle in judgement.obstacles}


@given(pull_requests, policies, st.randoms(use_true_random=False))
def test_the_order_of_the_input_means_nothing(pr: PullRequest, policy: MergePolicy, dice: Any) -> None:
    shuffled: dict[str, Any] = {}
    for field in ("labels", "checks", "reviews", "files"):
        values = list(getattr(pr, field))
        dice.shuffle(values)
        shuffled[field] = tuple(values)
    assert judge(replace(pr, **shuffled), policy, NOW) == judge(pr, policy, NOW)


SPOILERS: dict[str, Any] = {
    "draft": True,
    "labels": (Label("hold"),),
    "mergeable": False,
    "unresolved_threads": 3,
    "pushed_at": NOW,
    "checks_total": 99,
    "changed_files": 99,
    "rules": BaseRules(contexts=(RequiredContext("of-the-base"),), strict=True, locked=True),
    "base_checks": (Check(7, "build", "check", "", "completed", "failure"),),
}


@given(pull_requests, policies, st.sampled_from(sorted(SPOILERS)))
def test_a_bad_fact_adds_an_obstacle_and_takes_none_away(
    pr: PullRequest, policy: MergePolicy, spoiler: str
) -> None:
    def codes(of: PullRequest) -> set[tuple[str, str]]:
        return {(str(each.code), each.subject) for each in judge(of, policy, NOW).obstacles}

    spoiled = replace(pr, **{spoiler: SPOILERS[spoiler]})
    before = codes(pr) - {("mergeable-unknown", "mergeable")}
    if spoiler == "rules":
        # That there is no check at all is told by the name of the one that has to be there now.
        assert ("check-missing", "of-the-base") in codes(spoiled)
        before -= {("no-checks", "checks")}
    assert before <= codes(spoiled)
    # Of the base counts what counts of the head.
    is_told = policy.required is None or "build" in {one.name for one in policy.required}
    if spoiler != "base_checks" or is_told:
        assert judge(spoiled, policy, NOW).verdict != MergeVerdict.MERGE


@given(pull_requests, policies)
def test_a_failing_newest_check_of_this_head_never_merges_where_all_must_pass(
    pr: PullRequest, policy: MergePolicy
) -> None:
    failing = Check(99, "build", "check", HEAD, "completed", "failure", "github-actions")
    everything = replace(policy, required=None)
    judgement = judge(replace(pr, checks=(*(pr.checks or ()), failing)), everything, NOW)
    assert judgement.verdict == MergeVerdict.BLOCKED


@given(
    pull_requests,
    policies,
    policies,
    st.lists(st.integers(-90, 90).map(lambda minutes: timedelta(minutes=minutes)), min_size=2, max_size=6),
)
def test_one_that_was_judged_before_is_judged_as_one_that_never_was(
    pr: PullRequest, policy: MergePolicy, other: MergePolicy, moments: list[timedelta]
) -> None:
    for moment in moments:
        for rules in (policy, replace(policy), other):
            now = NOW + moment
            assert judge(pr, rules, now) == judge(replace(pr), rules, now)


def test_a_judgement_is_kept_no_longer_than_its_pull_request() -> None:
    pr = replace(PR)
    key = id(pr)
    judge(pr, MergePolicy(), NOW)
    assert key in gate._judged
    del pr
    gc.collect()
    assert key not in gate._judged
