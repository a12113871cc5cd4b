"""How a sandbox does on the cluster that has it: what its pod and its workload say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import Manifest, PodRef, is_deleting, name_of, namespace_of

_HELPLESS = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
        "CrashLoopBackOff",
    }
)
"""Reasons why a container waits that pass by no waiting alone, as kubelet spells them."""


@dataclass(frozen=True, slots=True)
class Copy:
    """`message` is one line for a person; empty where all is well.

    `pod` is None before there is one, and where kubelet or the scheduler says that nothing of it runs: it
    takes no commands then. What was heard of a pod on a node that fell silent says no such thing.
    """

    phase: SandboxPhase
    message: str = ""
    node: str = ""
    pod: PodRef | None = None
    pod_uid: str = ""


def copy_of(pods: Iterable[Manifest], workloads: Iterable[Manifest]) -> Copy:
    """Of the pods that are not going, the newest; before there is one, what the workload says of it."""
    living = [each for each in pods if not is_deleting(each)]
    if not living:
        refusal = next((words for each in workloads for words in _refusals(each)), "")
        return Copy(SandboxPhase.FAILED if refusal else SandboxPhase.STARTING, refusal or "no pod yet")
    pod = max(living, key=lambda each: (str(each["metadata"].get("creationTimestamp", "")), name_of(each)))
    phase, message = _state(pod)
    node = str((pod.get("spec") or {}).get("nodeName") or "")
    if phase is SandboxPhase.FAILED or _is_unscheduled(pod):
        return Copy(phase, message, node)
    ref = PodRef(namespace_of(pod), name_of(pod))
    return Copy(phase, message, node, ref, str(pod["metadata"].get("uid", "")))


def _is_unscheduled(pod: Manifest) -> bool:
    return any(
        each.get("type") == "PodScheduled" and each.get("status") == "False" for each in _conditions(pod)
    )


def _refusals(workload: Manifest) -> Iterator[str]:
    """A Deployment whose pods its API server does not take says so in a condition."""
    for condition in _conditions(workload):
        if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
            yield f"{condition.get('reason', 'refused')}: {condition.get('message', '')}"


def _state(pod: Manifest) -> tuple[SandboxPhase, str]:
    status = pod.get("status") or {}
    if _holds(pod, "Ready"):
        return SandboxPhase.READY, ""
    for each in (status.get("initContainerStatuses") or []) + (status.get("containerStatuses") or []):
        waiting = (each.get("state") or {}).get("waiting") or {}
        reason = str(waiting.get("reason", ""))
        if reason in _HELPLESS:
            return SandboxPhase.FAILED, _words(reason, waiting, each)
    if status.get("phase") == "Failed":
        return SandboxPhase.STARTING, f"its pod failed ({status.get('reason', 'no reason given')})"
    for condition in _conditions(pod):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return SandboxPhase.STARTING, f"{condition.get('reason', '')}: {condition.get('message', '')}"
    return SandboxPhase.STARTING, "its pod is starting"


def _words(reason: str, waiting: Manifest, container: Manifest) -> str:
    image = f" ({container['image']})" if container.get("image") and "Image" in reason else ""
    message = str(waiting.get("message", "")).strip()
    return f"{reason}{image}{': ' if message else ''}{message}"


def _holds(manifest: Manifest, kind: str) -> bool:
    return any(each.get("type") == kind and each.get("status") == "True" for each in _conditions(manifest))


def _conditions(manifest: Manifest) -> list[Any]:
    return list((manifest.get("status") or {}).get("conditions") or ())
