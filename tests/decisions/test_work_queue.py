"""The queue of issues, with what their texts wait for and what is overdue."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hive.decisions.governor_policy import GovernorPolicy
from hive.decisions.notice_load import pressures
from hive.decisions.plan_claims import waiting
from hive.decisions.status import Surroundings, document
from hive.decisions.triage import Kind, TriagePolicy
from hive.decisions.work_queue import work_queue
from hive.facts.forge import Issue, Label, RepositorySnapshot
from hive.facts.world import Seen, Unseen
from tests.decisions.worlds import NOW, OTHER, REPO, issue, look, memory, policy, pull, world

DAY = timedelta(days=1)
SURROUNDINGS = Surroundings(
    pid=1, tick=1, tick_seconds=1.0, state="/state", attach="tmux attach", abandoned={}
)
Section = Seen[RepositorySnapshot] | Unseen


def says(number: int, body: str, repo: str = REPO) -> Issue:
    return issue(number, body=body, repo=repo)


def because(mine: Seen[RepositorySnapshot], other: Section, **triage: bool) -> dict[int, str | None]:
    """By number, why it is no work; `None` where it is."""
    here = world(repos={REPO: mine, OTHER: other})
    items = work_queue(here, REPO, policy(triage=TriagePolicy(**triage)))  # type: ignore[arg-type]  # flags
    return {item.number: None if item.eligible else item.because for item in items}


def test_an_issue_waits_while_one_that_its_text_names_is_open() -> None:
    mine = look([says(7, "Blocked by #8"), issue(8), says(9, "Depends on #6")])
    assert because(mine, look(repo=OTHER)) == {
        8: None,
        9: None,
        7: "it is blocked, by what its text says, by #8",
    }
    assert because(mine, look(repo=OTHER), dependencies=False) == {7: None, 8: None, 9: None}


def test_an_open_pull_request_blocks_like_an_issue() -> None:
    mine = look([says(7, "Depends on #31 and #32")], [pull(31)])
    assert because(mine, look(repo=OTHER)) == {7: "it is blocked, by what its text says, by #31"}


def test_issues_whose_texts_name_each_other_are_told_as_a_ring() -> None:
    mine = look([says(7, "Blocked by #8"), issue(8, blocked_by=(7,)), says(9, "Blocked by #7")])
    ring = "it is in a ring of issues that block each other: #7, #8"
    assert because(mine, look(repo=OTHER)) == {
        7: ring,
        8: ring,
        9: "it is blocked, by what its text says, by #7",
    }


def test_what_the_forge_links_and_the_text_repeats_is_told_once() -> None:
    mine = look([issue(7, blocked_by=(8,), body="Blocked by #8"), issue(8)])
    assert because(mine, look(repo=OTHER))[7] == "it is blocked by #8"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (look([issue(3, repo=OTHER)], repo=OTHER), f"it is blocked, by what its text says, by {OTHER}#3"),
        (look([], [pull(3, repo=OTHER)], repo=OTHER), f"it is blocked, by what its text says, by {OTHER}#3"),
        (look([issue(4, repo=OTHER)], repo=OTHER), None),
        (Unseen("timeout", NOW), f"it is blocked, by what its text says, by {OTHER}#3"),
    ],
)
def test_an_issue_of_another_repository_blocks_while_it_is_open_or_not_known(
    other: Section, told: str | None
) -> None:
    assert because(look([says(7, f"Depends on {OTHER.upper()}#3")]), other) == {7: told}


def test_a_ring_through_another_repository_is_told_as_one_to_both() -> None:
    mine = look([says(7, "Blocked by #8"), says(8, f"Depends on {OTHER}#3"), says(9, "Blocked by #7")])
    theirs = look([issue(3, repo=OTHER, body=f"Depends on {REPO}#7")], repo=OTHER)
    here = world(repos={REPO: mine, OTHER: theirs})
    ring = "it is in a ring of issues that block each other: "
    assert because(mine, theirs) == {
        7: f"{ring}#7, #8, {OTHER}#3",
        8: f"{ring}#7, #8, {OTHER}#3",
        9: "it is blocked, by what its text says, by #7",
    }
    (item,) = work_queue(here, OTHER, policy())
    assert item.because == f"{ring}#3, {REPO}#7, {REPO}#8"


def test_what_waits_for_a_ring_elsewhere_is_not_in_it() -> None:
    mine = look([says(7, f"Depends on {OTHER}#3")])
    theirs = look(
        [issue(3, repo=OTHER, body="Blocked by #4"), issue(4, repo=OTHER, body="Blocked by #3")], repo=OTHER
    )
    assert because(mine, theirs) == {7: f"it is blocked, by what its text says, by {OTHER}#3"}


def test_a_repository_that_nobody_watches_blocks_nothing_and_is_told() -> None:
    here = world(repos={REPO: look([says(7, "Depends on some/where#3")])})
    (item,) = work_queue(here, REPO, policy())
    assert item.eligible
    assert item.why == ("some/where#3, which it waits for by its text, is in no repository of hive's",)


def test_what_closes_elsewhere_frees_an_issue_though_its_own_repository_stands_still() -> None:
    mine, rules = look([says(7, f"Depends on {OTHER}#3")]), policy()
    before = world(repos={REPO: mine, OTHER: look([issue(3, repo=OTHER)], repo=OTHER)})
    after = world(repos={REPO: mine, OTHER: look(repo=OTHER)})
    assert [work_queue(one, REPO, rules)[0].eligible for one in (before, after)] == [False, True]


def test_a_repository_that_could_not_be_looked_at_has_no_queue() -> None:
    assert work_queue(world(repos={REPO: Unseen("timeout", NOW)}), REPO, policy()) == ()


def test_an_overdue_issue_is_given_first_counted_as_a_breach_and_says_so() -> None:
    rules = policy(
        triage=TriagePolicy(kinds=(Kind("bug", ("bug",), sla=3 * DAY), Kind("docs", ("docs",), sla=DAY))),
        governor=GovernorPolicy(sla={"": 14 * DAY}),
    )
    bug = issue(7, labels=(Label("bug"),), created_at=NOW - 2 * DAY)
    docs = issue(8, labels=(Label("docs"),), created_at=NOW - 4 * DAY)
    here = world(repos={REPO: look([bug, docs])})
    assert [one.item.number for one in waiting(here, memory(), rules)[REPO]] == [8, 7]
    assert pressures(here, memory(), rules)[REPO].breaches == 1
    rows = document(here, memory(), rules, SURROUNDINGS)["work"]
    assert [(row["number"], row["rank"], row["kind"], row["size"], row["why"]) for row in rows] == [
        (8, 1, "docs", None, ["kind docs by label docs", "4d old", "3d over its SLA of 1d (kind docs)"]),
        (7, 2, "bug", None, ["kind bug by label bug", "2d old", "due in 1d (kind bug)"]),
    ]
