"""What hive writes on the objects that it makes, on the hub and on members, so as to know them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from hive.facts.kubernetes import Manifest, annotations_of, labels_of

MANAGER = "hive"
"""The field manager of server-side apply."""
BINDING = "hive.fleet/binding"
"""Label: the Binding that an object on a member belongs to; without it hive touches nothing there."""
MANAGED_BY = "app.kubernetes.io/managed-by"
POLICY_UID = "hive.fleet/policy-uid"
OBJECT = "hive.fleet/object"
"""Annotation: the id of the object on the hub that this one was made of."""
CONTENT = "hive.fleet/content"
"""Annotation: the digest of what hive wrote."""
CLUSTER = "hive.fleet/cluster"
"""Label of a ManagedCluster: its name, as policies cannot select by names."""
REQUEST = "hive.fleet/request"
"""Annotation of the BindingPolicy that hive writes for a request: ``NAMESPACE/NAME``."""
REQUEST_UID = "hive.fleet/request-uid"
"""Annotation of that policy and its Binding: another request of the same name is another sandbox."""
DELIVERED_TO = "hive.fleet/delivered-to"
"""Annotation of a Binding: the clusters that may hold its objects, sorted, with commas between."""
DELIVERED_KINDS = "hive.fleet/delivered-kinds"
"""Annotation of a Binding: the kinds that those clusters may hold, so that their absence can be seen."""
FINALIZER = "hive.fleet/delivery"
"""Keeps a Binding until all that it delivered was seen to be gone."""

_LONGEST = 63
_DIGEST = 16


def label_value(name: str) -> str:
    """A Binding's name as the value of a label: itself, or cut with a digest where it is too long."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - _DIGEST - 1].rstrip('-.')}-{digest_of(name)[:_DIGEST]}"


def is_hives(manifest: Manifest) -> bool:
    """Whether hive put the object there for a Binding."""
    return BINDING in labels_of(manifest)


def digest_of(content: object) -> str:
    """Of anything that JSON can say; equal content has equal digests whatever the order of keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def marked(
    manifest: Mapping[str, Any], *, binding: str, policy_uid: str, object_id: str, with_pods: bool
) -> dict[str, Any]:
    """`manifest` with hive's marks and the digest of itself; its pod template too where `with_pods`.

    Marks of the same names that it came with are overwritten.
    """
    label = label_value(binding)
    mine = {BINDING: label, MANAGED_BY: MANAGER}
    metadata = dict(manifest.get("metadata") or {})
    metadata["labels"] = {**(metadata.get("labels") or {}), **mine}
    notes = {**(metadata.get("annotations") or {}), POLICY_UID: policy_uid, OBJECT: object_id}
    notes.pop(CONTENT, None)
    metadata["annotations"] = notes
    result = {**manifest, "metadata": metadata}
    if with_pods:
        result = _with_marked_pods(result, label)
    metadata["annotations"] = {**notes, CONTENT: digest_of(result)}
    return result


def content_digest(manifest: Manifest) -> str:
    """What `marked` wrote; empty where it is not there."""
    return annotations_of(manifest).get(CONTENT, "")


def _with_marked_pods(manifest: dict[str, Any], label: str) -> dict[str, Any]:
    """The template of pods, wherever a workload keeps it: its pods are how a copy is seen to live."""
    spec = manifest.get("spec")
    for key in ("template", "podTemplate"):
        template = spec.get(key) if isinstance(spec, dict) else None
        if isinstance(spec, dict) and isinstance(template, dict) and "spec" in template:
            metadata = dict(template.get("metadata") or {})
            metadata["labels"] = {**(metadata.get("labels") or {}), BINDING: label, MANAGED_BY: MANAGER}
            spec = {**spec, key: {**template, "metadata": metadata}}
    return {**manifest, "spec": spec} if spec is not None else manifest
