"""Rings of issues that block each other across repositories: each of these sees but one step of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hive.decisions.triage.rings import rings


def rings_across(
    repo: str, begin: Iterable[int], blockers: Callable[[str, int], Iterable[str]]
) -> dict[int, tuple[str, ...]]:
    """For each issue of `repo` in such a ring: its members, those of `repo` first and as ``#3``.

    Looked for from `begin`: its issues that name another repository's; every ring across has one of these.
    `blockers` gives what an issue is blocked by and is open, each as ``owner/name#3`` in lower case.
    """
    own = repo.casefold()
    edges: dict[str, tuple[str, ...]] = {}
    waiting = [f"{own}#{number}" for number in begin]
    while waiting:
        key = waiting.pop()
        if key not in edges:
            where, _, number = key.rpartition("#")
            edges[key] = tuple(blockers(where, int(number)))
            waiting += edges[key]
    found = {}
    for key, members in rings(edges).items():
        where, _, number = key.rpartition("#")
        if where == own and any(not member.startswith(f"{own}#") for member in members):
            found[int(number)] = tuple(sorted((one.removeprefix(own) for one in members), key=_order))
    return found


def _order(key: str) -> tuple[str, int]:
    repo, _, number = key.rpartition("#")
    return repo, int(number)
