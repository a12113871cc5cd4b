"""Agents look through each other's pull requests in a whole hive, and what none finds fine is not merged."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import IntentStarted, PullRequestReviewed
from hive.facts.intents import ClaimWork, DeliverPrompt, MergePullRequest
from hive.facts.work import TaskKind
from tests.demo.worlds import demo, issues_file, prompts, pulls, records, until, until_settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MAIL = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
TOKEN = "ada-looks-0123456789"
_TYPO = """```diff
diff --git a/TYPO b/TYPO
new file mode 100644
--- /dev/null
+++ b/TYPO
@@ -0,0 +1 @@
+oops
```
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoDaemon]:
    """Two agents at the highest level and one issue, whose change the reviewer objects to once."""
    folder = tmp_path_factory.mktemp("peers")
    repo = folder / "letters"
    repo.mkdir()
    (repo / "letter.txt").write_text("Dear all\n")
    (repo / "AGENTS.md").write_text("Be polite.\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run(["git", *MAIL, *arguments], cwd=repo, check=True)
    wishes = Wishes(
        level=6,
        agents=2,
        repo=repo,
        issues=issues_file(folder, {"Write it down": _TYPO}),
        check="test -e letter.txt",
        people={"ada": TOKEN},
        reviewers=("scanner", "quality"),
    )
    with demo(folder / "world", wishes) as found:
        found.start()
        until(lambda: [one for one in pulls(found.world) if one["merged"]], "the merge")
        until_settled(found)
        yield found


def told(daemon: DemoDaemon) -> list[ClaimWork]:
    """Tasks that an agent was told of; a claim that was moot before is none."""
    bodies = [record.event.body for record in records(daemon) if isinstance(record.event, IntentStarted)]
    prompted = {body.task for body in bodies if isinstance(body, DeliverPrompt)}
    return [body for body in bodies if isinstance(body, ClaimWork) and body.task in prompted]


def ask(daemon: DemoDaemon, path: str) -> Any:
    world = daemon.world
    request = urllib.request.Request(
        f"{world.forge.api_url}/repos/{world.repository}/{path}", headers={"Authorization": f"token {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_the_other_agent_reviews_each_head_and_who_opened_it_answers(daemon: DemoDaemon) -> None:
    given = told(daemon)
    assert [one.kind for one in given] == [
        TaskKind.ISSUE,
        TaskKind.REVIEW,
        TaskKind.ANSWER_REVIEW,
        TaskKind.REVIEW,
    ]
    opener, first, answerer, second = (one.agent for one in given)
    assert opener == answerer != first == second


def test_each_verdict_is_bound_to_its_head_and_the_last_head_alone_was_merged(daemon: DemoDaemon) -> None:
    [pull] = pulls(daemon.world)
    found = [(one.head, one.verdict) for one in _events(daemon)]
    assert [verdict for _, verdict in found] == ["changes", "fine"]
    assert found[0][0] != found[1][0] == pull["head_sha"]
    merges = [
        record.event.body.head
        for record in records(daemon)
        if isinstance(record.event, IntentStarted) and isinstance(record.event.body, MergePullRequest)
    ]
    assert merges == [pull["head_sha"]]


def test_the_reviews_stand_at_the_forge_and_every_prompt_arrived_once(daemon: DemoDaemon) -> None:
    [pull] = pulls(daemon.world)
    reviews = ask(daemon, f"pulls/{pull['number']}/reviews")
    words = [(one["user"]["login"], one["state"], one["body"].splitlines()[0]) for one in reviews]
    assert words == [
        ("hive-bot", "COMMENTED", "Verdict: changes"),
        ("hive-bot", "COMMENTED", "Verdict: fine"),
    ]
    assert set(prompts(daemon.world).values()) == {1}


def test_every_prompt_has_what_the_repository_says_to_those_who_work_on_it(daemon: DemoDaemon) -> None:
    bodies = [record.event.body for record in records(daemon) if isinstance(record.event, IntentStarted)]
    texts = [body.text for body in bodies if isinstance(body, DeliverPrompt)]
    assert texts
    words = "repository's own words, AGENTS.md, by its default branch:\n| Be polite.\n"
    assert all(words in one for one in texts)


def _events(daemon: DemoDaemon) -> list[PullRequestReviewed]:
    return [record.event for record in records(daemon) if isinstance(record.event, PullRequestReviewed)]
