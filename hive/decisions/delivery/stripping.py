"""What of an object on the hub does not go to members: what that API server alone can say.

KubeStellar's own rules, but for fields that it sends as null: server-side apply leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from hive.facts.kubernetes import Manifest

_METADATA = (
    "managedFields",
    "finalizers",
    "generation",
    "ownerReferences",
    "selfLink",
    "resourceVersion",
    "uid",
    "generateName",
    # These two as well, which KubeStellar sends: an API server sets them itself.
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_JOB_TRACKING = "batch.kubernetes.io/job-tracking"
_JOB_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
_SERVICE = (
    "ipFamilies",
    "externalTrafficPolicy",
    "internalTrafficPolicy",
    "ipFamilyPolicy",
    "sessionAffinity",
)
_PRESERVE = "control.kubestellar.io/preserve"


def stripped(manifest: Manifest) -> dict[str, Any]:
    """A copy to send."""
    result: dict[str, Any] = {key: deepcopy(value) for key, value in manifest.items() if key != "status"}
    metadata = result.get("metadata") or {}
    for key in _METADATA:
        metadata.pop(key, None)
    _drop(metadata.get("annotations"), _LAST_APPLIED)
    group = str(manifest.get("apiVersion", "")).rpartition("/")[0]
    match group, manifest.get("kind"):
        case "batch", "Job":
            _strip_job(result)
        case "", "Service":
            _strip_service(result)
    return result


def _strip_job(job: dict[str, Any]) -> None:
    metadata, spec = job.get("metadata") or {}, job.get("spec") or {}
    _drop(metadata.get("annotations"), _JOB_TRACKING)
    _drop(spec, "selector", "suspend")
    template = (spec.get("template") or {}).get("metadata") or {}
    for labels in (metadata.get("labels"), template.get("labels")):
        _drop(labels, *_JOB_LABELS)


def _strip_service(service: dict[str, Any]) -> None:
    spec = service.get("spec") or {}
    _drop(spec, *_SERVICE)
    if spec.get("clusterIP") != "None":
        _drop(spec, "clusterIP")
    if spec.get("clusterIPs") != ["None"]:
        _drop(spec, "clusterIPs")
    notes = (service.get("metadata") or {}).get("annotations") or {}
    if notes.get(_PRESERVE) != "nodeport":
        for port in spec.get("ports") or ():
            _drop(port, "nodePort")


def _drop(mapping: Mapping[str, Any] | None, *keys: str) -> None:
    if isinstance(mapping, dict):
        for key in keys:
            mapping.pop(key, None)
