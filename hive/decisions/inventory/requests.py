"""What a pod takes of its node: the scheduler's own sum (Kubernetes' "effective request").

Containers run together, and so do init containers that restart always (sidecars); other init containers
run one after another, each beside the sidecars before it. The larger of both counts, and the overhead of
the sandbox is added. What is requested for the pod as a whole takes the place of what its containers ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from hive.decisions.inventory.shapes import Container, PodShape, Quantities, Resources
from hive.decisions.placement.demand import PODS
from hive.decisions.placement.quantities import parse
from hive.facts.fleet import UNIT, Amount

_ENDED = ("Succeeded", "Failed")
"""Phases of pods that take nothing any more."""

_BY_POD = ("cpu", "memory", "hugepages-")
"""What can be requested for a pod as a whole; all else is counted by container."""


_parsed = lru_cache(maxsize=4096)(parse)
"""Thousands of pods ask for the same few amounts; measured: reading each anew is half of the
time that a look takes."""


def takes_room(pod: PodShape) -> bool:
    """Whether `pod` has a node and has not ended. One that is being deleted takes room until it is gone."""
    return bool(pod.spec.node_name) and pod.status.phase not in _ENDED


def effective_request(pod: PodShape) -> dict[str, Amount]:
    """By resource name; the pod itself counts as one of `pods`. Raises `ValueError` for a bad quantity."""
    spec = pod.spec
    together: dict[str, Amount] = {}
    for container in spec.containers or ():
        _add(together, _request(container.resources))
    sidecars: dict[str, Amount] = {}
    peak: dict[str, Amount] = {}
    for container in spec.init_containers or ():
        own = _request(container.resources)
        if _is_sidecar(container):
            _add(sidecars, own)
            _raise(peak, sidecars)
        else:
            _raise(peak, _sum(own, sidecars))
    _add(together, sidecars)
    _raise(together, peak)
    if spec.resources is not None:
        whole = _request(spec.resources)
        together.update({name: amount for name, amount in whole.items() if name.startswith(_BY_POD)})
    _add(together, _amounts(spec.overhead))
    together[PODS] = UNIT
    return together


def _is_sidecar(container: Container) -> bool:
    return container.restart_policy == "Always"


def _request(resources: Resources) -> dict[str, Amount]:
    """A limit is a request where none is written, as the API server fills it in."""
    return {**_amounts(resources.limits), **_amounts(resources.requests)}


def _amounts(quantities: Quantities | None) -> dict[str, Amount]:
    return {name: _parsed(str(text)) for name, text in quantities.items()} if quantities else {}


def _add(total: dict[str, Amount], more: Mapping[str, Amount]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _sum(one: Mapping[str, Amount], other: Mapping[str, Amount]) -> dict[str, Amount]:
    total = dict(one)
    _add(total, other)
    return total


def _raise(most: dict[str, Amount], at_least: Mapping[str, Amount]) -> None:
    for name, amount in at_least.items():
        most[name] = max(most.get(name, 0), amount)
