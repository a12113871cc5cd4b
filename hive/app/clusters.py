"""The clusters that a configuration names: connections to them, and their inventory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from hive.ports.kubernetes import Kubernetes
from hive.settings.fleet import FleetSettings

if TYPE_CHECKING:
    from hive.fleet.inventory import Inventory


def connect(fleet: FleetSettings, context: str, *, timeout: float = 30.0) -> Kubernetes:
    """A connection of its owner's own; a call may take `timeout` seconds."""
    # Takes long to import, which the daemon's start does not wait for.
    from hive.shells.kubernetes.cluster import KubernetesCluster

    return KubernetesCluster.from_kubeconfig(fleet.kubeconfig, context, timeout=timeout)


def members(fleet: FleetSettings) -> Mapping[str, Callable[[], Kubernetes]]:
    """How to connect to each member, by the name of its ManagedCluster."""
    return {one.name: partial(connect, fleet, one.context) for one in fleet.members}


def inventory(fleet: FleetSettings, hub: Kubernetes, *, registers: bool = True) -> Inventory:
    """Of all clusters of `fleet`; without `registers` nothing is written to the hub."""
    from hive.decisions.inventory.roll import Declared
    from hive.fleet.inventory import Inventory
    from hive.fleet.registration import Origin
    from hive.surfaces.inventory_file import read_inventory

    file = fleet.inventory
    return Inventory(
        hub,
        members(fleet),
        origins={one.name: Origin(one.context, one.labels) for one in fleet.members},
        declared=Declared if file is None else partial(read_inventory, file),
        stale_after=fleet.stale_after,
        registers=registers,
    )
