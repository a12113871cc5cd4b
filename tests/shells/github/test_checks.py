"""Every check is seen, and the machine's time zone changes nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hive.facts.forge import PullRequest
from hive.shells.github import nouns
from tests.shells.github.stages import REPO, StandInStage

BRANCH = "hive/quality/1"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def in_kolkata() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Kolkata"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


def opened(stage: StandInStage) -> PullRequest:
    stage.push(BRANCH)
    return stage.forge.open_pull_request(REPO, head=BRANCH, base="main", title="t", body="", draft=False)


def test_of_140_check_runs_the_only_failure_is_seen_wherever_it_is(stage: StandInStage) -> None:
    head = opened(stage).head
    for number in range(1, 141):
        conclusion = "failure" if number == 131 else "success"
        body = {"name": f"run {number}", "head_sha": head, "status": "completed", "conclusion": conclusion}
        stage.as_person("ada", "POST", "/check-runs", body)
    for number in range(1, 41):
        body = {"context": f"status {number}", "state": "error" if number == 35 else "success"}
        stage.as_person("ada", "POST", f"/statuses/{head}", body)
    [pull] = stage.forge.look(REPO).pull_requests
    assert pull.checks is not None
    assert (len(pull.checks), pull.checks_total) == (180, 180)
    failed = [(check.name, check.source) for check in pull.checks if check.conclusion == "failure"]
    assert failed == [("run 131", "check"), ("status 35", "status")]


def test_of_a_check_that_is_run_again_the_newest_run_is_told(stage: StandInStage) -> None:
    head = opened(stage).head
    for conclusion in ("failure", "success"):
        body = {"name": "test", "head_sha": head, "status": "completed", "conclusion": conclusion}
        stage.as_person("ada", "POST", "/check-runs", body)
    [pull] = stage.forge.look(REPO).pull_requests
    assert pull.checks is not None
    assert [check.conclusion for check in pull.checks] == ["success"]
    assert pull.checks_total == 1


@pytest.mark.usefixtures("in_kolkata")
def test_the_machines_time_zone_changes_nothing(stage: StandInStage) -> None:
    number = stage.forge.file_issue(REPO, title="t", body="", labels=["bug"])
    pull = opened(stage)
    seen = stage.forge.look(REPO)
    at = seen.issues[0].created_at
    assert seen.issues[0].number == number
    assert at is not None
    assert at.utcoffset() == timedelta(0)
    assert abs(at - datetime.now(UTC)) < timedelta(minutes=5)  # noqa: TID251 - an independent clock
    pushed = stage.forge.pull_request(REPO, pull.number).pushed_at
    assert pushed is not None
    assert timedelta(0) <= pushed - at < timedelta(minutes=5)


@pytest.mark.parametrize("text", ["2026-11-30T06:30:00Z", "2026-11-30T08:30:00+02:00"])
@pytest.mark.usefixtures("in_kolkata")
def test_a_time_is_the_same_in_every_notation(text: str) -> None:
    assert nouns.moment(text) == datetime(2026, 11, 30, 6, 30, tzinfo=UTC)
