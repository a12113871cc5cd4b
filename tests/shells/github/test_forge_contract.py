"""What every forge promises: GitHub's shell over the stand-in, and the fake that other tests use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.errors import Missing, Moved, Refused
from hive.facts.actors import Actor, ActorKind
from hive.facts.forge import PullRequest
from tests.shells.github.stages import REPO, FakeStage, Stage, StandInStage

BRANCH = "hive/quality/1-area"


@pytest.fixture(params=["fake", "stand-in"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    made: Stage = FakeStage() if request.param == "fake" else StandInStage(tmp_path)
    yield made
    made.close()


def opened(stage: Stage, *, body: str = "", draft: bool = False) -> PullRequest:
    stage.push(BRANCH)
    return stage.forge.open_pull_request(
        REPO, head=BRANCH, base="main", title="Multiply", body=body, draft=draft
    )


def labels(pull: PullRequest) -> list[str]:
    return [label.name for label in pull.labels or ()]


def test_a_look_sees_open_issues_and_who_claims_them(stage: Stage) -> None:
    one = stage.forge.file_issue(REPO, title="area adds", body="It should multiply.", labels=["bug"])
    two = stage.forge.file_issue(REPO, title="no tests", body="", labels=[])
    stage.forge.comment(REPO, one, "I see it too.")
    pull = opened(stage, body=f"Fixes #{one}")
    seen = stage.forge.look(REPO)
    assert (seen.repo, seen.default_branch) == (REPO, "main")
    told = {
        issue.number: (
            issue.title,
            issue.body,
            [label.name for label in issue.labels],
            [comment.body for comment in issue.comments],
            [(claim.number, claim.state) for claim in issue.pull_requests],
        )
        for issue in seen.issues
    }
    assert told == {
        one: ("area adds", "It should multiply.", ["bug"], ["I see it too."], [(pull.number, "open")]),
        two: ("no tests", "", [], [], []),
    }
    assert [each.number for each in seen.pull_requests] == [pull.number]
    assert seen.requests > 0


def test_what_hives_own_account_labels_and_says_is_an_agents_word(stage: Stage) -> None:
    number = stage.forge.file_issue(REPO, title="t", body="", labels=["go"])
    stage.forge.comment(REPO, number, "Do it.")
    [issue] = stage.forge.look(REPO).issues
    said = [label.by for label in issue.labels] + [comment.by for comment in issue.comments]
    assert [(by.login, by.kind) for by in said if by] == [("hive-bot", ActorKind.AGENT)] * 2
    assert issue.author == Actor("hive-bot", ActorKind.AGENT), "no owner's word, whoever's account it is"
    assert (issue.title_edited_at, issue.edited_at) == (None, None)


def test_a_pull_request_is_told_whole(stage: Stage) -> None:
    opened(stage)
    head = stage.push(BRANCH)
    number = stage.forge.look(REPO).pull_requests[0].number
    stage.forge.add_labels(REPO, number, ["hold"])
    pull = stage.forge.pull_request(REPO, number)
    assert (pull.head, pull.head_ref, pull.base, pull.draft, pull.state) == (
        head,
        BRANCH,
        "main",
        False,
        "open",
    )
    assert pull.author is not None
    assert pull.author.login == stage.forge.account() == "hive-bot"
    assert labels(pull) == ["hold"]
    assert [file.path for file in pull.files or ()] == ["a.py"]
    assert pull.changed_files == 1
    assert pull.unresolved_threads == 0
    assert pull.pushed_at is not None
    assert pull.pushed_at.tzinfo is not None


def test_a_merge_takes_exactly_the_head_that_was_judged(stage: Stage) -> None:
    issue = stage.forge.file_issue(REPO, title="area adds", body="", labels=[])
    pull = opened(stage, body=f"Fixes #{issue}")
    judged = str(pull.head)
    head = stage.push(BRANCH)
    with pytest.raises(Moved):
        stage.forge.merge(REPO, pull.number, head=judged, method="merge", marker="hive:merge/1")
    assert stage.forge.pull_request(REPO, pull.number).state == "open"
    assert stage.forge.merge(REPO, pull.number, head=head, method="merge", marker="hive:merge/1")
    seen = stage.forge.look(REPO)
    assert ([each.number for each in seen.issues], seen.pull_requests) == ([], ())
    assert [(each.number, each.state) for each in seen.recent] == [(pull.number, "merged")]


def test_a_draft_is_not_merged_until_it_is_ready(stage: Stage) -> None:
    pull = opened(stage, draft=True)
    assert pull.draft is True
    with pytest.raises(Refused):
        stage.forge.merge(REPO, pull.number, head=str(pull.head), method="merge", marker="m")
    stage.forge.set_draft(REPO, pull.number, False)
    assert stage.forge.pull_request(REPO, pull.number).draft is False
    stage.forge.set_draft(REPO, pull.number, True)
    assert stage.forge.pull_request(REPO, pull.number).draft is True


def test_labels_go_on_and_off_as_often_as_one_likes(stage: Stage) -> None:
    pull = opened(stage)
    for _ in range(2):
        stage.forge.add_labels(REPO, pull.number, ["hold", "odd / label"])
    assert sorted(labels(stage.forge.pull_request(REPO, pull.number))) == ["hold", "odd / label"]
    for _ in range(2):
        stage.forge.remove_label(REPO, pull.number, "odd / label")
    assert labels(stage.forge.pull_request(REPO, pull.number)) == ["hold"]


def test_an_issue_of_hives_own_is_found_by_its_marker_changed_in_place_and_its_labels_have_a_time(
    stage: Stage,
) -> None:
    marker = "<!-- hive:finding=0123456789abcdef -->"
    assert stage.forge.marked_issue(REPO, marker) is None
    number = stage.forge.file_issue(REPO, title="t", body=f"b\n{marker}", labels=[])
    stage.forge.file_issue(REPO, title="u", body="b", labels=[])
    assert stage.forge.marked_issue(REPO, marker) == number
    stage.forge.edit_issue(REPO, number, body="other")
    assert stage.forge.marked_issue(REPO, marker) is None
    stage.forge.add_labels(REPO, number, ["hive:a"])
    (label,) = stage.forge.labels(REPO, number)
    assert (label.name, label.at is not None) == ("hive:a", True)
    with pytest.raises(Missing):
        stage.forge.edit_issue(REPO, 999, body="x")


def test_a_second_pull_request_from_a_branch_is_refused(stage: Stage) -> None:
    opened(stage)
    with pytest.raises(Refused):
        opened(stage)


def test_what_is_not_there_is_missing(stage: Stage) -> None:
    with pytest.raises(Missing):
        stage.forge.look("acme/nothing")
    with pytest.raises(Missing):
        stage.forge.pull_request(REPO, 99)
