"""The real gh's checks, reviews and labels through the gateway, in both versions that people have."""

from __future__ import annotations

import contextlib
import http.client
import json
from typing import Any

import pytest

from hive.facts.autonomy import AcmmLevel
from hive.facts.events import PullRequestOpened, RequestRuled
from tests.gateway.place import CREDENTIAL, REPO, Place, gh_programs

BRANCH, PEERS = "hive/quality/1-area", "hive/peer/2-tests"


@pytest.fixture(params=sorted(gh_programs()))
def desk(request: pytest.FixtureRequest, place: Place) -> Place:
    """An agent with a pull request of its own (3), and a peer's (4) that another account opened."""
    place.gh = request.param
    place.equip(gh_programs()[request.param])
    place.check_out()
    for branch in (BRANCH, PEERS):
        head = forge(place, "GET", "/git/ref/heads/main")["object"]["sha"]
        forge(place, "POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": head})
        content = {"message": "Change it", "content": "eCA9IDEK", "branch": branch}
        forge(place, "PUT", f"/contents/{branch.replace('/', '-')}.py", content)
    for agent, branch, by in (("quality", BRANCH, CREDENTIAL), ("peer", PEERS, "ada-token")):
        asked = {"title": f"of {agent}", "head": branch, "base": "main", "body": "See."}
        pull = forge(place, "POST", "/pulls", asked, by=by)
        made = PullRequestOpened(
            repo=REPO,
            number=pull["number"],
            agent=agent,
            head_ref=branch,
            head=pull["head"]["sha"],
            held=False,
        )
        place.authority.record([made])
    return place


def forge(place: Place, method: str, below: str, value: object = None, *, by: str = CREDENTIAL) -> Any:
    """One request to the forge itself, below the repository."""
    with contextlib.closing(
        http.client.HTTPConnection(place.forge.host, place.forge.port, timeout=60)
    ) as line:
        body = None if value is None else json.dumps(value)
        line.request(method, f"/api/v3/repos/{REPO}{below}", body, {"Authorization": f"token {by}"})
        answer = line.getresponse()
        data = answer.read()
    assert answer.status < 300, (method, below, data)
    return json.loads(data) if data else None


def refused(desk: Place, *command: str) -> str:
    """What gh says; it has to fail, and nothing may have been written by it."""
    before = len(desk.forge.audit())
    done = desk.run("gh", *command)
    assert done.returncode != 0, f"{command}: {done.stdout}"
    assert len(desk.forge.audit()) == before
    return done.stdout + done.stderr


def reviews(desk: Place, number: int) -> list[tuple[str, str, str]]:
    found = forge(desk, "GET", f"/pulls/{number}/reviews")
    return [(one["user"]["login"], one["state"], one["body"].partition("\n")[0]) for one in found]


def labels(desk: Place) -> list[str]:
    return [label["name"] for label in forge(desk, "GET", "/labels?per_page=100")]


def test_checks_are_read_as_gh_reads_them(desk: Place) -> None:
    head = forge(desk, "GET", "/pulls/3")["head"]["sha"]
    told = {"context": "build", "state": "success", "description": "all is well"}
    forge(desk, "POST", f"/statuses/{head}", told)
    shown = desk.good("gh", "pr", "checks", "3")
    assert [line.split("\t")[:2] for line in shown.splitlines()] == [["build", "pass"]]
    forge(desk, "POST", f"/statuses/{head}", {"context": "lint", "state": "failure"})
    failing = desk.run("gh", "pr", "checks", "3")
    assert failing.returncode == 1, failing.stderr
    assert {tuple(line.split("\t")[:2]) for line in failing.stdout.splitlines()} == {
        ("build", "pass"),
        ("lint", "fail"),
    }


def test_reviews_are_given_where_the_table_grants_them(desk: Place) -> None:
    desk.good("gh", "pr", "review", "4", "--comment", "--body", "I see.")
    desk.good("gh", "pr", "review", "4", "--request-changes", "--body", "A test is missing.")
    assert reviews(desk, 4) == [
        ("hive-bot", "COMMENTED", "I see."),
        ("hive-bot", "CHANGES_REQUESTED", "A test is missing."),
    ]
    said = refused(desk, "pr", "review", "4", "--approve", "--body", "Good.")
    assert "role quality at L4 (Adaptive) is holdgated, which does not grant approve" in said
    desk.authority.level = AcmmLevel.L6
    desk.good("gh", "pr", "review", "4", "--approve", "--body", "Good.")
    assert reviews(desk, 4)[-1] == ("hive-bot", "APPROVED", "Good.")
    assert "nobody approves what it opened or pushed to" in refused(desk, "pr", "review", "3", "--approve")


def test_a_role_that_only_looks_reviews_nothing(desk: Place) -> None:
    desk.authority.level = AcmmLevel.L2
    for kind, action in (("--comment", "review-comment"), ("--request-changes", "request-changes")):
        said = refused(desk, "pr", "review", "4", kind, "--body", "No.")
        assert f"is advisory, which does not grant {action}" in said
    assert reviews(desk, 4) == []


def test_labels_of_the_repository_are_listed_and_never_made_changed_or_taken_away(desk: Place) -> None:
    if "bug" not in labels(desk):
        forge(desk, "POST", "/labels", {"name": "bug", "color": "cccccc"})
    before = labels(desk)
    assert [line.split("\t")[0] for line in desk.good("gh", "label", "list").splitlines()].count("bug") == 1
    for command in (
        ("create", "mine", "--color", "ff0000"),
        ("create", "bug", "--force"),
        ("edit", "bug", "--name", "feature"),
        ("delete", "bug", "--yes" if desk.gh != "debian" else "--confirm"),
    ):
        assert "hive: " in refused(desk, "label", *command), command
    assert labels(desk) == before
    assert {e.ruling for e in desk.authority.events_of(RequestRuled)} == {"deny"}
