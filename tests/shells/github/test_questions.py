"""Details are asked for in pieces that GitHub bears; one that is too much hides no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hive.errors import Unreachable
from hive.shells.github.answers import QueryError
from hive.shells.github.questions import NOTHING, Wanted, ask
from tests.shells.github.scripted_calls import Answered, ScriptedCalls

REPO = "acme/widgets"


def ids(count: int) -> tuple[str, ...]:
    return tuple(f"I_{number}" for number in range(count))


def node(key: str) -> dict[str, Any]:
    return {"id": key}


def whole(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {
        kind: [node(key) for key in variables[kind]] for kind in ("issues", "judged") if kind in variables
    }


def test_a_document_asks_of_a_hundred_and_everything_is_told_once() -> None:
    calls = ScriptedCalls(lambda query, variables: (whole(variables), ()))
    told = ask(calls, REPO, Wanted(issues=ids(250), judged=ids(30)))
    assert (told.issues, told.judged) == (
        {key: node(key) for key in ids(250)},
        {key: node(key) for key in ids(30)},
    )
    assert [len(one["issues"]) for one in calls.asked] == [100, 100, 50]


def test_one_issue_that_is_too_much_for_the_forge_hides_no_other() -> None:
    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        if "I_7" in variables["issues"]:
            raise Unreachable("forge", "502")
        return whole(variables), ()

    calls = ScriptedCalls(answer)
    told = ask(calls, REPO, Wanted(issues=ids(150)))
    assert set(told.issues) == set(ids(150)) - {"I_7"}
    assert len(calls.asked) < 25


def test_a_forge_that_tells_nothing_is_given_up_soon() -> None:
    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        raise Unreachable("forge", "502")

    calls = ScriptedCalls(answer)
    with pytest.raises(Unreachable, match="502"):
        ask(calls, REPO, Wanted(issues=ids(200)))
    assert len(calls.asked) == 7


def test_what_is_gone_and_what_is_not_for_hive_is_not_asked_again() -> None:
    errors = (
        QueryError("NOT_FOUND", "gone", ("issues", "1")),
        QueryError("FORBIDDEN", "not for you", ("issues", "2")),
    )
    calls = ScriptedCalls(lambda query, variables: ({"issues": [node("I_0"), None, None]}, errors))
    told = ask(calls, REPO, Wanted(issues=ids(3)))
    assert told.issues == {"I_0": node("I_0"), "I_1": None, "I_2": NOTHING}
    assert len(calls.asked) == 1


def test_what_had_an_error_inside_is_asked_again() -> None:
    trouble = [QueryError("RESOURCE_LIMITS_EXCEEDED", "too much", ("issues", "1", "comments"))]

    def answer(query: str, variables: Mapping[str, Any]) -> Answered:
        return whole(variables), tuple(trouble.pop() for _ in trouble[:1])

    calls = ScriptedCalls(answer)
    assert set(ask(calls, REPO, Wanted(issues=ids(3))).issues) == set(ids(3))
    assert [one["issues"] for one in calls.asked] == [["I_0", "I_1", "I_2"], ["I_1"]]


def test_a_base_of_which_only_administrators_are_told_all_is_told() -> None:
    errors = (
        QueryError("FORBIDDEN", "not for you", ("repository", "b0", "branchProtectionRule")),
        QueryError("FORBIDDEN", "not for you", ("repository", "b1", "rules")),
    )
    data = {"repository": {"b0": node("main"), "b1": node("old"), "b2": None}}
    calls = ScriptedCalls(lambda query, variables: (data, errors))
    told = ask(calls, REPO, Wanted(bases=("main", "old", "gone")))
    assert told.bases == {"main": node("main"), "old": NOTHING, "gone": None}
