"""The clusters of a hive: where their API servers are, and what hive does with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MemberSettings:
    """A cluster that sandboxes may run on.

    Attributes:
        context: In the kubeconfig.
        name: Of its ManagedCluster.
        labels: Put on its ManagedCluster; policies select by them.
    """

    context: str
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """The section `fleet`, with every default filled in.

    Attributes:
        kubeconfig: One file, or several separated as in KUBECONFIG.
        hub: The context of the API server that holds the inventory, the policies and the requests.
        inventory: A file of ManagedClusters and ClusterFacts that nobody else reports; None: there is none.
        namespace: Where sandbox requests live.
        stale_after: An older look at a cluster counts for nothing.
        image: What sandboxes run where neither agent nor template names another.
        templates: A folder of the operator's own sandbox templates; None: there is none.
    """

    kubeconfig: str
    hub: str
    members: tuple[MemberSettings, ...]
    inventory: Path | None
    namespace: str
    stale_after: timedelta
    image: str | None
    templates: Path | None = None
