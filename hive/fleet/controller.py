"""The fleet's controller: from requests and policies on the hub to objects on members, and back to status.

Level-triggered: each round looks at everything, decides with pure functions and does what is left to do.
Nothing but memory of what servers spell differently is kept between rounds, so it may be killed between any
two calls: what it promised is on the hub before it is done. Laws are in `hive.decisions.delivery.plan`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from hive.decisions.delivery import Forget, Step, Wait, plan
from hive.decisions.delivery.requests import Placed, place_requests
from hive.decisions.delivery.status import request_status
from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.placement import Fresh
from hive.decisions.placement.place import request_id
from hive.decisions.sandbox import GatewayAddress, SandboxTemplate
from hive.facts.fleet import Cluster, Problem, object_id
from hive.facts.fleet_sighting import FleetSighting, SandboxPhase
from hive.facts.kubernetes import (
    MANAGED_CLUSTERS,
    SANDBOX_REQUESTS,
    Manifest,
)
from hive.fleet.carried import Carried, carried_bindings
from hive.fleet.credentials import Credentials
from hive.fleet.delivering import Members
from hive.fleet.hub import Hub, HubLook
from hive.fleet.hub_round import HubRound
from hive.fleet.lanes import Connect
from hive.fleet.loads import SandboxMaker
from hive.fleet.reports import (
    Results,
    cluster_sightings,
    sandbox_sightings,
    stray_labels,
)
from hive.ports.kubernetes import Kubernetes

_NO_CONNECTION = "no connection: its name is not among the fleet's members"


class ClusterInventory(Protocol):
    """What `hive.fleet.inventory.Inventory` is to the controller."""

    away: dict[str, Away]
    problems: tuple[Problem, ...]

    def look(self, now: datetime) -> tuple[Cluster, ...]: ...


class FleetController:
    """Used by one thread at a time.

    Args:
        hub: For this controller alone.
        members: How to connect to each, by the name of its ManagedCluster; each gets a client of its own.
        templates: Sandbox templates by name.
        image: Of agents, where neither request nor template names one.
        gateway: The only place that sandboxes may connect to.
        credentials: Without, sandboxes get no Secret.
        seconds: What a member has for its answers, in each of the two parts of a round.
        round_seconds: After so long a round begins nothing more. Whoever gives a round up does so later,
            by at least `seconds`.
    """

    def __init__(
        self,
        hub: Kubernetes,
        members: Mapping[str, Connect],
        inventory: ClusterInventory,
        *,
        templates: Mapping[str, SandboxTemplate],
        image: str,
        gateway: GatewayAddress | None = None,
        credentials: Credentials | None = None,
        stale_after: timedelta = timedelta(minutes=5),
        seconds: float = 10.0,
        round_seconds: float = 45.0,
    ) -> None:
        self._hub = Hub(hub)
        self._members = Members(members, credentials, seconds=seconds)
        self._inventory = inventory
        self._maker = SandboxMaker(templates, image, gateway, credentials is not None)
        self._stale_after = stale_after
        self._round_seconds = round_seconds

    def reconcile(self, now: datetime) -> FleetSighting:
        """One round.

        Raises `Unreachable` and other `WorldError` where the hub cannot be read, `JournalError` where a
        credential cannot be recorded. A member that fails is in the sighting, and others go on.
        """
        round_ = HubRound(self._hub, now, self._round_seconds)
        look = self._hub.look(now)
        clusters = self._clusters(now)
        fresh = Fresh(now, self._stale_after)
        placed = place_requests(
            look.requests, look.policies, look.bindings, clusters, fresh, self._maker.templates
        )
        policies = round_.write_policies(look, placed)
        carried = carried_bindings(look, policies, placed, clusters, self._maker)
        round_.withdraw(carried.values())
        kinds = frozenset(kind for each in carried.values() for kind in each.kinds)
        found, away = self._members.look(kinds, now)
        views = self._members.views(found, away, carried.values())
        known = frozenset(each.name for each in clusters)
        steps = plan([each.delivery() for each in carried.values()], views, known)
        self._revoke(steps, carried)
        recorded = round_.record(carried.values(), steps)
        doing = [each for each in steps if each.binding in recorded]
        round_.check()
        troubles, failed = self._members.do(doing, carried, found, now)
        for cluster, because in failed.items():
            round_.problem(_cluster_id(cluster), because)
        results = Results(
            now,
            carried,
            views,
            found,
            _waits(steps),
            {name: tuple(each) for name, each in troubles.items()},
            recorded,
        )
        return self._report(round_, look, policies, placed, steps, results)

    def close(self) -> None:
        """Let the members' connections go. The hub's is its maker's."""
        self._members.close()

    def _clusters(self, now: datetime) -> tuple[Cluster, ...]:
        """The inventory; what hive cannot deliver to is not available to it."""
        return tuple(
            each if each.name in self._members.names else replace(each, available=_NO_CONNECTION)
            for each in self._inventory.look(now)
        )

    def _revoke(self, steps: Sequence[Step], carried: Mapping[str, Carried]) -> None:
        """Before the record is taken back, so that it is done again after a kill in between."""
        for step in steps:
            if isinstance(step, Forget) and carried[step.binding].request:
                self._members.revoke(carried[step.binding].request, step.cluster)

    def _report(
        self,
        round_: HubRound,
        look: HubLook,
        policies: Mapping[str, Manifest],
        placed: Mapping[str, Placed],
        steps: Sequence[Step],
        results: Results,
    ) -> FleetSighting:
        sandboxes = sandbox_sightings(placed, results)
        by_key = {each.request: each for each in sandboxes}
        for key, one in placed.items():
            status = request_status(one.manifest, by_key[key], results.now)
            round_.report(SANDBOX_REQUESTS, one.manifest, status)
            if by_key[key].phase is SandboxPhase.FAILED or one.problem:
                round_.problem(_request_id(one), one.problem or by_key[key].message)
        round_.report_deliveries(look, policies, steps, results)
        round_.report_leaving(results)
        labels = [each.label for each in results.carried.values()]
        for cluster, label, count in stray_labels(results.found, labels):
            round_.problem(
                _cluster_id(cluster),
                f"{count} of hive's objects belong to the Binding {label}, which the hub does not have; "
                f"hive leaves them alone; look for the label hive.fleet/binding={label}",
            )
        problems = {*round_.problems, *self._inventory.problems}
        return FleetSighting(
            sandboxes,
            cluster_sightings(results.views, self._members.seen_at),
            tuple(sorted(problems, key=lambda one: (one.object, one.message))),
        )


def _waits(steps: Sequence[Step]) -> dict[str, tuple[Wait, ...]]:
    waits: dict[str, list[Wait]] = defaultdict(list)
    for step in steps:
        if isinstance(step, Wait):
            waits[step.binding].append(step)
    return {name: tuple(each) for name, each in waits.items()}


def _cluster_id(name: str) -> str:
    kind = MANAGED_CLUSTERS
    return object_id(kind.group, kind.version, kind.plural, "", name)


def _request_id(placed: Placed) -> str:
    if placed.claim is not None:
        return request_id(placed.claim.request)
    kind = SANDBOX_REQUESTS
    namespace, _, name = placed.key.partition("/")
    return object_id(kind.group, kind.version, kind.plural, namespace, name)
