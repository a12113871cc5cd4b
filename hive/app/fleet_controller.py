"""The controller over real clusters. Imported by its lane alone: what it needs takes long to import."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hive.app.clusters import connect, inventory, members
from hive.decisions.sandbox import GatewayAddress, SandboxTemplate
from hive.facts.fleet_sighting import FleetSighting
from hive.fleet.controller import FleetController
from hive.fleet.credentials import Credentials
from hive.fleet.inventory import Inventory
from hive.ports.kubernetes import Kubernetes
from hive.settings.fleet import FleetSettings


class WiredFleet:
    """Implements `ports.fleet.Fleet`; owns all connections."""

    def __init__(self, controller: FleetController, inventory: Inventory, hub: Kubernetes) -> None:
        self._controller = controller
        self._inventory = inventory
        self._hub = hub

    def reconcile(self, now: datetime) -> FleetSighting:
        return self._controller.reconcile(now)

    def close(self) -> None:
        self._controller.close()
        self._inventory.close()
        self._hub.close()


def controller(
    fleet: FleetSettings,
    *,
    templates: Mapping[str, SandboxTemplate],
    gateway: GatewayAddress | None,
    credentials: Credentials,
) -> WiredFleet:
    hub = connect(fleet, fleet.hub)
    seen = inventory(fleet, hub)
    made = FleetController(
        hub,
        members(fleet),
        seen,
        templates=templates,
        image=fleet.image or "",
        gateway=gateway,
        credentials=credentials,
        stale_after=fleet.stale_after,
    )
    return WiredFleet(made, seen, hub)
