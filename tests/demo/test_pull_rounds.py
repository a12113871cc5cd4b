"""What becomes of a pull request after it was opened: failed checks, reviewers, conflicts."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import IntentStarted
from hive.facts.intents import ClaimWork, FinishTask
from hive.facts.work import TaskKind
from tests.demo.worlds import demo, issues_file, prompts, pulls, records, until, until_settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MAIL = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
TOKEN = "ada-reviews-0123456789"


def patch(path: str, old: list[str], new: list[str], name: str = "diff") -> str:
    """A block with a patch that makes `old` lines `new` ones; no old ones: the file is new."""
    a, b = (f"a/{path}" if old else "/dev/null"), (f"b/{path}" if new else "/dev/null")
    mode = "" if old and new else f"{'new' if new else 'deleted'} file mode 100644\n"
    span = f"@@ -{1 if old else 0},{len(old)} +{1 if new else 0},{len(new)} @@"
    body = "".join([*(f"-{line}\n" for line in old), *(f"+{line}\n" for line in new)])
    return f"```{name}\ndiff --git a/{path} b/{path}\n{mode}--- {a}\n+++ {b}\n{span}\n{body}```\n"


ISSUES = {
    "Say more": f"{patch('BROKEN', [], ['broken'])}\n{patch('BROKEN', ['broken'], [], 'mend')}",
    "Count further": patch("count.txt", ["one"], ["one and two"]),
    "Explain it": "There is no explanation.",
}


@dataclass
class House:
    """A world with a daemon and a person who reviews."""

    daemon: DemoDaemon

    def pull(self, title: str) -> Mapping[str, Any]:
        [found] = [one for one in pulls(self.daemon.world) if one["title"] == title]
        return found

    def ask(self, path: str, body: Mapping[str, Any] | None = None, method: str = "") -> Any:
        """As ada, by the forge's own interface."""
        world = self.daemon.world
        request = urllib.request.Request(
            f"{world.forge.api_url}/repos/{world.repository}/{path}",
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
            method=method or ("GET" if body is None else "POST"),
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def claims(self) -> Counter[tuple[TaskKind, int]]:
        """Tasks that were given, by kind and number."""
        return Counter(
            (record.event.body.kind, record.event.body.issue)
            for record in records(self.daemon)
            if isinstance(record.event, IntentStarted) and isinstance(record.event.body, ClaimWork)
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Three pull requests are opened; ada reviews one and changes on the base what another changes."""
    folder = tmp_path_factory.mktemp("rounds")
    repo = folder / "counting"
    repo.mkdir()
    (repo / "count.txt").write_text("one\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run(["git", *MAIL, *arguments], cwd=repo, check=True)
    wishes = Wishes(
        level=5,
        agents=2,
        repo=repo,
        issues=issues_file(folder, ISSUES),
        check="! test -e BROKEN",
        people={"ada": TOKEN},
    )
    with demo(folder / "world", wishes) as daemon:
        found = House(daemon)
        daemon.start()
        until(lambda: len(pulls(daemon.world)) == len(ISSUES), "a pull request for each issue")
        until_settled(daemon)
        _people_act(found)
        until_settled(daemon)
        yield found


def _people_act(house: House) -> None:
    reviewed = house.pull("Explain it")
    comment = {"path": "notes/issue-3.md", "line": 1, "side": "RIGHT", "body": "Say it shorter."}
    asks = {"event": "REQUEST_CHANGES", "body": "Not quite.", "comments": [comment]}
    house.ask(f"pulls/{reviewed['number']}/reviews", {**asks, "commit_id": reviewed["head_sha"]})
    there = house.ask("contents/count.txt")
    changed = {"message": "Count in words", "content": "b25lIHdvcmQK", "sha": there["sha"]}
    house.ask("contents/count.txt", changed, "PUT")
    until(
        lambda: {kind for kind, _ in house.claims()} >= {TaskKind.ANSWER_REVIEW, TaskKind.REBASE},
        "tasks for what people did",
    )


def test_failed_checks_go_back_to_the_agent_and_are_mended(house: House) -> None:
    pull = house.pull("Say more")
    assert pull["checks"] == {"check": "success"}
    assert house.claims()[TaskKind.FIX_CI, pull["number"]] == 1


def test_a_thread_is_answered_once_and_left_to_the_reviewer_to_resolve(house: House) -> None:
    pull = house.pull("Explain it")
    comments = house.ask(f"pulls/{pull['number']}/comments")
    assert [(one["user"]["login"], "Say it shorter." in one["body"]) for one in comments] == [
        ("ada", True),
        ("hive-bot", False),
    ]
    assert comments[1]["in_reply_to_id"] == comments[0]["id"]
    assert house.claims()[TaskKind.ANSWER_REVIEW, pull["number"]] == 1


def test_a_conflict_with_the_base_is_rebased_away(house: House) -> None:
    pull = house.pull("Count further")
    assert house.ask(f"pulls/{pull['number']}")["mergeable"] is True
    assert house.claims()[TaskKind.REBASE, pull["number"]] == 1


def test_every_prompt_arrives_once_and_every_task_comes_to_its_end(house: House) -> None:
    assert set(prompts(house.daemon.world).values()) == {1}
    ends = [record.event.body for record in records(house.daemon) if isinstance(record.event, IntentStarted)]
    outcomes = Counter(one.outcome for one in ends if isinstance(one, FinishTask))
    assert outcomes == {"pull-request": 3, "done": 3}
