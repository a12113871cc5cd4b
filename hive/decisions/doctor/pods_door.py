"""The address by which agents in pods reach hive: `gateway.pods`."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from hive.decisions.counting import counted
from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning


@dataclass(frozen=True, slots=True)
class DoorSighting:
    """What was seen of `gateway.pods`.

    Attributes:
        host: That hive listens on, with `port`; 0 is any that is free.
        is_ours: Whether this machine has the address `host`.
        is_taken: Whether somebody has the port; None where it was not tried, since hive itself runs.
        name: By which pods know it.
        addresses: Of `name`, as this machine sees them; empty where it is not known here.
    """

    host: str
    port: int
    is_ours: bool
    is_taken: bool | None
    name: str
    addresses: tuple[str, ...]


def door_findings(seen: DoorSighting | None, *, agents_in_pods: int) -> Iterator[Finding]:
    name = "gateway for pods"
    if seen is None:
        if agents_in_pods:
            said = (
                f"no `gateway.pods` is set, so {counted(agents_in_pods, 'agent')} in pods can reach nothing"
            )
            yield problem(name, said, "set gateway.pods.listen to an address that the pods reach")
        return
    if not seen.is_ours:
        remedy = "set gateway.pods.listen to an address of this machine (`ip address` lists them)"
        yield problem(name, f"{seen.host} is no address of this machine", remedy)
    elif seen.is_taken:
        remedy = "set another port, or end what has it"
        yield problem(name, f"port {seen.port} of {seen.host} is taken", remedy)
    else:
        yield ok(name, f"{seen.host} is an address of this machine")
    yield _named(f"{name}: address", seen)


def _named(name: str, seen: DoorSighting) -> Finding:
    if not seen.addresses:
        said = f"'{seen.name}' is not known to this machine; whether pods know it cannot be told from here"
        return skipped(name, said)
    looped = [each for each in seen.addresses if ipaddress.ip_address(each).is_loopback]
    if looped:
        return warning(
            name,
            f"{seen.name} is {looped[0]}: in a pod, that is the pod itself",
            "set gateway.pods.listen, or its address, to what pods outside of this machine reach",
        )
    return ok(name, f"pods reach it at {seen.name}, as far as their network lets them")
