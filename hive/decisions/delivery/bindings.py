"""Bindings: what one says of its workload and destinations, and the record of delivery on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hive.decisions.delivery.marks import (
    DELIVERED_KINDS,
    DELIVERED_TO,
    FINALIZER,
    MANAGED_BY,
    MANAGER,
    REQUEST,
    REQUEST_UID,
)
from hive.facts.fleet import Modulation
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    Manifest,
    ResourceType,
    annotations_of,
    labels_of,
    name_of,
    namespace_of,
)

KUBESTELLAR = "transport.kubestellar.io/object-cleanup"
"""The finalizer of a Binding that KubeStellar's own transport carries out."""


@dataclass(frozen=True, slots=True)
class Bound:
    """An object in a Binding, as the hub has it."""

    kind: ResourceType
    manifest: Manifest
    modulation: Modulation


def binding_spec(bound: Iterable[Bound], clusters: Iterable[str]) -> dict[str, Any]:
    """In KubeStellar's order: by resource, then by the joined text of namespace and name."""
    ordered = sorted(bound, key=_order)
    workload = {
        key: entries
        for key, is_namespaced in (("clusterScope", False), ("namespaceScope", True))
        if (entries := [_entry(each) for each in ordered if each.kind.is_namespaced == is_namespaced])
    }
    destinations = [{"clusterId": each} for each in sorted(clusters)]
    return {"workload": workload, **({"destinations": destinations} if destinations else {})}


def is_same_spec(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether two say the same; which version of an object was seen says nothing."""
    return _versionless(found) == _versionless(wanted)


def binding_manifest(policy: Manifest, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A new one, named like its policy and owned by it, with nothing delivered yet."""
    marks = annotations_of(policy)
    notes = {key: marks[key] for key in (REQUEST, REQUEST_UID) if key in marks}
    return {
        "apiVersion": BINDINGS.api_version,
        "kind": BINDINGS.kind,
        "metadata": {
            "name": name_of(policy),
            "labels": {MANAGED_BY: MANAGER},
            "annotations": {**notes, DELIVERED_TO: "", DELIVERED_KINDS: ""},
            "finalizers": [FINALIZER],
            "ownerReferences": [_owner(policy)],
        },
        "spec": dict(spec),
    }


def restored(found: Manifest, wanted: Manifest) -> Manifest:
    """`found` with all that hive says of it put right, and the rest as it is. Equal where all is right."""
    metadata = dict(found["metadata"])
    mine = wanted["metadata"]
    metadata["labels"] = {**labels_of(found), **mine["labels"]}
    notes = annotations_of(found)
    records = {key: notes.get(key, "") for key in (DELIVERED_TO, DELIVERED_KINDS)}
    metadata["annotations"] = {**notes, **mine["annotations"], **records}
    finalizers = list(metadata.get("finalizers") or ())
    if FINALIZER not in finalizers and "deletionTimestamp" not in metadata:
        finalizers.append(FINALIZER)
    metadata["finalizers"] = finalizers
    metadata["ownerReferences"] = mine["ownerReferences"]
    spec = found.get("spec") or {}
    if not is_same_spec(spec, wanted["spec"]):
        spec = wanted["spec"]
    return {**found, "metadata": metadata, "spec": spec}


def is_carried_by_hive(binding: Manifest) -> bool:
    """Whether hive has delivered, or will deliver, what it lists."""
    return FINALIZER in (binding["metadata"].get("finalizers") or ())


def delivered_to(binding: Manifest) -> frozenset[str]:
    return frozenset(filter(None, annotations_of(binding).get(DELIVERED_TO, "").split(",")))


def delivered_kinds(binding: Manifest) -> frozenset[ResourceType]:
    """What cannot be read is left out: somebody else wrote it."""
    texts = annotations_of(binding).get(DELIVERED_KINDS, "").split(",")
    return frozenset(kind for text in texts if (kind := _kind(text)) is not None)


def with_record(binding: Manifest, clusters: Iterable[str], kinds: Iterable[ResourceType]) -> Manifest:
    """`binding` with its record of delivery; the same object where the record says that already."""
    record = {
        DELIVERED_TO: ",".join(sorted(clusters)),
        DELIVERED_KINDS: ",".join(sorted(_spell(each) for each in kinds)),
    }
    notes = annotations_of(binding)
    if all(notes.get(key) == value for key, value in record.items()):
        return binding
    metadata = {**binding["metadata"], "annotations": {**notes, **record}}
    return {**binding, "metadata": metadata}


def without_finalizer(binding: Manifest) -> Manifest:
    finalizers = [each for each in binding["metadata"].get("finalizers") or () if each != FINALIZER]
    return {**binding, "metadata": {**binding["metadata"], "finalizers": finalizers}}


def _order(bound: Bound) -> tuple[str, str]:
    kind, manifest = bound.kind, bound.manifest
    joined = "/".join(filter(None, (namespace_of(manifest), name_of(manifest))))
    return f"{kind.group}/{kind.version}, Resource={kind.plural}", joined


def _entry(bound: Bound) -> dict[str, Any]:
    kind, manifest, modulation = bound.kind, bound.manifest, bound.modulation
    entry: dict[str, Any] = {"group": kind.group, "version": kind.version, "resource": kind.plural}
    if kind.is_namespaced:
        entry["namespace"] = namespace_of(manifest)
    entry |= {
        "name": name_of(manifest),
        "resourceVersion": str(manifest["metadata"].get("resourceVersion", "")),
    }
    flags = {
        "createOnly": modulation.create_only,
        "statusCollectors": sorted(modulation.status_collectors),
        "wantSingletonReportedState": modulation.wants_singleton_status,
        "wantMultiWECReportedState": modulation.wants_multi_cluster_status,
    }
    return {**entry, **{key: value for key, value in flags.items() if value}}


def _versionless(spec: Mapping[str, Any]) -> dict[str, Any]:
    workload = spec.get("workload") or {}
    scopes = {
        key: [
            {word: value for word, value in each.items() if word != "resourceVersion"}
            for each in workload.get(key) or ()
        ]
        for key in ("clusterScope", "namespaceScope")
    }
    return {**scopes, "destinations": spec.get("destinations") or []}


def _owner(policy: Manifest) -> dict[str, Any]:
    return {
        "apiVersion": BINDING_POLICIES.api_version,
        "kind": BINDING_POLICIES.kind,
        "name": name_of(policy),
        "uid": str(policy["metadata"].get("uid", "")),
        "controller": True,
        "blockOwnerDeletion": False,
    }


def _spell(kind: ResourceType) -> str:
    scope = "Namespaced" if kind.is_namespaced else "Cluster"
    return f"{kind.group}/{kind.version}/{kind.plural}/{kind.kind}/{scope}"


def _kind(text: str) -> ResourceType | None:
    parts = text.split("/")
    if len(parts) != 5 or not all(parts[1:]):
        return None
    return ResourceType(parts[0], parts[1], parts[2], parts[3], is_namespaced=parts[4] == "Namespaced")
