"""Taints of nodes and of OCM clusters, and what tolerates them."""

from __future__ import annotations

from collections.abc import Iterable

from hive.facts.fleet import Taint, Toleration

SOFT = frozenset({"PreferNoSchedule", "PreferNoSelect"})
"""Effects that only cost."""
NEW_ONLY = "NoSelectIfNew"
"""The effect that spares what is already there."""


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Kubernetes' own rule; OCM's is the same."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> tuple[Taint, ...]:
    known = tuple(tolerations)
    return tuple(taint for taint in taints if not any(tolerates(each, taint) for each in known))


def spell_taint(taint: Taint) -> str:
    """``dedicated=gpu:NoSchedule``, as kubectl writes it."""
    return f"{taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}"
