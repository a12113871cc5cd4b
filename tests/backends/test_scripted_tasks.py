"""What the scripted agent does with a task, with real git and a `gh` that notes."""

from __future__ import annotations

from tests.backends.stage import Stage, prompt

URL = "https://github.com/o/r/pull/1"
CREATE = ["pr", "create"]


def test_a_task_becomes_one_branch_with_one_commit_and_one_pull_request(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt("Please say hello.", clone=clone))
    end = stage.until_end()
    assert (end["prompt_id"], end["outcome"], end["detail"]) == ("t1/p1", "done", f"opened {URL}")
    assert stage.git("log", "--format=%s", "main..hive/a/12-hello").splitlines() == ["Say hello"]
    assert stage.git("diff", "--name-only", "main", "hive/a/12-hello").split() == ["notes/issue-12.md"]
    assert "Please say hello." in stage.git("show", "hive/a/12-hello:notes/issue-12.md")
    assert stage.gh_calls() == [
        [
            *("pr", "create", "--repo", "o/r", "--base", "main", "--head", "hive/a/12-hello"),
            *("--title", "Say hello", "--body", "Say hello\n\nFixes #12"),
        ]
    ]
