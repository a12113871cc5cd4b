"""One REST call, matched to its route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive.decisions.requests.jsonbody import JsonObject
from hive.decisions.requests.model import Caller, Facts, Node, NotUnderstood


@dataclass(frozen=True, slots=True)
class RestCall:
    """Attributes:
    params: Of the route; ``n`` is an issue's or pull request's number.
    body: The body's JSON value.
    """

    repo: str
    params: Mapping[str, str]
    body: object
    caller: Caller
    facts: Facts

    @property
    def fields(self) -> JsonObject:
        """The body, which has to be an object. Raises `NotUnderstood`."""
        if not isinstance(self.body, dict):
            raise NotUnderstood("its body is not a JSON object")
        return self.body

    @property
    def target(self) -> str:
        return f"{self.repo}#{self.params['n']}"

    @property
    def subject(self) -> Node | None:
        """The issue or pull request of the route, where it is known."""
        return self.facts.node(self.target)

    @property
    def pull(self) -> Node | None:
        """As `subject`, when it is a pull request."""
        node = self.subject
        return node if node is not None and node.kind == "pull-request" else None

    def part(self, collection: str) -> Node | None:
        """A comment or review by its id in `collection` (``issues/comments``)."""
        return self.facts.node(f"{self.repo}/{collection}/{self.params['nid']}")
