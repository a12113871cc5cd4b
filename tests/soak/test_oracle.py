"""The witness sees what it is there for: each law is broken once before it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hive.standins.github.acting import Actor
from tests.soak.oracle import Oracle, Rules
from tests.soak.people import CHECK
from tests.soak.soak import BEGIN
from tests.soak.town import BOT, Town


class Stage:
    def __init__(self, root: Path) -> None:
        self.town = Town(root / "forge", repos=1, issues=2, at=BEGIN, chance=1)
        self.repo = self.town.repos[0]
        self.oracle = Oracle(self.town, {self.repo: Rules(300, 1, may_merge=True)})
        self.hive = Actor(self.town.forge, BOT)
        self.ada = Actor(self.town.forge, "person-0")
        self.robot = Actor(self.town.forge, "ci[bot]", kind="app", permission="write")

    def opened(self, branch: str = "hive/worker-0/1", body: str = "Closes #1") -> tuple[int, str]:
        head = self.hive.pushes(self.repo, branch, {f"{branch.replace('/', '-')}.txt": "x\n"})
        return self.hive.opens_pull(self.repo, branch, "Mend", body=body), head

    def good(self) -> int:
        """A pull request that may be merged."""
        number, head = self.opened()
        self.robot.reports(self.repo, head, CHECK, "success")
        self.ada.reviews(self.repo, number, "APPROVE")
        self.town.pass_to(BEGIN + timedelta(minutes=6))
        return number

    def problem(self) -> str:
        (found,) = self.oracle.problems
        return found


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.town.close()


def test_a_merge_that_nothing_was_against_is_no_problem(stage: Stage) -> None:
    stage.hive.merges(stage.repo, stage.good())
    assert stage.oracle.problems == []
    assert stage.oracle.counted["pr.merge"] == 1


def test_a_merge_of_what_was_pushed_reviewed_and_checked_too_little_is_one_each(stage: Stage) -> None:
    number, _ = stage.opened()
    stage.hive.merges(stage.repo, number)
    assert stage.problem().endswith(
        "was merged against the gate: its newest ci is not there; it was pushed to a moment ago; "
        "0 of 1 approvals of this head"
    )


@pytest.mark.parametrize("what", ["hold", "red", "changes", "closed"])
def test_what_came_last_counts(stage: Stage, what: str) -> None:
    number = stage.good()
    if what == "hold":
        stage.ada.labels(stage.repo, number, "hold")
    elif what == "red":
        head = stage.town.forge.store.checks.get(1)
        assert head is not None
        stage.robot.reports(stage.repo, head.head_sha, CHECK, "failure")
    elif what == "changes":
        Actor(stage.town.forge, "person-1").reviews(stage.repo, number, "REQUEST_CHANGES", "No.")
    else:
        stage.ada.closes(stage.repo, 1)
    stage.hive.merges(stage.repo, number)
    told = {
        "hold": "a label holds it",
        "red": "its newest ci is failure",
        "changes": "person-1 wants changes",
        "closed": "#1, which it closes, is closed",
    }
    assert stage.problem().endswith(f"against the gate: {told[what]}")


def test_a_second_pull_request_for_an_issue_is_one_too_many(stage: Stage) -> None:
    stage.opened()
    stage.opened("hive/worker-1/1")
    assert stage.problem().endswith("#4 is about #1, as #3 is")


def test_the_same_issue_filed_twice_is_a_duplicate(stage: Stage) -> None:
    stage.hive.opens_issue(stage.repo, "Odd")
    stage.hive.opens_issue(stage.repo, "Odd")
    assert stage.problem().endswith("the same issue was filed as [3, 4]")


def test_pushes_to_main_and_approvals_by_the_agents_account_are_told(stage: Stage) -> None:
    stage.hive.pushes(stage.repo, "main", {"a.txt": "x\n"})
    assert stage.problem().endswith("acme/grown-000@main was pushed to, which is no branch of an agent's")


def test_quota_is_counted_where_it_is_spent(stage: Stage) -> None:
    stage.town.service.limits.per_hour = 1
    account = stage.town.forge.account(BOT)
    stage.town.service.limits.spend(account, "core")
    assert stage.town.limits.most == {"core": 1.0}
    with pytest.raises(Exception, match="rate limit exceeded"):
        stage.town.service.limits.spend(account, "core")
    assert stage.town.limits.refused == 1
