"""GraphQL's answers by script, for what the stand-in's repositories never are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hive.shells.github.answers import QueryError
from hive.shells.github.calls import Calls

Answered = tuple[Mapping[str, Any], tuple[QueryError, ...]]


class ScriptedCalls(Calls):
    """`answer` is given the query and its variables; both are kept in `asked`."""

    def __init__(self, answer: Callable[[str, Mapping[str, Any]], Answered]) -> None:
        super().__init__("http://127.0.0.1:1", lambda: "token", timeout=1)
        self._answer = answer
        self.asked: list[Mapping[str, Any]] = []

    def ask(self, query: str, variables: Mapping[str, Any]) -> Answered:
        self.asked.append(variables)
        return self._answer(query, variables)
