"""How a sandbox does, by what its pod says."""

from __future__ import annotations

from typing import Any

import pytest

from hive.decisions.delivery.copy import Copy, copy_of
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import PodRef

IMAGE = "example.org/agent:1"


def pod(**status: Any) -> dict[str, Any]:
    metadata = {"name": "trainer-1", "namespace": "hive", "uid": "u1"}
    return {"metadata": metadata, "spec": {"nodeName": "n1"}, "status": status}


def condition(kind: str, status: str, **more: str) -> dict[str, str]:
    return {"type": kind, "status": status, **more}


HERE = PodRef("hive", "trainer-1")


def test_a_ready_pod_takes_commands() -> None:
    found = copy_of([pod(conditions=[condition("Ready", "True")])], [])
    assert found == Copy(SandboxPhase.READY, "", "n1", HERE, "u1")


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"])
def test_a_pod_whose_container_waits_for_people_takes_no_commands(reason: str) -> None:
    waiting = {"reason": reason, "message": "so it is"}
    found = copy_of([pod(containerStatuses=[{"state": {"waiting": waiting}}])], [])
    assert found == Copy(SandboxPhase.FAILED, f"{reason}: so it is", "n1")


def test_a_pod_that_no_node_takes_says_why_and_takes_no_commands() -> None:
    unscheduled = condition("PodScheduled", "False", reason="Unschedulable", message="0/1 nodes are there")
    found = copy_of([pod(conditions=[unscheduled])], [])
    assert (found.phase, found.message, found.pod) == (
        SandboxPhase.STARTING,
        "Unschedulable: 0/1 nodes are there",
        None,
    )


def test_a_pod_on_a_node_that_fell_silent_may_still_run() -> None:
    """The node's controller takes its readiness away; its container was last heard of as running."""
    silent = pod(
        conditions=[condition("Ready", "False")],
        containerStatuses=[{"image": IMAGE, "state": {"running": {"startedAt": "2026-11-30T10:00:00Z"}}}],
    )
    assert copy_of([silent], []) == Copy(SandboxPhase.STARTING, "its pod is starting", "n1", HERE, "u1")
