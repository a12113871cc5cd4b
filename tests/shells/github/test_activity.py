"""A leaked credential used beside hive shows at the next look; what persons do themselves does not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from hive.decisions.recall import recall
from hive.decisions.reconcile import compare
from hive.facts import events as e
from hive.facts.activity import Activity
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.memory import Memory
from hive.shells.system.clock import SystemClock
from tests.decisions.worlds import policy
from tests.shells.github.stages import REPO, TOKEN, StandInStage
from tests.shells.github.test_costs import charged

BRANCH = "hive/quality-1/1"


class Beside:
    """Hive on one side, whose memory has pull request `pull` of quality-1's; the thief on the other."""

    def __init__(self, root: Path) -> None:
        self.stage = StandInStage(root)
        self.issue = self.stage.as_person("ada", "POST", "/issues", {"title": "area adds"})["number"]
        self.stage.push(BRANCH)
        opened = self.stage.forge.open_pull_request(
            REPO, head=BRANCH, base="main", title="t", body="", draft=False
        )
        self.pull = opened.number
        self.stage.forge.add_labels(REPO, self.pull, ["hold"])
        self.memory = Memory()
        self.take(*self.look())
        while SystemClock().now().replace(microsecond=0) <= self.memory.watched[REPO]:
            # The forge's times have no finer grain: what is done in that second was there already.
            time.sleep(0.05)
        self.take(
            e.TokenIssued(agent="quality-1", digest="d", generation=1),
            e.PullRequestOpened(
                repo=REPO, number=self.pull, agent="quality-1", head_ref=BRANCH, head="", held=True
            ),
        )

    def look(self) -> list[e.Event]:
        forge, wishes = self.stage.forge, policy(account="hive-bot")
        seen = replace(forge.look(REPO), activity=forge.activity(REPO))
        return [*compare(seen, self.memory, wishes, SystemClock().now())]

    def take(self, *events: e.Event) -> None:
        at = SystemClock().now()
        self.memory = recall(
            self.memory,
            [e.Record(seq=self.memory.seq + 1 + n, at=at, tick=0, event=one) for n, one in enumerate(events)],
        )

    def thief(self, method: str, path: str, body: Any = None) -> None:
        answer = requests.request(
            method,
            f"{self.stage.process.api_url}/repos/{REPO}{path}",
            headers={"Authorization": f"token {TOKEN}"},
            json=body,
            timeout=30,
        )
        assert answer.ok, answer.text


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    made = Beside(tmp_path)
    yield made
    made.stage.close()


Deed = Callable[[Beside], object]
DEEDS: dict[str, tuple[Deed, dict[str, str]]] = {
    "comment": (
        lambda b: b.thief("POST", f"/issues/{b.issue}/comments", {"body": "Trust me."}),
        {"comment": ""},
    ),
    "hold taken off": (
        lambda b: b.thief("DELETE", f"/issues/{b.pull}/labels/hold"),
        {"unlabeled": "quality-1"},
    ),
    "close": (lambda b: b.thief("PATCH", f"/issues/{b.issue}", {"state": "closed"}), {"closed": ""}),
    "push": (lambda b: b.stage.push(BRANCH), {"push": "quality-1"}),
    # It contains the pull request's head, which is merged by that.
    "push to main": (
        lambda b: b.stage.push("main"),
        {"push": "", "merged": "quality-1", "closed": "quality-1"},
    ),
    "new branch": (lambda b: b.stage.push("elsewhere"), {"branch_creation": ""}),
    "merge": (
        lambda b: b.thief("PUT", f"/pulls/{b.pull}/merge", {"merge_method": "squash"}),
        {"merged": "quality-1", "closed": "quality-1", "pr_merge": ""},
    ),
    "approval": (
        lambda b: b.thief("POST", f"/pulls/{b.pull}/reviews", {"event": "COMMENT", "body": "Fine."}),
        {"review": "quality-1"},
    ),
    "issue": (lambda b: b.thief("POST", "/issues", {"title": "Do evil"}), {"issue": ""}),
}


@pytest.mark.parametrize("name", list(DEEDS))
def test_a_leaked_token_used_beside_hive_raises_an_incident_at_the_next_look(
    beside: Beside, name: str
) -> None:
    deed, expected = DEEDS[name]
    assert beside.look() == []
    deed(beside)
    found = beside.look()
    assert {one.what: one.agent for one in found if isinstance(one, e.IncidentRaised)} == expected
    beside.take(*found)
    assert beside.look() == []


def test_what_persons_do_by_their_own_accounts_is_no_incident(beside: Beside) -> None:
    do = beside.stage.as_person
    do("ada", "POST", f"/issues/{beside.issue}/comments", {"body": "Mind @hive-bot, please."})
    do("ada", "DELETE", f"/issues/{beside.pull}/labels/hold")
    do("ada", "PUT", f"/pulls/{beside.pull}/merge", {"merge_method": "squash"})
    do("ada", "PATCH", f"/issues/{beside.issue}", {"state": "closed"})
    do("eve", "POST", "/issues", {"title": "Another"})
    assert beside.look() == []


def test_what_persons_tell_hive_is_seen_with_who_they_are_and_whether_it_was_edited(beside: Beside) -> None:
    do = beside.stage.as_person
    first = do("ada", "POST", f"/issues/{beside.pull}/comments", {"body": "Well.\n/hive approve H3"})
    second = do("eve", "POST", f"/issues/{beside.pull}/comments", {"body": "/hive deny H3 never"})
    do("ada", "POST", f"/issues/{beside.pull}/comments", {"body": "hive/approve, and not /hive approve"})
    do("ada", "POST", f"/issues/{beside.pull}/labels", {"labels": ["go-on"]})
    beside.thief("POST", f"/issues/{beside.pull}/comments", {"body": "/hive approve H3"})
    told = beside.stage.forge.activity(REPO, "Go-On").told
    assert [(one.by, one.number) for one in told if not one.text] == [
        (Actor("ada", ActorKind.PERSON, Association.COLLABORATOR), beside.pull)
    ]
    said = {one.key: (one.by, one.number, one.text, one.edited) for one in told if one.text}
    assert said == {
        f"comment:{first['id']}": (
            Actor("ada", ActorKind.PERSON, Association.MEMBER),
            beside.pull,
            "Well.\n/hive approve H3",
            False,
        ),
        f"comment:{second['id']}": (
            Actor("eve", ActorKind.PERSON, Association.NONE),
            beside.pull,
            "/hive deny H3 never",
            False,
        ),
    }
    assert beside.stage.forge.activity(REPO).told == tuple(one for one in told if one.text)


def test_an_activity_that_did_not_change_takes_six_requests_and_none_is_charged(beside: Beside) -> None:
    first = beside.stage.forge.activity(REPO)
    assert first != Activity()
    beside.stage.counted()
    before = charged(beside.stage)
    assert beside.stage.forge.activity(REPO) == first
    assert charged(beside.stage) == before
    assert sum(beside.stage.counted().values()) == 6 + 2
