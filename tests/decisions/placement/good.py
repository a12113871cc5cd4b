"""One fleet where all is well, for tests to spoil in one place."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from hive.decisions.placement import Fresh, Placement, Round, place
from hive.decisions.placement.quantities import parse
from hive.facts.fleet import (
    Amount,
    Cluster,
    Fleet,
    LabelSelector,
    Node,
    Observation,
    Operator,
    RequestBinding,
    Requirement,
    SandboxRequest,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
TEMPLATES = ("cpu", "gpu")
GPU = "nvidia.com/gpu"


def amounts(**given: str) -> dict[str, Amount]:
    """``amounts(cpu="2", gpu="1")``; `gpu` stands for NVIDIA's resource."""
    return {GPU if name == "gpu" else name: parse(text) for name, text in given.items()}


ROOM = amounts(cpu="16", memory="64Gi", pods="110")


def node(name: str = "n1", /, **fields: Any) -> Node:
    return Node(name, **{"allocatable": ROOM, **fields})


def cluster(name: str, /, *nodes: Node, seen_at: datetime | None = NOW - MINUTE, **fields: Any) -> Cluster:
    seen = None if seen_at is None else Observation(name, seen_at, nodes or (node(),))
    return Cluster(name, seen=seen, **fields)


def request(name: str = "r", /, **fields: Any) -> SandboxRequest:
    defaults = {"template": "cpu", "resources": amounts(cpu="2", memory="4Gi")}
    return SandboxRequest("hive", name, **{**defaults, **fields})


def bound(name: str, *clusters: str) -> RequestBinding:
    """The Binding of the request `name` from the last round."""
    return RequestBinding(f"hive-{name}", frozenset({f"hive/{name}"}), frozenset(clusters))


def decided(*, now: datetime = NOW, stale_after: timedelta = 5 * MINUTE, **parts: Any) -> Round:
    return place(Fleet(**parts), Fresh(now, stale_after), templates=TEMPLATES)


def placed(
    clusters: tuple[Cluster, ...], wanted: SandboxRequest, *last: RequestBinding, **options: Any
) -> Placement:
    """Where `wanted` alone goes."""
    found = decided(clusters=clusters, requests=(wanted,), last=last, **options)
    assert found.problems == ()
    return found.placements[0]


def selector(*expressions: tuple[Any, ...], **labels: str) -> LabelSelector:
    """``selector(("env", "In", "a", "b"), tier="gold")``."""
    requirements = tuple(
        Requirement(key, Operator(word), values)
        for key, word, *rest in expressions
        for values in [tuple(rest)]
    )
    return LabelSelector(tuple(sorted(labels.items())), requirements)


def reasons(found: Placement) -> Mapping[str, str]:
    return dict(found.why)
