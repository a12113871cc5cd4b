"""A creation that is asked for twice is made once, and what a person approves is made by hive itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from hive.facts.autonomy import Action
from hive.facts.events import ApprovalCarriedOut, HoldDecided, HoldUsed, RequestDone
from hive.facts.verdicts import Ruling, Verdict
from hive.ports.authority import Identity
from tests.gateway.place import REPO, Place

PATH = f"/repos/{REPO}/issues/1/comments"
HELLO = json.dumps({"body": "hello"})


def made(place: Place) -> list[str]:
    return [row["what"] for row in place.forge.audit() if row["what"] in ("comment.create", "issue.create")]


def until(is_so: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def outcomes(place: Place) -> list[str]:
    """Of all writes so far: they go on record beside their answers, and no later than the gateway's end."""
    place.gateway.close()
    return [event.outcome for event in place.authority.events_of(RequestDone)]


def begun_only(place: Place) -> None:
    """As if the process had ended after the only creation was sent."""
    (kept,) = (place.settings.state / "answers").glob("*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    begun = json.loads(kept.read_text().splitlines()[1])
    assert begun.keys() == {"begun"}
    kept.write_text(f"{json.dumps(begun)}\n")


def test_a_repeated_creation_gets_the_first_answer_also_after_a_restart(place: Place) -> None:
    first = place.api("POST", PATH, HELLO)
    assert first[0] == 201
    assert place.api("POST", PATH, HELLO) == first
    place.restart()
    assert place.api("POST", PATH, '{ "body":"hello"}') == first
    assert place.api("POST", PATH, json.dumps({"body": "hello."}))[1]["id"] != first[1]["id"]
    query = """mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { number } } }"""
    repo = place.good_api("GET", f"/repos/{REPO}")["node_id"]
    asked = json.dumps(
        {"query": query, "variables": {"i": {"repositoryId": repo, "title": "T", "body": "b"}}}
    )
    issue = place.good_api("POST", "/graphql", asked)
    assert place.good_api("POST", "/graphql", asked) == issue
    assert made(place) == ["comment.create"] * 2 + ["issue.create"]
    assert outcomes(place) == ["done", "repeated", "repeated", "done", "done", "repeated"]


def test_a_creation_whose_answer_was_lost_is_found_and_not_made_again(place: Place) -> None:
    first = place.good_api("POST", PATH, HELLO)
    begun_only(place)
    assert place.good_api("POST", PATH, HELLO)["id"] == first["id"]
    assert made(place) == ["comment.create"]
    assert outcomes(place) == ["done", "found"]


def test_a_begun_creation_that_the_forge_does_not_show_is_made(place: Place) -> None:
    first = place.good_api("POST", PATH, HELLO)
    assert place.api("DELETE", f"/repos/{REPO}/issues/comments/{first['id']}")[0] == 204
    begun_only(place)
    assert place.good_api("POST", PATH, HELLO)["id"] != first["id"]


def guard(identity: Identity, action: Action, *_: object) -> Verdict | None:
    return Verdict(Ruling.HOLD, "guardrail.x", "it is loud") if action is Action.COMMENT else None


def test_what_was_approved_is_made_by_hive_once_and_the_agent_gets_that_answer(place: Place) -> None:
    place.authority.guard = guard
    assert place.api("POST", PATH, HELLO)[0] == 403
    assert made(place) == []
    place.authority.record([HoldDecided(hold_id="H1", approved=True, by="ann")])
    until(lambda: bool(place.authority.events_of(ApprovalCarriedOut)))
    (end,) = place.authority.events_of(ApprovalCarriedOut)
    assert (end.agent, end.holds, end.outcome) == ("quality", ("H1",), "done")
    assert made(place) == ["comment.create"]
    assert [one.hold_id for one in place.authority.events_of(HoldUsed)] == ["H1"]
    assert list((place.settings.state / "held").glob("*")) == []
    assert place.good_api("POST", PATH, HELLO)["body"].startswith("hello"), "it asks again all the same"
    assert made(place) == ["comment.create"]


def test_what_was_approved_and_begun_before_a_crash_is_brought_to_its_end(place: Place) -> None:
    place.authority.guard = guard
    place.api("POST", PATH, HELLO)
    place.gateway.close()
    place.authority.record(
        [
            HoldDecided(hold_id="H1", approved=True, by="ann"),
            HoldUsed(agent="quality", hold_id="H1", request_id="lost"),
        ]
    )
    place.restart()
    until(lambda: bool(place.authority.events_of(ApprovalCarriedOut)))
    assert made(place) == ["comment.create"]


def test_what_was_denied_is_forgotten(place: Place) -> None:
    place.authority.guard = guard
    place.api("POST", PATH, HELLO)
    place.authority.record([HoldDecided(hold_id="H1", approved=False, by="ann", why="no")])
    until(lambda: list((place.settings.state / "held").glob("*")) == [])
    assert made(place) == []
