"""Reviews, statuses, check runs, and the check command."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.standins.github.harness import World, git, serve, write_seed


def _until(look: Callable[[], Any], seconds: float = 30) -> Any:
    """What `look` finds, once it is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def _finished(world: World, sha: str) -> Any:
    def look() -> Any:
        runs = world.call("GET", f"/repos/o/r/commits/{sha}/check-runs").body["check_runs"]
        return runs[0] if runs and runs[0]["status"] == "completed" else None

    return _until(look)


def test_nobody_approves_their_own_pull_request(world: World) -> None:
    number = world.open_pull("topic")["number"]
    path = f"/repos/o/r/pulls/{number}/reviews"
    own = world.call("POST", path, {"event": "APPROVE"})
    assert (own.status, own.body["message"]) == (422, "Can not approve your own pull request")
    assert world.call("POST", path, {"event": "COMMENT", "body": "Mind the gap"}).status == 200
    other = world.call("POST", path, {"event": "APPROVE"}, token="token-ada")
    assert (other.status, other.body["state"]) == (200, "APPROVED")


def test_a_review_is_bound_to_the_head_it_saw(world: World) -> None:
    pull = world.open_pull("topic")
    path = f"/repos/o/r/pulls/{pull['number']}/reviews"
    world.call("POST", path, {"event": "APPROVE"}, token="token-ada")
    world.push("topic", {"c.txt": "c\n"}, base="origin/topic")
    assert [review["commit_id"] for review in world.call("GET", path).body] == [pull["head"]["sha"]]


def test_the_combined_status_is_the_newest_of_each_context(world: World) -> None:
    sha = world.push("topic", {"b.txt": "b\n"})
    for context, state in (("a", "failure"), ("b", "success"), ("a", "success")):
        world.call("POST", f"/repos/o/r/statuses/{sha}", {"context": context, "state": state})
    body = world.call("GET", f"/repos/o/r/commits/{sha}/status").body
    assert (body["state"], body["total_count"]) == ("success", 2)


def test_a_new_run_of_the_same_name_hides_the_old_one(world: World) -> None:
    sha = world.push("topic", {"b.txt": "b\n"})
    for conclusion in ("failure", "success"):
        world.call("POST", "/repos/o/r/check-runs", {"name": "t", "head_sha": sha, "conclusion": conclusion})
    path = f"/repos/o/r/commits/{sha}/check-runs"
    runs = {
        name: world.call("GET", path + query).body for name, query in (("new", ""), ("all", "?filter=all"))
    }
    assert [run["conclusion"] for run in runs["new"]["check_runs"]] == ["success"]
    assert runs["all"]["total_count"] == 2


def test_the_check_command_runs_on_the_merge_result(tmp_path: Path) -> None:
    # Each branch alone is fine; only together with what main has by now does it fail.
    command = "test ! -e one.txt || test ! -e two.txt; r=$?; echo checked; exit $r"
    with serve(tmp_path / "root", write_seed(tmp_path), check_command=command) as world:
        one = world.open_pull("one")
        run = _finished(world, one["head"]["sha"])
        assert (run["name"], run["app"]["slug"], run["conclusion"]) == ("check", "github-actions", "success")
        assert run["output"]["text"] == "checked"
        world.push("two", {"two.txt": "t\n"})
        world.call("PUT", f"/repos/o/r/pulls/{one['number']}/merge", {})
        wanted = {"title": "Two", "head": "two", "base": "main"}
        two = world.call("POST", "/repos/o/r/pulls", wanted).body
        assert _finished(world, two["head"]["sha"])["conclusion"] == "failure"


def test_the_check_command_sees_no_token_and_is_ended_at_its_time_limit(tmp_path: Path) -> None:
    command = "env; sleep 60 & sleep 60"
    with serve(tmp_path / "root", write_seed(tmp_path), check_command=command, check_timeout_s=0.5) as world:
        pull = world.open_pull("topic")
        run = _finished(world, pull["head"]["sha"])
        assert run["conclusion"] == "timed_out"
        names = {line.split("=")[0] for line in run["output"]["text"].splitlines()}
        assert names <= {"PATH", "HOME", "CI", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"}


def test_a_head_that_conflicts_with_its_base_is_not_checked(tmp_path: Path) -> None:
    with serve(tmp_path / "root", write_seed(tmp_path), check_command="true") as world:
        world.push("topic", {"README.md": "# topic\n"})
        work = world.root.parent / "work"
        git("checkout", "--quiet", "-B", "main", "origin/main", cwd=work)
        (work / "README.md").write_text("# main\n", encoding="utf-8")
        git("commit", "--quiet", "-am", "Change", cwd=work)
        git("push", "--quiet", "origin", "main", cwd=work)
        pull = world.call("POST", "/repos/o/r/pulls", {"title": "T", "head": "topic", "base": "main"}).body
        runs = world.call("GET", f"/repos/o/r/commits/{pull['head']['sha']}/check-runs").body
        assert runs["total_count"] == 0
