"""An issue with an open pull request is offered to nobody, however that says what it is about (hive 5111)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.issue_claims import of_branch, with_claims
from hive.decisions.triage import triage
from hive.facts.forge import LinkedIssue, PullRequestRef
from tests.decisions.worlds import ADA, REPO, issue, look, policy, pull


def against(**changes: object) -> str:
    """What triage has against issue 7 with this pull request open."""
    made = pull(
        31, **({"title": "t", "body": "", "head_ref": "topic", "linked_issues": (), "author": ADA} | changes)
    )
    seen = with_claims(look([issue(7), issue(8)], [made]).value)
    items = {item.number: item for item in triage(seen.issues, policy().triage)}
    assert items[8].eligible
    return "" if items[7].eligible else items[7].because


@pytest.mark.parametrize(
    ("changes", "how"),
    [
        ({"linked_issues": (LinkedIssue(7, "open"),)}, ""),
        ({"head_ref": "7-crash"}, ", by the name of its branch"),
        ({"head_ref": "hive/other-1/7-crash", "head_repo": "eve/fork"}, ", by the name of its branch"),
        ({"title": "Stop the crash (#7)"}, ", by its title"),
        ({"body": "This is part of #7."}, ", by its text"),
        ({"body": f"Work on https://github.com/{REPO}/issues/7 begins"}, ", by its text"),
        ({"body": f"Implements: {REPO}#7", "draft": True}, ", by its text"),
        ({"body": "FIXES: GH-7", "base": "develop"}, ", by its text"),
        ({"body": "a\r\n- closes #7, #8000"}, ", by its text"),
    ],
)
def test_every_way_of_naming_an_issue_claims_it(changes: dict[str, object], how: str) -> None:
    assert against(**changes) == f"pull request #31 for it is open (by ada{how})"


@pytest.mark.parametrize(
    "changes",
    [
        {"body": "See #7 for the background"},
        {"body": "`for #7`\n```\npart of #7\n```\n<!-- for #7 -->"},
        {"body": "for other/place#7"},
        {"body": "prefixes #7, fixes #70 and fixes other/place#7"},
        {"title": "Add other/place#7"},
        {"head_ref": "release/7"},
        {"head_ref": "v7-rewrite"},
        {"head_ref": "dependabot/npm/left-pad-7.0.1"},
    ],
)
def test_what_only_mentions_an_issue_claims_nothing(changes: dict[str, object]) -> None:
    assert against(**changes) == ""


def test_what_the_forge_links_is_kept_as_it_is_and_told_once() -> None:
    known = PullRequestRef(31, "open", ADA)
    seen = look(
        [issue(7, pull_requests=(known,))],
        [pull(31, head_ref="7-x", linked_issues=(LinkedIssue(7, "open"),))],
    )
    assert with_claims(seen.value) == seen.value
    assert with_claims(replace(seen.value, pull_requests=())) == replace(seen.value, pull_requests=())


@pytest.mark.parametrize("name", ["fix/12", "issue-12", "gh-12-x", "feature/12_x", "12", "fixes#12", "12-x"])
def test_a_branch_is_named_after_an_issue(name: str) -> None:
    assert of_branch(name) == 12


@pytest.mark.parametrize("name", ["x12", "fix-12.5", "12.1-x", "main", "stable/12", "bugfix", "", "a//b"])
def test_a_branch_is_named_after_something_else(name: str) -> None:
    assert of_branch(name) == 0
