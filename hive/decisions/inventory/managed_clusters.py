"""ManagedClusters: reading those on the hub, and writing those that hive registers.

Hive writes status only where it registered the cluster itself, which an annotation says; elsewhere an agent
of Open Cluster Management reports. The one thing that every ManagedCluster gets is a label with its name, as
KubeStellar's policies select by labels alone. Labels that an operator changed stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hive.decisions.delivery.marks import CLUSTER
from hive.decisions.inventory.observe import Look, totals
from hive.decisions.placement.quantities import spell
from hive.facts.fleet import Amount, Cluster, Taint
from hive.facts.kubernetes import (
    MANAGED_CLUSTERS,
    Manifest,
    annotations_of,
    is_deleting,
    labels_of,
    name_of,
)

REGISTERED = "hive.fleet/registered"
"""Annotation: hive made this ManagedCluster, from the context that is its value."""
LABELS_SET = "hive.fleet/labels-set"
"""Annotation: the labels that hive put on from its configuration, as JSON."""

ACCEPTED = "HubAcceptedManagedCluster"
AVAILABLE = "ManagedClusterConditionAvailable"
_EFFECTS = ("NoSelect", "PreferNoSelect", "NoSelectIfNew")


@dataclass(frozen=True, slots=True)
class Away:
    """A member that does not answer: since when (UTC), and what the last attempt met."""

    since: datetime
    because: str


def cluster_of(manifest: Manifest) -> Cluster:
    """A ManagedCluster as the API server has it. Raises `ValueError` for what is none."""
    spec = _mapping(manifest.get("spec"), "spec")
    condition = condition_of(manifest, AVAILABLE)
    return Cluster(
        name=name_of(manifest),
        labels=dict(labels_of(manifest)),
        taints=tuple(_taint(each, place) for place, each in enumerate(spec.get("taints") or ())),
        is_accepted=spec.get("hubAcceptsClient") is True,
        is_deleting=is_deleting(manifest),
        available=None if condition is None else str(condition.get("status")),
    )


def is_registered_by_hive(manifest: Manifest) -> bool:
    return REGISTERED in annotations_of(manifest)


def condition_of(manifest: Manifest, type_: str) -> Mapping[str, Any] | None:
    conditions = _mapping(manifest.get("status"), "status").get("conditions") or ()
    return next((each for each in conditions if each.get("type") == type_), None)


def registration(name: str, context: str, labels: Mapping[str, str]) -> Manifest:
    """The ManagedCluster of a member that the hub does not have."""
    return {
        "apiVersion": MANAGED_CLUSTERS.api_version,
        "kind": MANAGED_CLUSTERS.kind,
        "metadata": {
            "name": name,
            "labels": {**labels, CLUSTER: name},
            "annotations": {REGISTERED: context, LABELS_SET: _json(labels)},
        },
        "spec": {"hubAcceptsClient": True},
    }


def metadata_patch(manifest: Manifest, labels: Mapping[str, str] | None) -> Mapping[str, object] | None:
    """What is to be changed of labels and annotations, as a merge patch; None for nothing.

    `labels` are those of the configuration, which count where hive registered the cluster: a label that
    somebody else set, changed or took away since hive put it on is left to them. None: it is not configured.
    """
    current, name = labels_of(manifest), name_of(manifest)
    wanted: dict[str, str | None] = {} if current.get(CLUSTER) == name else {CLUSTER: name}
    annotations: dict[str, str] = {}
    if labels is not None and is_registered_by_hive(manifest):
        before = _labels_set(manifest)
        for key in sorted({*before, *labels} - {CLUSTER}):
            old, new, here = before.get(key), labels.get(key), current.get(key)
            if here == old and new != here:
                wanted[key] = new
        if before != dict(labels):
            annotations = {LABELS_SET: _json(labels)}
    if not wanted and not annotations:
        return None
    return {"metadata": {"labels": wanted, **({"annotations": annotations} if annotations else {})}}


def status_after(manifest: Manifest, look: Look | None, because: str, now: datetime) -> Mapping[str, Any]:
    """The status of a cluster that hive registered, after a look at it; `look` None: it did not answer.

    What it had when it was last seen stays written down while it is away. Equal to what `manifest` has
    where nothing changed: a condition keeps its time while its status is the same.
    """
    before = _mapping(manifest.get("status"), "status")
    here = (
        ("True", "Answers", "its API server answers")
        if look is not None
        else ("Unknown", "DoesNotAnswer", because)
    )
    mine = {
        ACCEPTED: _condition(manifest, ACCEPTED, ("True", "Registered", "registered by hive"), now),
        AVAILABLE: _condition(manifest, AVAILABLE, here, now),
    }
    others = [each for each in before.get("conditions") or () if each.get("type") not in mine]
    status = {**before, "conditions": [*mine.values(), *others]}
    if look is not None:
        whole, _ = totals(look.observation.nodes)
        status["capacity"] = _spelled(look.capacity)
        status["allocatable"] = _spelled(whole)
        status["version"] = {"kubernetes": look.version}
    return status


def status_patch(manifest: Manifest, after: Mapping[str, Any]) -> Mapping[str, object] | None:
    """What makes the status of `manifest` equal to `after`, as a merge patch; None where it is."""
    before = _mapping(manifest.get("status"), "status")
    if before == after:
        return None
    patch: dict[str, object] = dict(after)
    for key in ("capacity", "allocatable"):
        gone = dict.fromkeys(set(before.get(key) or ()) - set(after.get(key) or ()))
        if gone:
            patch[key] = {**after.get(key, {}), **gone}
    return {"status": patch}


def _condition(
    manifest: Manifest, type_: str, here: tuple[str, str, str], now: datetime
) -> Mapping[str, Any]:
    status, reason, message = here
    before = condition_of(manifest, type_)
    is_same = before is not None and before.get("status") == status
    since = before["lastTransitionTime"] if before is not None and is_same else timestamp(now)
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": since,
    }


def timestamp(moment: datetime) -> str:
    """As Kubernetes writes times, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _labels_set(manifest: Manifest) -> dict[str, str]:
    """What hive put on last; nothing where that cannot be read any more."""
    try:
        value = json.loads(annotations_of(manifest).get(LABELS_SET, "{}"))
    except ValueError:
        return {}
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}


def _json(labels: Mapping[str, str]) -> str:
    return json.dumps(dict(labels), sort_keys=True)


def _spelled(amounts: Mapping[str, Amount]) -> dict[str, str]:
    return {name: spell(amounts[name]) for name in sorted(amounts)}


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: a mapping of keys is expected")
    return value


def _taint(value: Mapping[str, Any], place: int) -> Taint:
    effect = str(value.get("effect"))
    if effect not in _EFFECTS:
        raise ValueError(f"spec.taints[{place}].effect: '{effect}' is none of {', '.join(_EFFECTS)}")
    return Taint(str(value.get("key", "")), str(value.get("value") or ""), effect)
