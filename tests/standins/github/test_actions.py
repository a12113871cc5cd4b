"""Workflow runs, their jobs and logs, as a reader of a failure finds them."""

import io
import zipfile
from typing import Any

from hive.standins.github.acting import Actor
from tests.standins.github.harness import World
from tests.standins.github.openapi import problems

_ACTIONS = "/repos/o/r/actions"


def _checked(world: World, path: str) -> Any:
    answer = world.call("GET", path)
    assert (answer.status, problems("GET", path, 200, answer.body)) == (200, []), path
    return answer.body


def test_a_failed_job_is_found_read_and_run_again(world: World) -> None:
    pull = world.open_pull("topic")
    ci, sha = Actor(world.forge, "github-actions[bot]", kind="app"), pull["head"]["sha"]
    ci.reports("o/r", sha, "lint", "success", workflow="CI")
    failed = ci.reports("o/r", sha, "test", "failure", workflow="CI", log="collected 3\nE  boom\n" * 3000)
    [run] = _checked(world, f"{_ACTIONS}/runs?head_sha={sha}")["workflow_runs"]
    assert (run["status"], run["conclusion"], run["head_branch"]) == ("completed", "failure", "topic")
    one = f"{_ACTIONS}/runs/{run['id']}"
    _checked(world, one)
    jobs = _checked(world, f"{one}/jobs")["jobs"]
    assert [(job["name"], job["conclusion"]) for job in jobs] == [("lint", "success"), ("test", "failure")]
    _checked(world, f"{_ACTIONS}/jobs/{failed}")
    _checked(world, f"{_ACTIONS}/workflows")
    moved = world.call("GET", f"{_ACTIONS}/jobs/{failed}/logs")
    assert moved.status == 302
    text = world.call("GET", moved.headers["location"].split("/api/v3", 1)[1], token=None).body.decode()
    assert text.splitlines()[-1].endswith("##[error]Process completed with exit code 1.")
    assert len(text.splitlines()) == 6003
    moved = world.call("GET", f"{one}/logs")
    data = world.call("GET", moved.headers["location"].split("/api/v3", 1)[1], token=None).body
    assert "1_test.txt" in zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert world.call("POST", f"{one}/rerun-failed-jobs").status == 201
    shown = _checked(world, f"{one}/jobs")["jobs"]
    assert [(job["name"], job["status"], job["run_attempt"]) for job in shown] == [
        ("lint", "completed", 1),
        ("test", "queued", 2),
    ]
    assert world.call("POST", f"{one}/cancel").status == 202
    assert _checked(world, one)["conclusion"] == "cancelled"
