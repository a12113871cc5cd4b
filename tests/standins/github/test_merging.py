"""Whether and how pull requests merge."""

from typing import Any

import pytest

from hive.standins.github import merging
from hive.standins.github.records import Pull
from tests.standins.github.harness import World, git

_PULLS = "/repos/o/r/pulls"


def _read(world: World, number: int) -> Any:
    return world.call("GET", f"{_PULLS}/{number}").body


def test_mergeable_is_unknown_at_the_first_look_after_every_change(world: World) -> None:
    pull = world.open_pull("topic")
    assert pull["mergeable"] is None
    assert _read(world, pull["number"])["mergeable"] is True
    world.push("topic", {"c.txt": "c\n"}, base="origin/topic")
    looks = [_read(world, pull["number"]) for _ in range(2)]
    assert [look["mergeable"] for look in looks] == [None, True]
    assert [look["mergeable_state"] for look in looks] == ["unknown", "clean"]


def test_a_conflict_is_gits_and_refuses_the_merge(world: World) -> None:
    first = world.open_pull("one", {"README.md": "# one\n"})
    second = world.open_pull("two", {"README.md": "# two\n"})
    assert world.call("PUT", f"{_PULLS}/{first['number']}/merge", {}).status == 200
    _read(world, second["number"])
    assert _read(world, second["number"])["mergeable_state"] == "dirty"
    answer = world.call("PUT", f"{_PULLS}/{second['number']}/merge", {})
    assert (answer.status, answer.body["message"]) == (405, "Pull Request is not mergeable")


def test_a_merge_is_refused_on_any_other_head_than_the_judged_one(world: World) -> None:
    pull = world.open_pull("topic")
    world.push("topic", {"c.txt": "c\n"}, base="origin/topic")
    answer = world.call("PUT", f"{_PULLS}/{pull['number']}/merge", {"sha": pull["head"]["sha"]})
    assert (answer.status, answer.body["message"]) == (409, merging.MODIFIED)
    assert _read(world, pull["number"])["merged"] is False


def test_a_draft_does_not_merge(world: World) -> None:
    pull = world.open_pull("topic", draft=True)
    answer = world.call("PUT", f"{_PULLS}/{pull['number']}/merge", {})
    assert (answer.status, answer.body["message"]) == (405, "Pull Request is still a draft")


@pytest.mark.parametrize(
    ("method", "parents", "subject"),
    [
        ("merge", 2, "Merge pull request #6 from o/topic"),
        ("squash", 1, "Add topic (#6)"),
        ("rebase", 1, "Change topic.txt"),
    ],
)
def test_each_method_makes_its_own_commit(world: World, method: str, parents: int, subject: str) -> None:
    world.open_pull("other", {"other.txt": "o\n"})
    world.call("PUT", f"{_PULLS}/6/merge", {})
    pull = world.open_pull("topic")
    world.push("later", {"later.txt": "l\n"})
    answer = world.call("PUT", f"{_PULLS}/{pull['number']}/merge", {"merge_method": method})
    assert answer.status == 200, answer
    bare = f"--git-dir={world.forge.path_of('o/r')}"
    tip = git(bare, "rev-parse", "main")
    assert answer.body["sha"] == tip
    assert len(git(bare, "log", "-1", "--format=%P", "main").split()) == parents
    assert git(bare, "log", "-1", "--format=%s", "main") == subject.replace("#6", "#7")
    assert "topic.txt" in git(bare, "ls-tree", "--name-only", "main")


def test_a_merge_into_the_default_branch_closes_the_issues_it_names(world: World) -> None:
    pull = world.open_pull("topic", body="Fixes #1, resolves: o/r#5. Mentions #2.")
    world.call("PUT", f"{_PULLS}/{pull['number']}/merge", {})
    states = [world.call("GET", f"/repos/o/r/issues/{n}").body for n in (1, 5)]
    assert [(issue["state"], issue["state_reason"]) for issue in states] == [("closed", "completed")] * 2


def test_a_second_merge_of_the_same_pull_request_is_refused(world: World) -> None:
    pull = world.open_pull("topic")
    statuses = [world.call("PUT", f"{_PULLS}/{pull['number']}/merge", {}).status for _ in range(2)]
    assert statuses == [200, 405]


def test_a_merge_that_a_crash_cut_off_after_the_base_moved_is_completed_at_the_next_start(
    world: World,
) -> None:
    number = world.open_pull("topic")["number"]
    repo = world.forge.repository("o/r")
    assert repo is not None
    pull = world.forge.pull(repo, number)
    assert isinstance(pull, Pull)
    pull.merging = pull.head_sha
    world.forge.git(repo).update("refs/heads/main", pull.head_sha)
    with world.forge.transaction():
        merging.finish_interrupted(world.forge)
    body = _read(world, number)
    assert (body["merged"], body["merge_commit_sha"]) == (True, pull.head_sha)


def test_a_merge_that_a_crash_cut_off_before_the_base_moved_did_not_happen(world: World) -> None:
    number = world.open_pull("topic")["number"]
    repo = world.forge.repository("o/r")
    assert repo is not None
    pull = world.forge.pull(repo, number)
    assert isinstance(pull, Pull)
    pull.merging = pull.head_sha
    with world.forge.transaction():
        merging.finish_interrupted(world.forge)
    assert _read(world, number)["merged"] is False
    again = world.forge.pull(repo, number)
    assert again is not None
    assert again.merging is None
