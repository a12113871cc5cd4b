"""Whether this machine has the address that pods are told, and whether its port is free."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from hive.app.doctor.daemon import look_at_daemon
from hive.decisions.doctor.finding import Finding
from hive.decisions.doctor.pods_door import DoorSighting, door_findings
from hive.settings.pods_door import PodsOptions


def look_at_door(pods: PodsOptions | None, *, agents_in_pods: int, state: Path) -> Iterator[Finding]:
    """`state` tells whether hive runs, and so has the port itself."""
    seen = None if pods is None else _seen(pods, hive_runs=look_at_daemon(state).is_there)
    yield from door_findings(seen, agents_in_pods=agents_in_pods)


def _seen(pods: PodsOptions, *, hive_runs: bool) -> DoorSighting:
    is_ours = _binds(pods.host, 0)
    is_tried = is_ours and pods.port != 0 and not hive_runs
    return DoorSighting(
        host=pods.host,
        port=pods.port,
        is_ours=is_ours,
        is_taken=not _binds(pods.host, pods.port) if is_tried else None,
        name=pods.name,
        addresses=_addresses(pods.name),
    )


def _binds(host: str, port: int) -> bool:
    """Whether one could listen there; nobody is let in meanwhile."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # As a server would: connections of an earlier one that linger do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _addresses(name: str) -> tuple[str, ...]:
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(each[4][0]).partition("%")[0] for each in found))
