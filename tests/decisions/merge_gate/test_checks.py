from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.merge_gate import MergePolicy, MergeVerdict, RequiredCheck, judge
from hive.facts.forge import Check
from tests.decisions.merge_gate.good import (
    BUILD,
    HEAD,
    MERGES,
    MISSING_AT,
    NOW,
    OLD,
    POLICY,
    PR,
    REQUIRED,
    outcome,
)

BLOCKED, WAIT = MergeVerdict.BLOCKED, MergeVerdict.WAIT
LATER = MISSING_AT
CONCLUSIONS = (
    "success failure neutral cancelled skipped timed_out action_required stale startup_failure novelty"
)


def required(*rules: RequiredCheck | str) -> MergePolicy:
    named = tuple(RequiredCheck(rule) if isinstance(rule, str) else rule for rule in rules)
    return replace(POLICY, required=named)


def run(name: str, conclusion: str | None = "success", **other: object) -> Check:
    return replace(BUILD, name=name, conclusion=conclusion, **other)  # type: ignore[arg-type]  # test data


def checked(*checks: Check, policy: MergePolicy = POLICY, later: bool = False) -> object:
    return outcome(replace(PR, checks=checks), policy, LATER if later else NOW)


def no_checks(verdict: MergeVerdict = WAIT) -> object:
    return (verdict, (("no-checks", "checks", MISSING_AT if verdict == WAIT else None),))


@pytest.mark.parametrize("conclusion", CONCLUSIONS.split())
def test_a_required_check_is_green_only_with_an_accepted_conclusion(conclusion: str) -> None:
    code = "check-skipped" if conclusion in ("neutral", "skipped") else "check-failed"
    blocked = (BLOCKED, ((code, "build", None),))
    assert checked(run("build", conclusion), policy=REQUIRED) == (
        MERGES if conclusion == "success" else blocked
    )


@pytest.mark.parametrize("conclusion", ["neutral", "skipped"])
def test_skipped_and_neutral_are_green_where_the_operator_lists_them(conclusion: str) -> None:
    policy = replace(REQUIRED, accept=frozenset({"success", conclusion}))
    assert checked(run("build", conclusion), policy=policy) == MERGES


@pytest.mark.parametrize("conclusion", CONCLUSIONS.split())
def test_an_optional_check_does_not_block_where_others_are_required(conclusion: str) -> None:
    assert checked(BUILD, run("lint", conclusion), policy=REQUIRED) == MERGES


@pytest.mark.parametrize("conclusion", CONCLUSIONS.split())
def test_without_required_checks_every_check_must_be_green(conclusion: str) -> None:
    blocked = (BLOCKED, (("check-failed", "lint", None),))
    spares = conclusion in ("success", "neutral", "skipped")
    assert checked(BUILD, run("lint", conclusion)) == (MERGES if spares else blocked)


@pytest.mark.parametrize("status", ["queued", "in_progress", "waiting", "requested", "pending", "novelty"])
@pytest.mark.parametrize("policy", [POLICY, REQUIRED])
def test_every_state_but_completed_is_pending(status: str, policy: MergePolicy) -> None:
    pending = (WAIT, (("check-pending", "build", None),))
    assert checked(run("build", None, status=status), policy=policy) == pending
    assert checked(run("build", "success", status=status), policy=policy) == pending


@pytest.mark.parametrize("policy", [POLICY, REQUIRED])
def test_a_completed_check_without_a_conclusion_is_not_green(policy: MergePolicy) -> None:
    assert checked(run("build", None), policy=policy) == (BLOCKED, (("check-failed", "build", None),))


def test_the_newest_run_counts_by_id_in_any_order() -> None:
    first, second = run("build", "failure", id=5), run("build", "success", id=6)
    assert checked(first, second) == checked(second, first) == MERGES
    older_green = replace(second, id=4)
    blocked = (BLOCKED, (("check-failed", "build", None),))
    assert checked(first, older_green) == checked(older_green, first) == blocked


def test_of_two_runs_with_one_id_both_must_be_green() -> None:
    assert checked(run("build"), run("build", "failure")) == (BLOCKED, (("check-failed", "build", None),))


@pytest.mark.parametrize("field", ["app", "workflow", "source"])
def test_a_name_carried_by_several_must_be_green_in_all_of_them(field: str) -> None:
    other = run("build", "failure", **{"id": 10, field: "status" if field == "source" else "other"})
    blocked = (BLOCKED, (("check-failed", "build", None),))
    assert checked(BUILD, other, policy=REQUIRED) == blocked


def test_a_rule_that_names_an_app_looks_at_no_other() -> None:
    rule = required(RequiredCheck("build", "github-actions"))
    stranger = run("build", "failure", id=99, app="stranger")
    assert checked(BUILD, stranger, policy=rule) == MERGES
    missing = (WAIT, (("check-missing", "build", MISSING_AT),))
    assert checked(run("build", app="stranger"), policy=rule) == missing
    assert checked(run("build", app=None, source="status"), policy=rule) == missing


def test_a_required_check_that_never_reported_waits_first_and_then_needs_a_person() -> None:
    policy = required("build", "e2e")
    assert checked(BUILD, policy=policy) == (WAIT, (("check-missing", "e2e", MISSING_AT),))
    assert checked(BUILD, policy=policy, later=True) == (BLOCKED, (("check-missing", "e2e", None),))
    before = outcome(replace(PR, checks=(BUILD,)), policy, MISSING_AT - timedelta(seconds=1))
    assert before == (WAIT, (("check-missing", "e2e", MISSING_AT),))


