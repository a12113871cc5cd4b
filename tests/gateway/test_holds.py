"""What a guardrail holds is put to a person, and let through once on that person's word."""

from __future__ import annotations

import json
import time

import pytest

from hive.facts.autonomy import Action
from hive.facts.events import HoldDecided, HoldUsed
from hive.facts.verdicts import Ruling, Verdict
from hive.ports.authority import Identity
from tests.gateway.place import REPO, Place

PATH = f"/repos/{REPO}/issues/1/comments"
HELLO = json.dumps({"body": "hello"})


@pytest.fixture
def held(place: Place) -> Place:
    """A place where comments and pushes are held by a guardrail."""

    def guard(identity: Identity, action: Action, *_: object) -> Verdict | None:
        if action in (Action.COMMENT, Action.PUSH_OWN_BRANCH):
            return Verdict(Ruling.HOLD, "guardrail.x", "it is loud")
        return None

    place.authority.guard = guard
    return place


def decide(place: Place, name: str, *, approved: bool, why: str = "") -> None:
    place.authority.record([HoldDecided(hold_id=name, approved=approved, by="ann", why=why)])


def comments(place: Place) -> list[str]:
    return [row["what"] for row in place.forge.audit()]


def test_a_held_comment_is_made_once_after_a_person_approved_it(held: Place) -> None:
    status, value = held.api("POST", PATH, HELLO)
    assert status == 403
    assert value["message"] == (
        "hive: it is loud; it waits for a person as H1. Go on without it; once it was approved, "
        "hive does it, exactly as it was asked for (rule guardrail.x)"
    )
    assert held.api("POST", PATH, HELLO)[1] == value, "asking again asks no second person"
    assert held.authority.holds()["H1"].shown == "hello"
    assert comments(held) == []
    decide(held, "H1", approved=True)
    assert held.api("POST", PATH, json.dumps({"body": "hello!"}))[0] == 403, "it was approved as it was shown"
    assert held.api("POST", PATH, HELLO)[0] == 201
    assert len(comments(held)) == 1
    assert held.authority.ruled().count(("comment", f"{REPO}#1", "allow")) == 1
    assert [event.hold_id for event in held.authority.events_of(HoldUsed)] == ["H1"]
    assert held.api("POST", PATH, HELLO)[0] == 201, "the answer of the first time"
    assert len(comments(held)) == 1
    assert "as H2" in held.api("POST", PATH, json.dumps({"body": "hello!"}))[1]["message"]


def test_a_denied_one_is_refused_with_the_persons_reason(held: Place) -> None:
    held.api("POST", PATH, HELLO)
    decide(held, "H1", approved=False, why="say it kindly")
    status, value = held.api("POST", PATH, HELLO)
    assert status == 403
    assert value["message"].startswith("hive: ann denied it as H1: say it kindly (rule hold.denied)")
    assert comments(held) == []


def test_a_held_push_waits_and_goes_through_as_it_was_shown(held: Place) -> None:
    held.check_out()
    held.commit("hive/quality/1", {"widgets.py": "changed\n"})
    refused = held.push("HEAD")
    assert refused.returncode != 0
    assert "it waits for a person as H1" in refused.stderr
    decide(held, "H1", approved=True)
    # The same change in the same words is another commit all the same.
    held.good("git", "commit", "--quiet", "--amend", "--no-edit", "--date", "2026-11-29T09:00:00Z")
    assert "as H2" in held.push("HEAD").stderr
    held.good("git", "reset", "--quiet", "--hard", "HEAD@{1}")
    pushed = held.push("HEAD")
    assert pushed.returncode == 0, pushed.stderr
    assert held.branches()["refs/heads/hive/quality/1"] == held.good("git", "rev-parse", "HEAD").strip()


def test_nobody_is_asked_about_a_request_of_which_something_is_denied(held: Place) -> None:
    node = held.good_api("GET", f"/repos/{REPO}/issues/1")["node_id"]
    query = (
        'mutation($id: ID!) { a: addComment(input: {subjectId: $id, body: "x"}) { clientMutationId } '
        'b: updateIssue(input: {id: $id, title: "x"}) { clientMutationId } }'
    )
    held.api("POST", "/graphql", json.dumps({"query": query, "variables": {"id": node}}))
    assert {(action, ruling) for action, _, ruling in held.authority.ruled()} == {
        ("comment", "hold"),
        ("edit-others-text", "deny"),
    }
    assert held.authority.holds() == {}
    assert comments(held) == []


def test_a_new_head_voids_the_word_on_a_review(place: Place) -> None:
    def guard(identity: Identity, action: Action, *_: object) -> Verdict | None:
        held = action is Action.REVIEW_COMMENT
        return Verdict(Ruling.HOLD, "guardrail.x", "it is loud") if held else None

    place.authority.guard = guard
    place.check_out()
    place.commit("hive/quality/1", {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    wanted = {"title": "t", "head": "hive/quality/1", "base": "main", "body": ""}
    number = place.good_api("POST", f"/repos/{REPO}/pulls", json.dumps(wanted))["number"]
    path, review = f"/repos/{REPO}/pulls/{number}/reviews", json.dumps({"event": "COMMENT", "body": "Fine."})
    assert "as H1" in place.api("POST", path, review)[1]["message"]
    place.commit("hive/quality/1", {"widgets.py": "changed again\n"})
    assert place.push("HEAD").returncode == 0
    decide(place, "H1", approved=True)
    deadline = time.monotonic() + 30
    # Hive itself makes what was approved, and finds another head.
    while "H2" not in place.authority.holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "as H2" in place.api("POST", path, review)[1]["message"]
    assert not place.authority.holds()["H1"].is_done
    decide(place, "H2", approved=True)
    assert place.api("POST", path, review)[0] == 200
