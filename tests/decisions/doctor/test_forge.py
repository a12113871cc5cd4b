"""What is said of a token, its limits, the clock and the repositories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hive.decisions.doctor.finding import State
from hive.decisions.doctor.forge import Reply, account_findings, clock_finding, limit_findings, token_findings
from hive.decisions.doctor.repositories import Wanted, repository_findings
from hive.facts.autonomy import Mode

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
USER = Reply(200, {"x-oauth-scopes": "repo, workflow"}, {"login": "hive-bot"})
REPOSITORY = Reply(
    200,
    data={
        "permissions": {"admin": False, "maintain": False, "push": True, "triage": True, "pull": True},
        "archived": False,
        "has_issues": True,
        "allow_squash_merge": True,
    },
)
WANTED = Wanted("o/r", frozenset({Mode.HOLDGATED}), "squash")


@pytest.mark.parametrize(
    ("token", "user", "expected"),
    [
        ("ghp_x", USER, [State.OK, State.OK]),
        ("ghp_x", replace(USER, headers={"x-oauth-scopes": "public_repo"}), [State.OK, State.WARNING]),
        ("ghp_x", replace(USER, headers={"x-oauth-scopes": "gist"}), [State.OK, State.PROBLEM]),
        ("ghp_x", replace(USER, headers={"x-oauth-scopes": ""}), [State.OK, State.PROBLEM]),
        ("github_pat_x", replace(USER, headers={}), [State.OK, State.SKIPPED]),
        ("ghs_x", Reply(403, data={"message": "Resource not accessible"}), [State.OK, State.SKIPPED]),
        ("ghp_x", Reply(403, data={"message": "suspended"}), [State.PROBLEM]),
        ("ghp_x", Reply(401), [State.PROBLEM]),
        ("ghp_x", Reply(404), [State.PROBLEM]),
    ],
)
def test_a_token_is_judged_by_what_the_forge_says_of_it(
    token: str, user: Reply, expected: list[State]
) -> None:
    found = [*token_findings(token, user)]
    assert [each.state for each in found] == expected
    assert all(each.remedy for each in found if each.state is not State.OK)


def test_nothing_of_a_token_is_told() -> None:
    told = "".join(f"{each.found}{each.remedy}" for each in token_findings("ghp_sesame", Reply(401)))
    assert "sesame" not in told


def test_a_token_that_ends_says_when() -> None:
    headers = {"x-oauth-scopes": "repo", "github-authentication-token-expiration": "2026-12-24 10:00:00 UTC"}
    found = [*token_findings("ghp_x", replace(USER, headers=headers))]
    assert [each.found for each in found][1] == "it ends at 2026-12-24 10:00:00 UTC"


@pytest.mark.parametrize(
    ("left", "state"), [(5000, State.OK), (500, State.OK), (499, State.WARNING), (0, State.PROBLEM)]
)
def test_a_limit_that_is_almost_used_up_is_told(left: int, state: State) -> None:
    window = {"remaining": left, "limit": 5000, "reset": 1}
    found = [*limit_findings(Reply(200, data={"resources": {"core": window, "graphql": window}}))]
    assert [(each.name, each.state) for each in found] == [
        ("rate limit: core", state),
        ("rate limit: graphql", state),
    ]


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (Reply(404), State.SKIPPED),
        (Reply(500), State.WARNING),
        (Reply(200, data=[]), State.WARNING),
    ],
)
def test_a_server_that_tells_no_limits_is_no_failure(reply: Reply, state: State) -> None:
    assert [each.state for each in limit_findings(reply)] == [state]


@pytest.mark.parametrize(
    ("seconds", "state", "found"),
    [
        (0, State.OK, "within 0 s behind the forge's"),
        (-29, State.OK, "within 29 s behind the forge's"),
        (31, State.WARNING, "31 s ahead of the forge's"),
        (-400, State.PROBLEM, "400 s behind the forge's"),
    ],
)
def test_a_clock_that_is_off_is_told_with_the_side(seconds: int, state: State, found: str) -> None:
    told = clock_finding(NOW, NOW + timedelta(seconds=seconds))
    assert (told.state, told.found) == (state, found)


def test_answers_without_a_date_tell_nothing_of_the_clock() -> None:
    assert clock_finding(None, NOW).state is State.SKIPPED


@pytest.mark.parametrize(
    ("modes", "permission"),
    [
        ((), "pull"),
        ((Mode.ADVISORY,), "pull"),
        ((Mode.ADVISORY, Mode.MEASURED), "triage"),
        ((Mode.MEASURED, Mode.HOLDGATED), "push"),
        ((Mode.FULL,), "push"),
    ],
)
def test_a_repository_needs_what_its_most_trusted_agent_does(
    modes: tuple[Mode, ...], permission: str
) -> None:
    assert Wanted("o/r", frozenset(modes), "squash").permission == permission


def test_a_repository_that_allows_all_that_is_needed_is_fine() -> None:
    found = [*repository_findings(WANTED, REPOSITORY)]
    assert [(each.state, each.found) for each in found] == [(State.OK, "push; agents need push")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"permissions": {"pull": True}}, "hive's account has pull; agents in mode full need push"),
        ({"archived": True}, "it is archived: nothing can be written"),
        ({"has_issues": False}, "its issues are switched off: there is no work to find"),
        ({"allow_squash_merge": False}, "it does not allow the merge method squash"),
    ],
)
def test_each_fault_of_a_repository_is_a_problem_with_its_remedy(
    change: dict[str, object], said: str
) -> None:
    wanted = replace(WANTED, modes=frozenset({Mode.FULL}))
    found = [*repository_findings(wanted, replace(REPOSITORY, data={**REPOSITORY.data, **change}))]
    assert [(each.state, each.found) for each in found] == [(State.PROBLEM, said)]
    assert all(each.remedy for each in found)


@pytest.mark.parametrize("reply", [Reply(404), Reply(301), Reply(403, data={"message": "SSO"}), Reply(200)])
def test_a_repository_that_cannot_be_read_is_one_problem(reply: Reply) -> None:
    assert [each.state for each in repository_findings(WANTED, reply)] == [State.PROBLEM]


def test_permissions_that_are_not_told_are_not_missed() -> None:
    data = {key: value for key, value in REPOSITORY.data.items() if key != "permissions"}
    found = [*repository_findings(WANTED, replace(REPOSITORY, data=data))]
    assert [each.state for each in found] == [State.OK]


@pytest.mark.parametrize(
    ("owners", "shared", "found"),
    [
        (["acme"], False, []),
        (["acme", "Hive-Bot"], False, ["what that person does by it is an incident"]),
        (["acme"], True, ["what it does without hive is noted, and no incident"]),
        (["hive-bot"], True, ["what it does without hive is noted, and no incident"]),
    ],
)
def test_an_account_that_a_person_uses_too_is_told_of(
    owners: list[str], shared: bool, found: list[str]
) -> None:
    told = [*account_findings(USER, owners, shared=shared)]
    assert [each.found.partition(": ")[2] for each in told] == found
    assert all(each.state is State.WARNING and each.remedy for each in told)
