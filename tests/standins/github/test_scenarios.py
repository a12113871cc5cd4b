"""People and bots acting on a forge, and many repositories at once."""

import time
from pathlib import Path

import pytest

from hive.standins.github import bulk
from hive.standins.github.acting import Actor
from hive.standins.github.failures import ApiFailure
from tests.standins.github.harness import World, serve


def test_a_scenario_from_an_issue_to_its_merge(world: World) -> None:
    ada, bob = Actor(world.forge, "ada"), Actor(world.forge, "bob", permission="write")
    ci = Actor(world.forge, "ci[bot]", kind="app")
    number = bob.opens_issue("o/r", "It crashes", labels=["bug"])
    ada.labels("o/r", number, "go")
    sha = bob.pushes("o/r", "topic", {"a.txt": "one\ntwo\n"})
    pull = bob.opens_pull("o/r", "topic", "Fix it", body=f"Fixes #{number}")
    ci.reports("o/r", sha, "build", "failure", workflow="CI", log="boom")
    thread = ada.remarks("o/r", pull, "a.txt", 2, "Why two?")
    ada.reviews("o/r", pull, "REQUEST_CHANGES", "See there")
    again = bob.pushes("o/r", "topic", {"a.txt": "one\n"})
    assert world.forge.store.threads.get(thread).outdated  # type: ignore[union-attr]  # it is there
    bob.resolves(thread)
    ci.reports("o/r", again, "build", "success", workflow="CI")
    ada.reviews("o/r", pull, "APPROVE")
    ada.merges("o/r", pull, "squash")
    shown = world.call("GET", f"/repos/o/r/issues/{number}").body
    assert (shown["state"], [label["name"] for label in shown["labels"]]) == ("closed", ["bug", "go"])
    with pytest.raises(ApiFailure, match="not mergeable"):
        ada.merges("o/r", pull)


def test_twenty_repositories_with_two_thousand_issues_are_grown_and_polled_quickly(tmp_path: Path) -> None:
    with serve(tmp_path / "root", None) as world:
        started = time.monotonic()
        names = bulk.grow(world.forge, repositories=20, issues=95, pulls=5, seed=7)
        Actor(world.forge, "reader")
        with world.forge.transaction():
            world.forge.account("reader").token = "token-hive"  # type: ignore[union-attr]  # just made
        grown = time.monotonic() - started
        query = """query($owner: String!, $name: String!) {repository(owner: $owner, name: $name) {
            issues(first: 100, states: OPEN) {totalCount nodes {number title labels(first: 5) {nodes {name}}}}
            pullRequests(first: 50, states: OPEN) {totalCount nodes {number headRefOid mergeable}}}}"""
        started = time.monotonic()
        for name in names:
            owner, short = name.split("/")
            found = world.graphql(query, owner=owner, name=short)["data"]["repository"]
            assert (found["issues"]["totalCount"], found["pullRequests"]["totalCount"]) == (95, 5)
        # Generous bounds for a busy machine: it takes a tenth of them on an idle one.
        assert (grown < 60, time.monotonic() - started < 60) == (True, True)
        first = world.forge.repository(names[0])
        assert first is not None
        assert len({issue.title for issue in world.forge.issues_of(first)}) == 100
