"""The hub and the members, each asked by itself over a connection of its own; nothing is written there.

A SelfSubjectAccessReview is sent by POST and kept by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from hive.app import clusters
from hive.app.doctor.examination import Check
from hive.decisions.doctor.clusters import (
    ENFORCING_LABELS,
    kinds_finding,
    network_finding,
    node_findings,
    version_finding,
)
from hive.decisions.doctor.finding import Finding, problem
from hive.decisions.doctor.rights import (
    REVIEWS,
    Right,
    hub_rights,
    is_allowed,
    member_rights,
    rights_finding,
)
from hive.decisions.inventory.shapes import NodeShape, PodShape
from hive.errors import WorldError
from hive.facts.kubernetes import NODES, PODS
from hive.ports.kubernetes import Kubernetes
from hive.settings.fleet import FleetSettings

_TIMEOUT = 8.0
"""Seconds for one call."""


def cluster_checks(fleet: FleetSettings) -> list[Check]:
    """One check for the hub and one for each member, which may be the same API server."""
    found = [Check(f"hub {fleet.hub}", partial(_hub, fleet))]
    for member in fleet.members:
        name = f"cluster {member.name}"
        found.append(Check(name, partial(_member, fleet, name, member.context)))
    return found


def _hub(fleet: FleetSettings) -> Iterator[Finding]:
    name = f"hub {fleet.hub}"
    api = clusters.connect(fleet, fleet.hub, timeout=_TIMEOUT)
    try:
        yield version_finding(name, fleet.hub, api.version())
        yield from _step(f"{name}: kinds", lambda: [kinds_finding(f"{name}: kinds", api.resources())])
        yield from _rights(name, api, hub_rights(fleet.namespace), fleet.hub)
    finally:
        api.close()


def _member(fleet: FleetSettings, name: str, context: str) -> Iterator[Finding]:
    api = clusters.connect(fleet, context, timeout=_TIMEOUT)
    try:
        version = api.version()
        yield version_finding(name, context, version)
        yield from _rights(name, api, member_rights(fleet.namespace), context)
        yield from _step(f"{name}: nodes", lambda: node_findings(name, api.list_as(NODES, NodeShape)))
        yield from _step(f"{name}: network", lambda: [_network(f"{name}: network", api, version)])
    finally:
        api.close()


def _step(name: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What fails here hides no other step."""
    try:
        yield from look()
    except WorldError as error:
        yield problem(name, error.message, "see that the context's user may ask for it")


def _rights(name: str, api: Kubernetes, rights: tuple[Right, ...], context: str) -> Iterator[Finding]:
    name = f"{name}: rights"

    def look() -> Iterator[Finding]:
        denied = [each for each in rights if not is_allowed(api.create(REVIEWS, each.review()))]
        yield rights_finding(name, context, len(rights), denied)

    yield from _step(name, look)


def _network(name: str, api: Kubernetes, version: str) -> Finding:
    pods = api.list_as(PODS, PodShape, labels=ENFORCING_LABELS)
    running = (each for each in pods if each.status.phase == "Running")
    apps = ((each.metadata.labels or {}).get("k8s-app", "") for each in running)
    return network_finding(name, api.resources(), apps, version)
