"""Which kinds an API server serves.

Two requests with aggregated discovery (Kubernetes 1.30 and later); a server without it takes one for each
group and version, as every client did before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hive.errors import Missing, Unreachable
from hive.facts.kubernetes import ResourceType

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
"""As the `Accept` of a request: the second part is what an older server answers with."""

_VERBS = frozenset({"list", "watch"})


def resources(ask: Callable[[str], Mapping[str, Any]]) -> tuple[ResourceType, ...]:
    """All kinds that can be listed and watched, each at the first version of its group that has it.

    `ask`: the JSON at a path, asked for with `AGGREGATED`.
    """
    found: dict[tuple[str, str], ResourceType] = {}
    for root in ("/api", "/apis"):
        answer = ask(root)
        is_aggregated = answer.get("kind") == "APIGroupDiscoveryList"
        kinds = _aggregated(answer) if is_aggregated else _one_by_one(root, answer, ask)
        for kind in kinds:
            found.setdefault((kind.group, kind.plural), kind)
    return tuple(found.values())


def _aggregated(answer: Mapping[str, Any]) -> Iterator[ResourceType]:
    for group in answer.get("items") or ():
        name = str(group["metadata"].get("name", ""))
        for version in group.get("versions") or ():
            if version.get("freshness") == "Stale":
                continue  # its own server does not answer
            for one in version.get("resources") or ():
                if set(one.get("verbs") or ()) >= _VERBS:
                    kind, is_namespaced = str(one["responseKind"]["kind"]), one["scope"] == "Namespaced"
                    yield ResourceType(name, version["version"], one["resource"], kind, is_namespaced)


def _one_by_one(
    root: str, answer: Mapping[str, Any], ask: Callable[[str], Mapping[str, Any]]
) -> Iterator[ResourceType]:
    for group, version in _versions(answer):
        try:
            listed = ask(f"{root}/{group}/{version}" if group else f"{root}/{version}")
        except (Missing, Unreachable):
            continue
        for one in listed.get("resources") or ():
            if "/" not in one["name"] and set(one.get("verbs") or ()) >= _VERBS:
                yield ResourceType(group, version, one["name"], one["kind"], bool(one["namespaced"]))


def _versions(answer: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Pairs of group and version, the preferred version of each group first."""
    for version in answer.get("versions") or ():
        yield "", str(version)
    for group in answer.get("groups") or ():
        first = (group.get("preferredVersion") or {}).get("version")
        names = [str(one["version"]) for one in group.get("versions") or ()]
        for version in sorted(names, key=lambda name: name != first):
            yield str(group["name"]), version
