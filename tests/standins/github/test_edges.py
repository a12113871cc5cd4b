"""What goes wrong at the edges: odd texts, private repositories, half-made things, lost parents."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.standins.github.harness import World, git, serve, write_seed

_HOSTILE = "`id` $(id) \"'\\ 🐝 \u202e\u200b\x1b[31m \x00 <!-- x -->"


def test_any_text_can_be_a_title_and_merge(world: World) -> None:
    pull = world.open_pull("topic", title=_HOSTILE, body=_HOSTILE)
    assert pull["title"] == _HOSTILE
    merged = world.call("PUT", f"/repos/o/r/pulls/{pull['number']}/merge", {"merge_method": "squash"})
    assert merged.status == 200, merged
    subject = git(f"--git-dir={world.forge.path_of('o/r')}", "log", "-1", "--format=%s", "main")
    assert subject == _HOSTILE.replace("\x00", "") + f" (#{pull['number']})"


def test_half_of_a_surrogate_pair_does_no_harm(world: World) -> None:
    made = world.call("POST", "/repos/o/r/issues", {"title": "half \ud83d"})
    assert (made.status, made.body["title"]) == (201, "half ?")
    assert world.call("GET", "/repos/o/r/issues").status == 200


def test_an_issue_with_an_assignee_who_is_nobody_is_not_made(world: World) -> None:
    answer = world.call("POST", "/repos/o/r/issues", {"title": "T", "assignees": ["nobody-at-all"]})
    assert answer.status == 422
    assert len(world.call("GET", "/repos/o/r/issues?state=all").body) == 2


def test_a_private_repository_is_not_there_for_others(tmp_path: Path) -> None:
    private = [{"full_name": "o/r", "from_folder": "source", "private": True}]
    accounts = [
        {"login": "ada", "token": "token-ada", "permission": "read"},
        {"login": "eve", "token": "token-eve"},
    ]
    with serve(tmp_path / "root", write_seed(tmp_path, repos=private, accounts=accounts)) as world:
        statuses = [world.call("GET", "/repos/o/r", token=f"token-{who}").status for who in ("ada", "eve")]
        assert statuses == [200, 404]
        assert world.call("GET", "/search/issues?q=repo:o/r", token="token-eve").body["total_count"] == 0
        assert "not found" in git("ls-remote", world.clone_url("token-eve"), check=False)
        assert "main" in git("ls-remote", world.clone_url("token-ada"))


def test_a_stacked_pull_request_is_merged_with_the_one_that_contains_it(world: World) -> None:
    first = world.open_pull("first")
    world.push("second", {"second.txt": "s\n"}, base="origin/first")
    wanted = {"title": "Second", "head": "second", "base": "main"}
    second = world.call("POST", "/repos/o/r/pulls", wanted).body
    assert world.call("PUT", f"/repos/o/r/pulls/{second['number']}/merge", {}).status == 200
    assert world.call("GET", f"/repos/o/r/pulls/{first['number']}").body["merged"] is True


def test_a_branch_goes_with_its_merge_where_the_repository_says_so(tmp_path: Path) -> None:
    repository = [{"full_name": "o/r", "from_folder": "source", "delete_branch_on_merge": True}]
    with serve(tmp_path / "root", write_seed(tmp_path, repos=repository)) as world:
        number = world.open_pull("topic")["number"]
        world.call("PUT", f"/repos/o/r/pulls/{number}/merge", {})
        assert world.call("GET", "/repos/o/r/branches/topic").status == 404
        body = world.call("GET", f"/repos/o/r/pulls/{number}").body
        assert (body["merged"], body["changed_files"]) == (True, 1)


def test_a_slow_answer_does_not_hold_up_the_others(world: World) -> None:
    world.control("POST", "/faults", {"match": {"path": "/user$"}, "do": "slow:1"})
    started = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(world.call, "GET", "/user")
        while world.control("GET", "/faults")["waiting"]:
            assert time.monotonic() - started < 10
        world.call("GET", "/repos/o/r")
        assert not slow.done()
        assert slow.result(10).status == 200
    assert time.monotonic() - started >= 1


_STARTER = """
import sys
from pathlib import Path
from hive.standins.github import process
print(process.start(Path(sys.argv[1])).pid, flush=True)
"""


def test_a_stand_in_ends_when_its_starter_is_gone(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STARTER, str(tmp_path / "root")], capture_output=True, text=True, check=True
    )
    process = Path("/proc") / done.stdout.strip()
    deadline = time.monotonic() + 30
    while process.exists() and "hive.standins.github" in (process / "cmdline").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_stand_in_whose_starter_is_gone_before_it_begins_ends_at_once(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    run = [
        sys.executable,
        "-m",
        "hive.standins.github",
        f"--root={tmp_path / 'root'}",
        f"--parent={gone.pid}",
    ]
    assert subprocess.run(run, timeout=60, check=False).returncode == 0
