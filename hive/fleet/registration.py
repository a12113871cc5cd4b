"""Members of the configuration as ManagedClusters on the hub.

What somebody else registered gets the label with its name, and nothing more. To delete a ManagedCluster is
an operator's word that the cluster is gone for good: one that does not answer is not registered again
while hive runs, and after a start only once the others had a round to act on its absence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hive.decisions.inventory.managed_clusters import (
    Away,
    is_registered_by_hive,
    metadata_patch,
    registration,
    status_after,
    status_patch,
)
from hive.decisions.inventory.observe import Look
from hive.errors import Unreachable, WorldError
from hive.facts.fleet import Problem, object_id
from hive.facts.kubernetes import MANAGED_CLUSTERS, Manifest, is_deleting, name_of
from hive.ports.kubernetes import Kubernetes

_NOT_CONFIGURED = "no context of the configuration leads to it; delete it if it is gone for good"


@dataclass(frozen=True, slots=True)
class Origin:
    """What the configuration says of a member: its context, and the labels of its ManagedCluster."""

    context: str
    labels: Mapping[str, str] = field(default_factory=dict)


class Registrar:
    """Writes what has changed, and nothing else."""

    def __init__(self, hub: Kubernetes, origins: Mapping[str, Origin]) -> None:
        self._hub = hub
        self._origins = origins
        self._known: set[str] = set()
        """Members whose ManagedCluster was there once."""
        self._rounds = 0

    def register(
        self,
        managed: Mapping[str, Manifest],
        looks: Mapping[str, Look],
        away: Mapping[str, Away],
        now: datetime,
    ) -> tuple[dict[str, Manifest], list[Problem]]:
        """`managed` as it is afterwards, and what could not be written. Raises `Unreachable`."""
        after = dict(managed)
        problems: list[Problem] = []
        for name in sorted({*managed, *self._origins}):
            try:
                written = self._one(name, managed.get(name), looks.get(name), away.get(name), now)
            except Unreachable:
                raise
            except WorldError as error:
                problems.append(_problem(name, error.message))
                continue
            if written is not None:
                after[name] = written
                if is_registered_by_hive(written) and name not in self._origins:
                    problems.append(_problem(name, _NOT_CONFIGURED))
        self._known |= set(after) & set(self._origins)
        self._rounds += 1
        return after, problems

    def _one(
        self, name: str, manifest: Manifest | None, look: Look | None, away: Away | None, now: datetime
    ) -> Manifest | None:
        origin = self._origins.get(name)
        if manifest is None:
            if origin is None or (away is not None and (name in self._known or not self._rounds)):
                return None
            made = registration(name, origin.context, origin.labels)
            manifest = self._hub.create(MANAGED_CLUSTERS, made)
        if is_deleting(manifest):
            return manifest
        patch = metadata_patch(manifest, origin.labels if origin is not None else None)
        if patch is not None:
            manifest = self._hub.patch(MANAGED_CLUSTERS, name, patch)
        if not is_registered_by_hive(manifest):
            return manifest
        answered = look if away is None and origin is not None else None
        because = _NOT_CONFIGURED if origin is None else away.because if away is not None else ""
        return self._with_status(manifest, answered, because, now)

    def _with_status(self, manifest: Manifest, look: Look | None, because: str, now: datetime) -> Manifest:
        patch = status_patch(manifest, status_after(manifest, look, because, now))
        if patch is None:
            return manifest
        return self._hub.patch(MANAGED_CLUSTERS, name_of(manifest), patch, subresource="status")


def _problem(name: str, message: str) -> Problem:
    kind = MANAGED_CLUSTERS
    return Problem(object_id(kind.group, kind.version, kind.plural, "", name), message)
