"""Issues that block each other in a ring, so that none of them can ever begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

N = TypeVar("N", int, str)


def rings(blocked_by: Mapping[N, Iterable[N]]) -> dict[N, tuple[N, ...]]:
    """Return for each issue in a ring that ring's members, sorted; an issue that blocks itself is one.

    Blockers that are no key of `blocked_by` are not looked at.
    """
    edges = {node: [to for to in targets if to in blocked_by] for node, targets in blocked_by.items()}
    found: dict[N, tuple[N, ...]] = {}
    for group in _strongly_connected(edges):
        if len(group) > 1 or group[0] in edges[group[0]]:
            members = tuple(sorted(group))
            found.update(dict.fromkeys(members, members))
    return found


def _strongly_connected(edges: Mapping[N, list[N]]) -> list[list[N]]:
    """Kosaraju's way, without recursion: a chain of thousands of issues is no reason to fail."""
    reverse: dict[N, list[N]] = {node: [] for node in edges}
    for node, targets in edges.items():
        for target in targets:
            reverse[target].append(node)
    groups: list[list[N]] = []
    seen: set[N] = set()
    for root in reversed(_finished(edges)):
        group: list[N] = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                group.append(node)
                stack.extend(reverse[node])
        if group:
            groups.append(group)
    return groups


def _finished(edges: Mapping[N, list[N]]) -> list[N]:
    """Nodes in the order in which a depth-first search leaves them."""
    order: list[N] = []
    seen: set[N] = set()
    for root in sorted(edges):
        stack = [(root, False)]
        while stack:
            node, left = stack.pop()
            if left:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((target, False) for target in edges[node] if target not in seen)
    return order