def test_each_missing_or_failed_check_is_named() -> None:
    policy = required("a", "b", "c", "d")
    answer = checked(run("a", "failure"), run("b", None, status="queued"), run("c", "skipped"), policy=policy)
    assert answer == (
        BLOCKED,
        (
            ("check-failed", "a", None),
            ("check-skipped", "c", None),
            ("check-pending", "b", None),
            ("check-missing", "d", MISSING_AT),
        ),
    )


def test_a_required_check_that_reported_only_on_another_head_is_stale() -> None:
    stale = run("build", head=OLD)
    assert checked(stale, policy=REQUIRED) == (WAIT, (("check-stale", "build", MISSING_AT),))
    assert checked(stale, policy=REQUIRED, later=True) == (BLOCKED, (("check-stale", "build", None),))


def test_a_run_on_another_head_counts_for_nothing() -> None:
    assert checked(BUILD, run("build", "failure", id=99, head=OLD), policy=REQUIRED) == MERGES
    assert checked(BUILD, run("build", "failure", id=99, head=OLD)) == MERGES


def test_without_required_checks_what_reported_before_must_report_again() -> None:
    assert checked(BUILD, run("e2e", "failure", head=OLD)) == (
        WAIT,
        (("check-stale", "e2e", MISSING_AT),),
    )


def test_a_head_without_checks_waits_first_and_then_needs_a_person() -> None:
    assert checked() == no_checks()
    assert checked(later=True) == no_checks(BLOCKED)


def test_a_repository_without_ci_has_to_say_so() -> None:
    assert checked(policy=replace(POLICY, allow_no_checks=True)) == MERGES


def test_that_no_checks_are_needed_does_not_excuse_those_of_the_last_head() -> None:
    answer = checked(run("build", head=OLD), policy=replace(POLICY, allow_no_checks=True))
    assert answer == (WAIT, (("check-stale", "build", MISSING_AT),))


@pytest.mark.parametrize("allowed", [False, True])
def test_checks_that_were_all_skipped_have_shown_nothing(allowed: bool) -> None:
    policy = replace(POLICY, allow_no_checks=allowed)
    assert checked(run("build", "skipped"), run("docs", "neutral"), policy=policy) == no_checks()


def test_skipped_checks_pass_where_the_operator_accepts_them() -> None:
    policy = replace(POLICY, accept=frozenset({"success", "skipped"}))
    assert checked(run("build", "skipped"), policy=policy) == MERGES


@pytest.mark.parametrize("checks", [(), (BUILD,), (run("lint", "failure"),)])
def test_requiring_nothing_needs_a_word_from_the_operator(checks: tuple[Check, ...]) -> None:
    nothing = required()
    assert checked(*checks, policy=nothing) == no_checks(BLOCKED)
    assert checked(*checks, policy=replace(nothing, allow_no_checks=True)) == MERGES


def test_own_checks_are_not_looked_at() -> None:
    own = replace(POLICY, own_checks=frozenset({"hive/gate"}))
    pending = run("hive/gate", None, status="in_progress")
    assert checked(BUILD, pending, policy=own) == MERGES
    assert checked(BUILD, replace(pending, head=OLD), policy=own) == MERGES
    assert checked(BUILD, pending, policy=replace(own, required=(RequiredCheck("build"),))) == MERGES
    both = (RequiredCheck("build"), RequiredCheck("hive/gate"))
    assert checked(BUILD, pending, policy=replace(own, required=both)) == MERGES


def test_an_own_check_is_no_proof_that_anything_passed() -> None:
    own = replace(POLICY, own_checks=frozenset({"build"}))
    assert checked(BUILD, policy=own) == no_checks()
    only = replace(own, required=(RequiredCheck("build"),))
    assert checked(BUILD, policy=only) == no_checks(BLOCKED)


def test_the_hundred_and_thirty_first_check_counts() -> None:
    many = tuple(run(f"job {n}", "failure" if n == 130 else "success", id=n + 1) for n in range(140))
    assert checked(*many) == (BLOCKED, (("check-failed", "job 130", None),))


def test_a_commit_status_is_read_like_a_check() -> None:
    status = Check(12, "lint", "status", HEAD, "completed", "failure")
    assert checked(BUILD, status) == (BLOCKED, (("check-failed", "lint", None),))
    pending = replace(status, status="in_progress", conclusion=None)
    assert checked(BUILD, pending) == (WAIT, (("check-pending", "lint", None),))


@pytest.mark.parametrize(
    ("checks", "policy", "because"),
    [
        ((run("build", "timed_out"),), POLICY, "check build (github-actions, CI) ended with timed_out"),
        (
            (run("build", None),),
            POLICY,
            "check build (github-actions, CI) ended with a conclusion that is not known",
        ),
        (
            (run("build", "failure", app=None, workflow=None, source="status"),),
            POLICY,
            "status build ended with failure",
        ),
        (
            (run("build", None, status="queued", workflow=None),),
            POLICY,
            "check build (github-actions) is queued",
        ),
        (
            (run("build", "skipped"),),
            REQUIRED,
            "check build (github-actions, CI) was skipped, which the policy does not accept",
        ),
        ((), REQUIRED, "check build has not reported"),
        ((), required(RequiredCheck("build", "ci")), "check build of ci has not reported"),
        ((run("build", head=OLD),), REQUIRED, "check build has reported only on another head"),
        ((), POLICY, "no check has reported on this head"),
        ((run("build", "neutral"),), POLICY, "no check of this head has passed"),
        (
            (BUILD,),
            required(),
            "no check is required, and the policy does not say that none is needed (allow_no_checks)",
        ),
    ],
)
def test_each_check_says_what_is_wrong_with_it(
    checks: tuple[Check, ...], policy: MergePolicy, because: str
) -> None:
    judgement = judge(replace(PR, checks=checks), policy, NOW)
    assert [each.because for each in judgement.obstacles] == [because]
