"""What the scripted agent does with a task, with real git and a `gh` that notes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.screens import ScreenState
from hive_backends.scripted import backend
from tests.backends.hive_socket import HiveSocket
from tests.backends.stage import Stage, prompt, until

URL = "https://github.com/o/r/pull/1"
CREATE = ["pr", "create"]
BRANCH = "hive/a/12-hello"
DIFF = """Fix it like this:
```diff
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-hello
+hello, world
```
"""


@pytest.fixture
def hive(stage: Stage) -> Iterator[HiveSocket]:
    """Where findings go."""
    socket = HiveSocket(stage.folder / "hive.sock")
    stage.environment |= {"HIVE_GATEWAY_SOCKET": str(socket.path), "HIVE_TOKEN": "hive-token-0123456789"}
    try:
        yield socket
    finally:
        socket.close()


def changed(stage: Stage, branch: str = BRANCH) -> list[str]:
    return stage.git("-c", "core.quotePath=false", "diff", "--name-only", "main", branch).splitlines()


def commits(stage: Stage, branch: str = BRANCH) -> list[str]:
    return stage.git("log", "--format=%s", f"main..{branch}").splitlines()


def test_a_task_becomes_one_branch_with_one_commit_and_one_pull_request(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt("Please say hello.", clone=clone))
    end = stage.until_end()
    assert (end["prompt_id"], end["outcome"], end["detail"]) == ("t1/p1", "done", f"opened {URL}")
    assert (commits(stage), changed(stage)) == (["Say hello"], ["notes/issue-12.md"])
    assert "Please say hello." in stage.git("show", f"{BRANCH}:notes/issue-12.md")
    assert stage.gh_calls() == [
        [
            *("pr", "create", "--repo", "o/r", "--base", "main", "--head", BRANCH),
            *("--title", "Say hello", "--body", "Say hello\n\nFixes #12"),
        ]
    ]


def test_a_diff_in_the_issue_is_applied(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt(DIFF, clone=clone))
    assert stage.until_end()["outcome"] == "done"
    assert changed(stage) == ["README.md"]
    assert stage.git("show", f"{BRANCH}:README.md") == "hello, world\n"


def test_a_diff_that_does_not_apply_becomes_a_note(stage: Stage) -> None:
    clone = stage.repository({"README.md": "something else\n"})
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt(DIFF, clone=clone))
    assert stage.until_end()["outcome"] == "done"
    assert changed(stage) == ["notes/issue-12.md"]


def test_names_quotes_and_default_branches_of_any_kind_are_taken_as_they_are(stage: Stage) -> None:
    clone = stage.repository({"döcs/naïve file.txt": "x\n"}, base="trunk")
    stage.gh((CREATE, URL, 0))
    stage.start()
    title = 'Don\'t break "$(touch pwned)" `x`; --flag 🎉'
    stage.submit(prompt("$(touch pwned) `id` \\ ' \"", clone=clone, base="trunk", title=title))
    assert stage.until_end()["outcome"] == "done"
    assert stage.git("log", "--format=%s", f"trunk..{BRANCH}").splitlines() == [title]
    assert stage.gh_calls()[0][9] == title
    assert "$(touch pwned)" in stage.git("show", f"{BRANCH}:notes/issue-12.md")
    assert list(stage.folder.rglob("pwned")) == []


def test_the_same_task_again_pushes_nothing_new_and_takes_the_open_pull_request_as_its_own(
    stage: Stage,
) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt("Say it.", clone=clone))
    stage.until_end()
    head = stage.git("rev-parse", BRANCH)
    exists = f'a pull request for branch "{BRANCH}" into branch "main" already exists:\n{URL}'
    stage.gh((CREATE, exists, 1))
    stage.submit(prompt("Say it.", clone=clone, prompt_id="t1/p2"))
    end = stage.until_end(2)
    assert (end["prompt_id"], end["outcome"], end["detail"]) == ("t1/p2", "done", f"opened {URL}")
    assert stage.git("rev-parse", BRANCH) == head


@pytest.mark.parametrize("point", ["start", "before-push", "after-pr"])
def test_after_a_crash_the_task_goes_on_and_nothing_is_done_twice(stage: Stage, point: str) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    text = f"Say it.\n@script crash-once {point}"
    stage.start()
    stage.submit(prompt(text, clone=clone))
    assert stage.until_dead()[1] == "9"
    stage.restart()
    stage.submit(prompt(text, clone=clone, prompt_id="t1/p2"))
    assert stage.until_end()["outcome"] == "done"
    assert commits(stage) == ["Say hello"]
    assert [(turn.prompt_id, turn.outcome, turn.detail) for turn in backend.turns(stage.lines())] == [
        ("t1/p1", "lost", "the agent was restarted"),
        ("t1/p2", "done", f"opened {URL}"),
    ]


def test_two_tasks_touch_no_file_in_common(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt("One.", clone=clone))
    stage.until_end()
    stage.submit(prompt("Two.", clone=clone, issue=13, prompt_id="t2/p1"))
    stage.until_end(2)
    assert set(changed(stage)).isdisjoint(changed(stage, "hive/a/13-hello"))


def test_a_push_that_the_server_refuses_is_not_tried_again(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.server_refuses("*", "hive: agent 'a' may not push at level 2")
    stage.start()
    stage.submit(prompt("Say it.", clone=clone))
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == (
        "refused",
        "git push: hive: agent 'a' may not push at level 2",
    )
    screen = stage.until_screen(ScreenState.FAILED)
    assert screen.detail == f"Turn refused: {end['detail']}"
    assert (len(stage.tools_run("push")), stage.gh_calls()) == (1, [])


def test_trying_to_push_to_the_base_branch_ends_in_the_servers_refusal(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.server_refuses("refs/heads/main", "hive: agent 'a' may not update refs/heads/main")
    stage.start()
    stage.submit(prompt("@script push-main", clone=clone))
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == (
        "refused",
        "git push: hive: agent 'a' may not update refs/heads/main",
    )


@pytest.mark.parametrize(
    ("mark", "call"),
    [
        ("merge-own", ["pr", "merge", BRANCH, "--repo", "o/r", "--merge"]),
        ("remove-hold", ["pr", "edit", BRANCH, "--repo", "o/r", "--remove-label", "hold"]),
    ],
)
def test_what_no_agent_may_is_tried_and_its_refusal_ends_the_turn(
    stage: Stage, mark: str, call: list[str]
) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0), (call[:2], "GraphQL: hive: agent 'a' may not do that", 1))
    stage.start()
    stage.submit(prompt(f"@script {mark}", clone=clone))
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == (
        "refused",
        f"gh {call[0]} {call[1]}: hive: agent 'a' may not do that",
    )
    assert stage.gh_calls()[-1] == call


def test_while_hive_is_away_the_step_is_retried_and_the_screen_says_so(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, "HTTP 502: Bad Gateway (https://api.github.com/graphql)", 1))
    stage.start()
    stage.submit(prompt("Say it.", clone=clone))
    stage.until_screen(ScreenState.RETRYING)
    stage.gh((CREATE, URL, 0))
    assert stage.until_end()["outcome"] == "done"


def test_a_server_that_stays_away_ends_the_turn_in_an_error(stage: Stage) -> None:
    stage.start(SCRIPTED_RETRY_SECONDS="1")
    stage.submit(prompt("Say it.", clone="http://127.0.0.1:9/o/r.git"))
    end = stage.until_end()
    assert end["outcome"] == "error"
    assert str(end["detail"]).startswith("git clone: fatal: unable to access 'http://127.0.0.1:9/o/r.git/'")


def test_without_gh_the_turn_ends_in_an_error_that_says_so(stage: Stage) -> None:
    clone = stage.repository()
    (stage.tools / "git").symlink_to("/usr/bin/git")
    stage.start(PATH=str(stage.tools))
    stage.submit(prompt("Say it.", clone=clone))
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == (
        "error",
        "gh pr create: gh: No such file or directory (is it installed and on PATH?)",
    )


def test_a_prompt_of_hives_without_a_task_is_an_error(stage: Stage) -> None:
    stage.start()
    stage.submit("hive task t1/p1: do something")
    end = stage.until_end()
    assert (end["prompt_id"], end["outcome"]) == ("t1/p1", "error")


def test_an_advisory_task_records_a_finding_and_does_nothing_else(stage: Stage, hive: HiveSocket) -> None:
    stage.gh()
    stage.start()
    stage.submit(prompt("Why is it slow?", clone="unused", mode="advisory"))
    assert stage.until_end()["outcome"] == "done"
    (request,) = hive.requests
    finding = json.loads(request.body)
    assert (request.line, request.authorization) == ("POST /v1/findings", "token hive-token-0123456789")
    assert (finding["repo"], finding["issue"], finding["title"]) == ("o/r", 12, "Say hello")
    assert "Why is it slow?" in finding["body"]
    assert stage.gh_calls() == []


def test_a_measured_task_also_comments_and_only_once(stage: Stage, hive: HiveSocket) -> None:
    stage.gh((["issue", "comment"], "https://github.com/o/r/issues/12#c", 0))
    stage.start()
    for number in (1, 2):
        stage.submit(prompt("Hm.", clone="unused", mode="measured", prompt_id=f"t1/p{number}"))
        assert stage.until_end(number)["outcome"] == "done"
    (call,) = stage.gh_calls()
    assert call[:6] == ["issue", "comment", "12", "--repo", "o/r", "--body"]


def test_a_finding_waits_for_a_hive_that_is_being_restarted(stage: Stage, hive: HiveSocket) -> None:
    hive.answers = [503, 502, 201]
    stage.start()
    stage.submit(prompt("Hm.", clone="unused", mode="advisory"))
    assert stage.until_end()["outcome"] == "done"
    assert len(hive.requests) == 3


def test_a_finding_that_hive_refuses_ends_the_turn(stage: Stage, hive: HiveSocket) -> None:
    hive.answers = [403]
    stage.start()
    stage.submit(prompt("Hm.", clone="unused", mode="advisory"))
    end = stage.until_end()
    assert (end["outcome"], len(hive.requests)) == ("refused", 1)


def test_a_missing_socket_is_waited_for(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "late.sock"
    stage.start(HIVE_GATEWAY_SOCKET=str(path), HIVE_TOKEN="hive-token-0123456789")
    stage.submit(prompt("Hm.", clone="unused", mode="advisory"))
    stage.until_screen(ScreenState.RETRYING)
    socket = HiveSocket(path)
    try:
        assert stage.until_end()["outcome"] == "done"
        until(lambda: socket.requests, "the finding arrives")
    finally:
        socket.close()


def test_a_task_whose_change_is_in_the_base_already_pushes_nothing(stage: Stage) -> None:
    clone = stage.repository({"README.md": "hello, world\n"})
    stage.gh((CREATE, URL, 0))
    stage.start()
    stage.submit(prompt(DIFF, clone=clone))
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == ("done", "nothing to do: main has what #12 asks for")
    assert (stage.tools_run("push"), stage.gh_calls()) == ([], [])


def test_a_push_that_came_too_late_is_made_once_more_on_a_fresh_view(stage: Stage) -> None:
    clone = stage.repository()
    stage.gh((CREATE, URL, 0))
    stage.server_refuses("*", "hive: the branch has moved meanwhile; fetch, and push again")
    stage.start()
    stage.submit(prompt("Say it.", clone=clone))
    assert stage.until_end()["outcome"] == "refused"
    assert (len(stage.tools_run("push")), len(stage.tools_run("fetch"))) == (2, 1)
