"""What a look costs: how many requests, and how many of them GitHub charges for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hive.facts.forge import ChangedFile
from hive.shells.github.answers import Answer
from hive.shells.github.remembered import Remembered
from tests.shells.github.stages import REPO, StandInStage

CREATED, LATER = "2026-11-01T09:00:00Z", "2026-11-02T09:00:00Z"
PERMISSION = "GET /repos/{owner}/{repo}/collaborators/{login}/permission"


def issues(count: int) -> list[dict[str, Any]]:
    """Open issues; two of three have a label, one of three a comment."""
    return [
        {
            "title": f"issue {number}",
            "author": "eve",
            "created_at": CREATED,
            "labels": [{"name": "go", "by": {"login": "ada"}, "at": LATER}] if number % 3 else [],
            "comments": [] if number % 3 else [{"by": {"login": "eve"}, "at": LATER, "body": "So it is."}],
        }
        for number in range(count)
    ]


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[StandInStage]:
    """200 issues and 60 pull requests, of which 10 are hive's own."""
    made = StandInStage(tmp_path, issues(200))
    made.push_many([*(f"hive/quality/{n}" for n in range(10)), *(f"people/{n}" for n in range(50))])
    for number in range(10):
        made.forge.open_pull_request(
            REPO, head=f"hive/quality/{number}", base="main", title="t", body="", draft=False
        )
    for number in range(50):
        body = {"title": "t", "head": f"people/{number}", "base": "main"}
        made.as_person("ada", "POST", "/pulls", body)
    made.counted()
    yield made
    made.close()


def charged(stage: StandInStage) -> int:
    """Requests that GitHub has charged for so far, GraphQL's too."""
    resources = stage.forge._calls.get("/rate_limit")["resources"]
    return int(resources["core"]["used"] + resources["graphql"]["used"])


def test_a_look_at_200_issues_and_60_pull_requests_takes_4_requests_and_2_once_it_is_known(
    busy: StandInStage,
) -> None:
    cold = busy.forge.look(REPO)
    assert (len(cold.issues), len(cold.pull_requests)) == (200, 60)
    assert busy.counted() == {"POST graphql Overview": 1, "POST graphql Details": 2, PERMISSION: 1}
    assert cold.requests == 4
    before = charged(busy)
    warm = busy.forge.look(REPO)
    # Each of the two costs a point: what is open costs nothing for each issue.
    assert charged(busy) == before + 2
    assert busy.counted() == {"POST graphql Overview": 1, "POST graphql Details": 1, "GET /rate_limit": 2}
    assert (warm.requests, warm.issues) == (2, cold.issues)
    whole = [one for one in warm.pull_requests if one.checks is not None]
    assert [one.head_ref for one in whole] == [f"hive/quality/{n}" for n in range(10)]
    assert {(one.mergeable, one.unresolved_threads, one.reviews, one.files) for one in whole} == {
        (True, 0, (), (ChangedFile("a.py"),))
    }


def test_a_poll_of_what_nobody_touched_takes_2_requests_with_the_activity_counted(busy: StandInStage) -> None:
    busy.forge.look(REPO)
    busy.forge.activity(REPO)
    busy.later = timedelta(minutes=5)
    busy.forge.look(REPO)
    busy.forge.activity(REPO)
    busy.counted()
    busy.forge.look(REPO)
    busy.forge.activity(REPO)
    assert busy.counted() == {"POST graphql Overview": 1, "POST graphql Details": 1}


def test_one_changed_issue_is_asked_for_with_what_is_asked_anyway_and_old_ones_in_time(
    busy: StandInStage,
) -> None:
    busy.forge.look(REPO)
    busy.as_person("ada", "POST", "/issues/7/comments", {"body": "Take care."})
    busy.counted()
    seen = busy.forge.look(REPO)
    assert busy.counted() == {"POST graphql Overview": 1, "POST graphql Details": 1}
    assert [one.body for issue in seen.issues if issue.number == 7 for one in issue.comments] == [
        "So it is.",
        "Take care.",
    ]
    renamed = {"new_name": "stop"}
    busy.as_person("the-bot", "PATCH", "/labels/go", renamed)
    names: list[set[str]] = []
    for minutes in (61, 62, 63, 64):
        busy.later = timedelta(minutes=minutes)
        busy.counted()
        seen = busy.forge.look(REPO)
        assert busy.counted()["POST graphql Details"] == 1
        names.append({label.name for issue in seen.issues for label in issue.labels})
    assert names == [{"go", "stop"}] * 3 + [{"stop"}]


def test_answers_about_old_heads_are_forgotten(tmp_path: Path) -> None:
    stage = StandInStage(tmp_path)
    kept: list[int] = []
    for _ in range(3):
        stage.push("hive/quality/1")
        if not kept:
            stage.forge.open_pull_request(
                REPO, head="hive/quality/1", base="main", title="t", body="", draft=False
            )
        stage.forge.look(REPO)
        kept.append(len(stage.forge._calls._remembered))
    stage.close()
    assert len(set(kept)) == 1, kept


def answer(text: str, etag: str = '"e"') -> Answer:
    return Answer(200, {"etag": etag}, text)


def test_no_more_answers_are_kept_than_there_is_room_for() -> None:
    remembered = Remembered(entries=3)
    for name in "abc":
        remembered.keep(name, answer(name))
    assert remembered.answer("a") == Answer(200, {"etag": '"e"', "link": ""}, "a")
    remembered.keep("d", answer("d"))
    assert [remembered.etag(name) for name in "abcd"] == ['"e"', None, '"e"', '"e"']


def test_no_more_bytes_are_kept_than_there_is_room_for() -> None:
    remembered = Remembered(size=200)
    noise = "".join(f"{number:x}" for number in range(200))
    for name in "abc":
        remembered.keep(name, answer(noise[: 100 + ord(name)]))
        assert remembered.held <= 200
    assert [remembered.etag(name) for name in "abc"] == [None, None, '"e"']
    remembered.keep("c", answer(noise * 20))
    assert (remembered.held, len(remembered)) == (0, 0)
    remembered.keep("d", answer("d", etag=""))
    assert len(remembered) == 0
