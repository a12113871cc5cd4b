"""Merging and what belongs to it against the stand-in, with real git."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive.errors import Moved, Refused
from hive.facts.bases import QueueEntry
from hive.facts.forge import PullRequest
from tests.shells.github.stages import REPO, StandInStage

BRANCH = "hive/quality/1"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path)
    yield made
    made.close()


def opened(stage: StandInStage, title: str = "Multiply") -> PullRequest:
    stage.push(BRANCH)
    return stage.forge.open_pull_request(REPO, head=BRANCH, base="main", title=title, body="", draft=False)


def merged(stage: StandInStage, pull: PullRequest, method: str = "squash") -> str:
    head = str(pull.head)
    return stage.forge.merge(REPO, pull.number, head=head, method=method, marker="hive: merge/x")


def text(stage: StandInStage, path: str = "a.py") -> str:
    found = stage.as_person("ada", "GET", f"/contents/{path}")
    return base64.b64decode(found["content"]).decode()


def test_a_merge_commit_carries_the_title_made_harmless_and_hives_mark_alone(stage: StandInStage) -> None:
    pull = opened(stage, "Multiply [skip ci] for @ada")
    commit = merged(stage, pull)
    message = stage.as_person("ada", "GET", f"/commits/{commit}")["commit"]["message"]
    assert message == f"Multiply for ada (#{pull.number})\n\nhive: merge/x"
    [seen] = stage.forge.look(REPO).recent
    assert (seen.state, seen.merge_commit) == ("merged", commit)


@pytest.mark.parametrize("method", ["squash", "merge", "rebase"])
def test_a_merge_is_undone_by_a_pull_request_of_hives_own(stage: StandInStage, method: str) -> None:
    before = text(stage)
    pull = opened(stage)
    merged(stage, pull, method)
    assert text(stage) != before
    made = stage.forge.revert(REPO, pull.number, title="Revert it", body="because")
    assert (made.head_ref, made.title, made.base) == (f"revert-{pull.number}-{BRANCH}", "Revert it", "main")
    [seen] = stage.forge.look(REPO).pull_requests
    assert seen.checks == ()
    merged(stage, made)
    assert text(stage) == before
    with pytest.raises(Refused):
        stage.forge.revert(REPO, pull.number, title="again", body="")


def test_a_branch_is_deleted_only_where_it_was_merged_and_twice_does_nothing(stage: StandInStage) -> None:
    pull = opened(stage)
    merged(stage, pull)
    moved = stage.push(BRANCH)
    with pytest.raises(Moved):
        stage.forge.delete_branch(REPO, BRANCH, head=str(pull.head))
    stage.forge.delete_branch(REPO, BRANCH, head=moved)
    stage.forge.delete_branch(REPO, BRANCH, head=moved)
    assert [one["name"] for one in stage.as_person("ada", "GET", "/branches")] == ["main"]


def test_a_commit_is_seen_by_branch_and_by_sha_with_every_run(stage: StandInStage) -> None:
    commit = merged(stage, opened(stage))
    run: dict[str, Any] = {
        "name": "build",
        "head_sha": commit,
        "status": "completed",
        "conclusion": "failure",
    }
    stage.as_person("ada", "POST", "/check-runs", run)
    for ref in ("main", commit):
        seen = stage.forge.commit(REPO, ref)
        told = [(one.name, one.conclusion, one.head) for one in seen.checks]
        assert (seen.sha, told) == (commit, [("build", "failure", commit)])


def test_a_merge_queue_takes_the_judged_head_and_says_why_it_gave_it_back(stage: StandInStage) -> None:
    ruleset = {
        "name": "queue",
        "target": "branch",
        "enforcement": "active",
        "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
        "rules": [
            {"type": "merge_queue", "parameters": {"merge_method": "SQUASH"}},
            {
                "type": "required_status_checks",
                "parameters": {
                    "strict_required_status_checks_policy": False,
                    "required_status_checks": [{"context": "build"}],
                },
            },
        ],
    }
    pull = opened(stage)
    stage.as_person("the-bot", "POST", "/rulesets", ruleset)
    passed = {"context": "build", "state": "success"}
    stage.as_person("ada", "POST", f"/statuses/{pull.head}", passed)
    with pytest.raises(Moved):
        stage.forge.enqueue(REPO, pull.number, head="0" * 40)
    stage.forge.enqueue(REPO, pull.number, head=str(pull.head))
    [seen] = stage.forge.look(REPO).pull_requests
    assert seen.rules is not None
    assert seen.rules.queue
    assert seen.queued == QueueEntry(1, "awaiting_checks")
    stage.forge.dequeue(REPO, pull.number)
    [seen] = stage.forge.look(REPO).pull_requests
    assert (seen.queued, seen.dequeued) == (None, "manual")
