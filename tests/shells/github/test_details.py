"""What is read of a pull request besides, and its branch brought up to its base, against the stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.errors import Moved
from hive.facts.actors import Association
from hive.facts.forge import PullRequest
from hive.facts.pull_details import DetailsWanted
from hive.shells.github.details import _last
from tests.shells.github.stages import REPO, StandInStage

BRANCH = "hive/quality/1"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    yield made
    made.close()


def opened(stage: StandInStage) -> PullRequest:
    stage.push(BRANCH)
    return stage.forge.open_pull_request(REPO, head=BRANCH, base="main", title="x", body="", draft=False)


def test_threads_and_reviews_come_with_who_said_what(stage: StandInStage) -> None:
    pull = opened(stage)
    comment = {"path": "a.py", "line": 1, "side": "RIGHT", "body": "Why?"}
    asks = {"event": "REQUEST_CHANGES", "body": "Not quite.", "commit_id": pull.head, "comments": [comment]}
    stage.as_person("ada", "POST", f"/pulls/{pull.number}/reviews", asks)
    [first] = stage.as_person("ada", "GET", f"/pulls/{pull.number}/comments")
    replies = f"/pulls/{pull.number}/comments/{first['id']}/replies"
    stage.as_person("tim", "POST", replies, {"body": "Because."})
    found = stage.forge.details(REPO, [DetailsWanted(pull.number, str(pull.head), talks=True)])
    details = found[pull.number]
    [thread] = details.threads
    assert (thread.path, thread.line, thread.is_resolved, thread.is_outdated) == ("a.py", 1, False, False)
    assert [(one.by.login, one.by.association, one.body) for one in thread.comments if one.by] == [
        ("ada", Association.MEMBER, "Why?"),
        ("tim", Association.NONE, "Because."),
    ]
    assert thread.comments[0].id == first["id"]
    reviews = [one for one in details.reviews if one.state == "changes_requested"]
    assert [(one.by and one.by.login, one.head, one.body) for one in reviews] == [
        ("ada", pull.head, "Not quite.")
    ]
    assert details.is_whole


def test_a_check_without_a_log_tells_what_it_reported_and_is_read_once(stage: StandInStage) -> None:
    pull = opened(stage)
    run = {
        "name": "lint",
        "head_sha": pull.head,
        "status": "completed",
        "conclusion": "failure",
        "output": {"title": "2 faults", "summary": "a.py:1\na.py:2"},
    }
    made = stage.as_person("ci", "POST", "/check-runs", run)
    wanted = [DetailsWanted(pull.number, str(pull.head), (made["id"],))]
    [failure] = stage.forge.details(REPO, wanted)[pull.number].failures
    assert (failure.check, failure.step, failure.lines) == ("lint", "", ("2 faults", "a.py:1", "a.py:2"))
    stage.counted()
    assert stage.forge.details(REPO, wanted)[pull.number].failures == (failure,)
    assert sum(stage.counted().values()) == 0


def test_of_a_log_the_lines_before_the_runners_own_error_count() -> None:
    at = "2026-11-30T12:00:00.0000000Z "
    log = [f"{at}line {number}\r" for number in range(500)]
    log += [f"{at}##[error]Process completed with exit code 1.", f"{at}Post job cleanup."]
    found = _last(log)
    assert (len(found), found[0]) == (200, "line 301")
    assert found[-1] == "##[error]Process completed with exit code 1."


def test_the_newest_base_is_merged_into_exactly_the_head_that_was_meant(stage: StandInStage) -> None:
    pull = opened(stage)
    there = {"message": "More", "content": "eAo=", "branch": "main"}
    stage.as_person("ada", "PUT", "/contents/b.py", there)
    with pytest.raises(Moved):
        stage.forge.update_branch(REPO, pull.number, head="0" * 40)
    stage.forge.update_branch(REPO, pull.number, head=str(pull.head))
    moved = stage.as_person("ada", "GET", f"/pulls/{pull.number}")["head"]["sha"]
    parents = stage.as_person("ada", "GET", f"/commits/{moved}")["parents"]
    tip = stage.as_person("ada", "GET", "/branches/main")["commit"]["sha"]
    assert [one["sha"] for one in parents] == [pull.head, tip]
