"""Takes the demo's sandboxes off clusters that stay: what it put there goes, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta

from hive.app.clusters import connect
from hive.app.fleet_controller import controller
from hive.demo.clusters import NAMESPACE, Clusters
from hive.errors import Missing, Unreachable
from hive.facts.kubernetes import BINDINGS, NAMESPACES, SANDBOX_REQUESTS, name_of
from hive.ports.kubernetes import Kubernetes
from hive.settings.fleet import FleetSettings, MemberSettings
from hive.settings.sandbox_templates import load_templates
from hive.shells.system.clock import SystemClock

_PATIENCE = 90.0
"""Seconds for pods to end: they have ten of their own."""
_STEP = 1.0


class _NoCredentials:
    """Of sandboxes that only go: nothing is minted, and the tokens ended with their hive."""

    def mint(self, request: str, cluster: str) -> Mapping[str, bytes]:
        return {}

    def is_current(self, request: str, cluster: str, data: Mapping[str, bytes]) -> bool:
        return True

    def revoke(self, request: str, cluster: str) -> None:
        """There is no journal any more that would tell."""


def clear(found: Clusters) -> None:
    """Withdraw the demo's requests, see their pods gone, then remove its namespace everywhere.

    Raises `Unreachable` for what is still there after 90 seconds.
    """
    fleet = _fleet(found)
    hub = connect(fleet, found.hub)
    try:
        for request in hub.list(SANDBOX_REQUESTS, NAMESPACE).items:
            hub.delete(SANDBOX_REQUESTS, name_of(request), NAMESPACE)
        _see_gone(fleet, hub)
        for name in dict.fromkeys((found.hub, *found.members)):
            _remove_namespace(fleet, name)
    finally:
        hub.close()


def _see_gone(fleet: FleetSettings, hub: Kubernetes) -> None:
    kept = controller(fleet, templates=load_templates(), gateway=None, credentials=_NoCredentials())
    deadline = time.monotonic() + _PATIENCE
    try:
        while left := [one for one in map(name_of, hub.list(BINDINGS).items) if one.startswith(NAMESPACE)]:
            if time.monotonic() > deadline:
                raise Unreachable("demo", f"these are not gone after {_PATIENCE:g} s: {', '.join(left)}")
            kept.reconcile(SystemClock().now())
            time.sleep(_STEP)
    finally:
        kept.close()


def _remove_namespace(fleet: FleetSettings, context: str) -> None:
    cluster = connect(fleet, context)
    try:
        cluster.delete(NAMESPACES, NAMESPACE)
    except Missing:
        return
    finally:
        cluster.close()


def _fleet(found: Clusters) -> FleetSettings:
    return FleetSettings(
        kubeconfig=str(found.kubeconfig),
        hub=found.hub,
        members=tuple(MemberSettings(name, name) for name in found.members),
        inventory=None,
        namespace=NAMESPACE,
        stale_after=timedelta(minutes=5),
        image=found.image,
    )
