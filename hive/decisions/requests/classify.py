"""One request in, its operations out: the only reading of what an agent asks."""

from __future__ import annotations

from dataclasses import dataclass

from hive.decisions.requests import address, git, rest
from hive.decisions.requests.address import Address, Surface
from hive.decisions.requests.model import Caller, Facts, Node, NotUnderstood, Operation
from hive.decisions.requests.request import Request
from hive.facts.autonomy import Action


@dataclass(frozen=True, slots=True)
class Reading:
    """What a request would do, and which facts the ruling on it depends on that are not known: ids,
    ``o/r#7``, ``o/r@branch``."""

    operations: tuple[Operation, ...]
    missing: tuple[str, ...]


def read(request: Request, caller: Caller, facts: Facts, where: Address | None = None) -> Reading:
    """`classify`, with what it would have to know besides `facts`."""
    noting = _Noting(facts)
    operations = classify(request, caller, noting, where)
    return Reading(operations, tuple(dict.fromkeys(noting.missing)))


def classify(
    request: Request, caller: Caller, facts: Facts, where: Address | None = None
) -> tuple[Operation, ...]:
    """What `request` would do, in the words of the autonomy table; at least one operation. `where` is what
    `address.locate` gave for it, where that is known already.

    What cannot be understood beyond doubt is one `unknown` with the reason.
    """
    try:
        where = where or address.locate(request, caller.hosts)
        if where.surface is Surface.GRAPHQL:
            from hive.decisions.requests import graphql

            return graphql.classify(request, where.query, caller, facts)
        if where.surface is Surface.GIT:
            return git.classify(request, where, caller, facts)
        return rest.classify(request, where, caller, facts)
    except NotUnderstood as reason:
        return (not_understood(caller, str(reason)),)


def not_understood(caller: Caller, because: str) -> Operation:
    """The operation of a request that could not be read."""
    return Operation(Action.UNKNOWN, caller.repos[0] if caller.repos else "", "request.unknown", because)


class _Noting:
    """Facts that write down what was asked for and not known."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.missing: list[str] = []

    def node(self, key: str) -> Node | None:
        found = self._facts.node(key)
        if found is None:
            self.missing.append(key)
        return found

    def pulls_on(self, repo: str, branch: str) -> tuple[int, ...]:
        self.missing.append(f"{repo}@{branch}")
        return self._facts.pulls_on(repo, branch)
