"""The kinds of the fleet on an API server: installed where they are absent, and only there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import yaml

from hive import assets
from hive.decisions.definitions import (
    HIVE,
    MANAGED_BY,
    DefinitionOutcome,
    DefinitionState,
    compared,
    is_established,
    why_not,
)
from hive.errors import Missing, Moved, Refused
from hive.facts.kubernetes import CUSTOM_RESOURCES, NAMESPACES, Manifest, name_of
from hive.ports.kubernetes import Kubernetes

FOLDER = "config/crds"
PATIENCE = 30.0
"""Seconds for an API server to take up what it was given; measured: 2.2 s for 23 of them."""
_STEP = 0.1
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Installed:
    """What `install` did, or with `dry_run` would have done; definitions in order of their names."""

    definitions: tuple[DefinitionOutcome, ...]
    namespace: str
    made_namespace: bool

    @property
    def is_complete(self) -> bool:
        return all(each.state is not DefinitionState.FAILED for each in self.definitions)


def shipped() -> tuple[Manifest, ...]:
    """The definitions that come with hive, by name."""
    texts = (assets.text(f"{FOLDER}/{name}") for name in assets.names(FOLDER, ".yaml"))
    loaded = (cast(Manifest, yaml.load(text, Loader=_LOADER)) for text in texts)  # noqa: S506 - a safe loader
    return tuple(sorted(loaded, key=name_of))


def install(
    cluster: Kubernetes,
    definitions: Sequence[Manifest],
    namespace: str,
    *,
    dry_run: bool = False,
    patience: float = PATIENCE,
    tell: Callable[[DefinitionOutcome], None] = lambda outcome: None,
) -> Installed:
    """Create what is absent of `definitions`, wait until it is served, and make `namespace`.

    `patience` is in seconds; `tell` hears of each definition once all are settled. Raises `Unreachable`,
    and `Refused` where even looking is not allowed.
    """
    there = {name_of(each): each for each in cluster.list(CUSTOM_RESOURCES).items}
    outcomes = {
        name_of(each): _one(cluster, each, there.get(name_of(each)), dry_run=dry_run) for each in definitions
    }
    if not dry_run:
        outcomes = {each.name: each for each in _established(cluster, outcomes, patience)}
    for outcome in outcomes.values():
        tell(outcome)
    made = _namespace(cluster, namespace, dry_run=dry_run)
    return Installed(tuple(outcomes.values()), namespace, made)


def _one(
    cluster: Kubernetes, definition: Manifest, existing: Manifest | None, *, dry_run: bool
) -> DefinitionOutcome:
    if existing is not None:
        return compared(definition, existing)
    name = name_of(definition)
    try:
        cluster.create(CUSTOM_RESOURCES, definition, dry_run=dry_run)
    except Moved:  # somebody else was quicker
        return compared(definition, cluster.get(CUSTOM_RESOURCES, name))
    except Refused as error:
        return DefinitionOutcome(name, DefinitionState.FAILED, message=error.message)
    return DefinitionOutcome(name, DefinitionState.CREATED, HIVE)


def _established(
    cluster: Kubernetes, outcomes: dict[str, DefinitionOutcome], patience: float
) -> Iterator[DefinitionOutcome]:
    """The same once each is served; one that is not, in time, has failed."""
    until = time.monotonic() + patience
    waiting = {name for name, each in outcomes.items() if each.state is not DefinitionState.FAILED}
    reasons: dict[str, str] = {}
    while waiting:
        there = {name_of(each): each for each in cluster.list(CUSTOM_RESOURCES).items}
        for name in sorted(waiting):
            if name in there and is_established(there[name]):
                waiting.discard(name)
            else:
                reasons[name] = why_not(there[name]) if name in there else "it was deleted meanwhile"
        if not waiting or time.monotonic() > until:
            break
        time.sleep(_STEP)
    for name, outcome in outcomes.items():
        if name in waiting:
            yield replace(outcome, state=DefinitionState.FAILED, message=reasons[name])
        else:
            yield outcome


def _namespace(cluster: Kubernetes, name: str, *, dry_run: bool) -> bool:
    """Whether it had to be made."""
    try:
        cluster.get(NAMESPACES, name)
    except Missing:
        pass
    else:
        return False
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {MANAGED_BY: HIVE}},
    }
    try:
        cluster.create(NAMESPACES, manifest, dry_run=dry_run)
    except Moved:
        return False
    return True
