"""What this machine would allow to keep agents apart, and what hive does of it today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hive.decisions.doctor.finding import Finding, ok, skipped, warning


@dataclass(frozen=True, slots=True)
class IsolationFacts:
    """`None` is a thing that is not there, an empty fault one that works.

    Attributes:
        uid: Of hive's user.
        namespaces_fault: Why a user namespace could not be made.
        bubblewrap_fault: Why bubblewrap did not run.
        has_cgroup2: Whether the unified hierarchy of control groups is there.
        cgroup: Where a group could be made; None where hive may not.
    """

    uid: int
    namespaces_fault: str | None
    bubblewrap_fault: str | None
    has_cgroup2: bool
    cgroup: str | None


def isolation_findings(facts: IsolationFacts, *, local_agents: int) -> Iterator[Finding]:
    """What the machine allows is no more than a fact: hive uses none of it yet."""
    yield _today(local_agents)
    yield ok("isolation: user", "root" if facts.uid == 0 else f"uid {facts.uid}, not root")
    yield _allowed("isolation: user namespaces", facts.namespaces_fault)
    yield _allowed("isolation: bubblewrap", facts.bubblewrap_fault)
    name = "isolation: cgroup v2"
    if not facts.has_cgroup2:
        yield skipped(name, "it is not mounted at /sys/fs/cgroup")
    elif facts.cgroup is None:
        yield skipped(name, "it is there, and hive may not make groups")
    else:
        yield ok(name, f"hive may make groups in {facts.cgroup}")


def _today(local_agents: int) -> Finding:
    name = "isolation"
    if not local_agents:
        return ok(name, "no agent runs on this machine itself")
    agents = "1 agent" if local_agents == 1 else f"{local_agents} agents"
    return warning(
        name,
        f"{agents} on this machine run as hive's own user, each with its own HOME: what it reads, they can",
        "give hive a user of its own that owns nothing else, or run agents in pods (`sandbox`)",
    )


def _allowed(name: str, fault: str | None) -> Finding:
    if fault is None:
        return skipped(name, "not there")
    return skipped(name, f"not allowed: {fault}") if fault else ok(name, "allowed")
