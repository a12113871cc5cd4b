"""Asks for the details of issues and pull requests, many in one document.

A document that GitHub gives up on (it allows ten seconds and answers 502, or a part of it with errors) is
asked again in smaller pieces, so that one issue that is too much for it hides no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from hive.errors import Unreachable
from hive.shells.github.answers import QueryError
from hive.shells.github.calls import Calls
from hive.shells.github.look_queries import BASE, CHANGE, CLAIM, ISSUE, JUDGED

_AT_ONCE = 100
"""Objects of each kind in a document: GitHub takes no more ids than a page has entries."""

_GIVEN_UP = 3
"""Objects that alone are too much for GitHub, after which it is taken to be out of reach (chosen)."""

_FOR_ADMINISTRATORS = "branchProtectionRule"
"""Told to administrators alone. The forge holds everybody else to what only they see: who is no administrator
cannot pass it by."""

NOTHING: Mapping[str, Any] = MappingProxyType({})
"""Of an object that hive may not be told of: every part of it is missing."""

_AGAIN: Any = object()

_LISTS = {
    "issues": ("WholeIssue", ISSUE),
    "claims": ("Claim", CLAIM),
    "judged": ("Judged", JUDGED),
    "changes": ("Change", CHANGE),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Node ids by what is to be told of them, and names of branches."""

    issues: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    def split(self, size: int) -> tuple[Wanted, Wanted]:
        """At most `size` of each, and the rest."""
        names = [one.name for one in fields(self)]
        return (
            Wanted(**{name: getattr(self, name)[:size] for name in names}),
            Wanted(**{name: getattr(self, name)[size:] for name in names}),
        )

    def then(self, more: Wanted) -> Wanted:
        names = [one.name for one in fields(self)]
        return Wanted(**{name: getattr(self, name) + getattr(more, name) for name in names})


@dataclass(frozen=True, slots=True)
class Told:
    """Nodes by id and branches by name, `None` for what is gone, `NOTHING` for what hive may not be told.

    What is missing was not told for once.
    """

    issues: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    claims: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    judged: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    changes: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    bases: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    def add(self, more: Told) -> None:
        for one in fields(self):
            getattr(self, one.name).update(getattr(more, one.name))

    def lacks(self, wanted: Wanted) -> Wanted:
        return Wanted(
            **{
                one.name: tuple(
                    key for key in getattr(wanted, one.name) if key not in getattr(self, one.name)
                )
                for one in fields(wanted)
            }
        )


def ask(calls: Calls, repo: str, wanted: Wanted) -> Told:
    """Raises `Unreachable` where GitHub tells nothing even when asked for single objects, `Throttled` and
    `Refused` at once."""
    told, left, size, given_up = Told(), wanted, _AT_ONCE, 0
    while left:
        batch, rest = left.split(size)
        try:
            answer = _told(calls, repo, batch)
        except Unreachable:
            if size == 1 and (given_up == _GIVEN_UP or (not told and not rest)):
                raise
            answer = Told()
        told.add(answer)
        missing = answer.lacks(batch)
        if not missing:
            left, size = rest, min(_AT_ONCE, size * 2)
        elif size > 1:
            left, size = missing.then(rest), max(1, size // 4)
        else:
            left, given_up = rest, given_up + 1
    return told


def _told(calls: Calls, repo: str, wanted: Wanted) -> Told:
    owner, name = repo.split("/")
    branches = {f"r{index}": f"refs/heads/{base}" for index, base in enumerate(wanted.bases)}
    lists = [kind for kind in _LISTS if getattr(wanted, kind)]
    variables: dict[str, Any] = {**branches, **{kind: list(getattr(wanted, kind)) for kind in lists}}
    if branches:
        variables |= {"owner": owner, "name": name}
    data, errors = calls.ask(_document(branches, lists), variables)
    found = {kind: _nodes(kind, getattr(wanted, kind), data, errors) for kind in lists}
    return Told(**found, bases=_branches(wanted.bases, data, errors))


def _document(branches: Mapping[str, str], lists: Sequence[str]) -> str:
    given = ["$owner: String!", "$name: String!"] if branches else []
    given += [f"${key}: String!" for key in branches] + [f"${kind}: [ID!]!" for kind in lists]
    asked = ["rateLimit { cost }"]
    asked += [f"{kind}: nodes(ids: ${kind}) {{ ...{_LISTS[kind][0]} }}" for kind in lists]
    fragments = [_LISTS[kind][1] for kind in lists]
    if branches:
        refs = " ".join(f"b{key[1:]}: ref(qualifiedName: ${key}) {{ ...Base }}" for key in branches)
        asked.append(f"repository(owner: $owner, name: $name) {{ {refs} }}")
        fragments.append(BASE)
    return f"query Details({', '.join(given)}) {{\n  " + "\n  ".join(asked) + "\n}\n" + "".join(fragments)


def _nodes(
    kind: str, ids: Sequence[str], data: Mapping[str, Any], errors: Sequence[QueryError]
) -> dict[str, Mapping[str, Any] | None]:
    """What was told whole, and what is gone; nothing of what had an error anywhere in it."""
    nodes = data.get(kind)
    if nodes is None or len(nodes) != len(ids):
        return {}
    instead = {one.path[1]: _instead(one) for one in errors if one.path[:1] == (kind,) and len(one.path) > 1}
    found = {
        key: instead.get(str(index), node) for index, (key, node) in enumerate(zip(ids, nodes, strict=True))
    }
    return {key: one for key, one in found.items() if one is not _AGAIN}


def _instead(error: QueryError) -> Any:
    """What is known of an object that has an error in it."""
    if error.kind == "NOT_FOUND" and len(error.path) == 2:
        return None
    return NOTHING if error.says_no else _AGAIN


def _branches(
    names: Sequence[str], data: Mapping[str, Any], errors: Sequence[QueryError]
) -> dict[str, Mapping[str, Any] | None]:
    """Branches that were told whole, as far as an administrator need not be told."""
    about = [one for one in errors if one.path[:1] in ((), ("repository",))]
    if any(len(one.path) < 2 for one in about):
        return {}
    told = dict(data.get("repository") or {})
    told |= {one.path[1]: _instead(one) for one in about if _FOR_ADMINISTRATORS not in one.path}
    found = {name: told.get(f"b{index}", _AGAIN) for index, name in enumerate(names)}
    return {name: one for name, one in found.items() if one is not _AGAIN}
