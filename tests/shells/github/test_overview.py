"""What is open is told whole, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hive.errors import Missing, Refused, Unreachable, WorldError
from hive.shells.github.answers import QueryError
from hive.shells.github.overview import overview
from tests.shells.github.scripted_calls import Answered, ScriptedCalls

REPO = "acme/widgets"


def stub(number: int) -> dict[str, Any]:
    return {"number": number, "id": f"I_{number}", "updatedAt": "2026-11-01T09:00:00Z"}


def page(nodes: list[Any], more: str = "") -> dict[str, Any]:
    return {
        "totalCount": len(nodes),
        "pageInfo": {"endCursor": more or None, "hasNextPage": bool(more)},
        "nodes": nodes,
    }


def about(**more: Any) -> dict[str, Any]:
    return {
        "nameWithOwner": REPO,
        "isArchived": False,
        "isDisabled": False,
        "hasIssuesEnabled": True,
        "pushedAt": None,
        "defaultBranchRef": {"name": "main"},
        "oldest": page([stub(1)]),
        "newest": page([stub(1)]),
        "pulls": page([]),
        "ended": page([]),
        "touched": page([]),
        "branches": {"totalCount": 1},
        "releases": {"totalCount": 0},
        **more,
    }


def told(repository: Any, *errors: QueryError) -> ScriptedCalls:
    data = {"viewer": {"login": "hive-bot"}, "repository": repository}
    return ScriptedCalls(lambda query, variables: (data, errors))


def numbers(calls: ScriptedCalls) -> list[int]:
    return [one.number for one in overview(calls, REPO).issues]


def test_450_issues_are_told_by_both_ends_and_the_pages_between() -> None:
    everything = [stub(number) for number in range(1, 451)]

    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        start = int(variables.get("after", 0))
        part = page(everything[start : start + 100], str(start + 100) if start + 100 < 450 else "")
        part["totalCount"] = 450
        if start:
            return {"repository": {"page": part}}, ()
        both = about(oldest=part, newest=page(everything[-100:]))
        return {"viewer": {"login": "hive-bot"}, "repository": both}, ()

    calls = ScriptedCalls(answer)
    assert numbers(calls) == list(range(1, 451))
    assert [one.get("after") for one in calls.asked] == [None, "100", "200", "300"]


def test_130_pull_requests_take_two_requests_each_once() -> None:
    pulls = [{"number": number, "updatedAt": "2026"} for number in range(1, 131)]

    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        if "after" in variables:
            # One was closed meanwhile, so that another is told twice.
            return {"repository": {"page": page(pulls[99:])}}, ()
        data = about(pulls=page(pulls[:100], more="c"))
        return {"viewer": {"login": "hive-bot"}, "repository": data}, ()

    assert [one["number"] for one in overview(ScriptedCalls(answer), REPO).pulls] == list(range(1, 131))


def test_where_issues_are_switched_off_there_are_none() -> None:
    assert numbers(told(about(hasIssuesEnabled=False))) == []


@pytest.mark.parametrize(
    ("repository", "errors", "kind", "said"),
    [
        (None, [("NOT_FOUND", "Could not resolve to a Repository", ("repository",))], Missing, "is it gone"),
        (None, [("FORBIDDEN", "not accessible by token", ("repository",))], Refused, "hive doctor"),
        (None, [], Unreachable, "told nothing"),
        (about(nameWithOwner="acme/new"), [], Refused, "has been renamed to acme/new: list it by that name"),
        (about(isArchived=True), [], Refused, "is archived"),
        (about(isDisabled=True), [], Refused, "is disabled"),
        (
            about(oldest=None),
            [("FORBIDDEN", "no issues for you", ("repository", "oldest"))],
            Refused,
            "no issu",
        ),
        (
            about(oldest=None),
            [("", "Something went wrong", ("repository", "oldest"))],
            Unreachable,
            "went wro",
        ),
        (about(oldest=page([None])), [], Unreachable, "told only a part"),
        (about(pulls=page([None])), [], Unreachable, "told only a part"),
        (about(ended=None), [], Unreachable, "told only a part"),
    ],
)
def test_what_is_not_told_whole_says_why(
    repository: Any, errors: list[tuple[str, str, tuple[str, ...]]], kind: type[WorldError], said: str
) -> None:
    with pytest.raises(kind, match=said) as trouble:
        overview(told(repository, *(QueryError(*one) for one in errors)), REPO)
    assert type(trouble.value) is kind


def test_a_page_that_is_not_told_makes_the_whole_unseen() -> None:
    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        if "after" in variables:
            return {"repository": None}, (QueryError("", "timeout", ("repository",)),)
        data = about(pulls=page([{"number": 1}], more="c"))
        return {"viewer": {"login": "hive-bot"}, "repository": data}, ()

    with pytest.raises(Unreachable, match="timeout"):
        overview(ScriptedCalls(answer), REPO)
