"""A hub and members with nodes, kept up for another process: `python -m tests.cluster serve`.

What starts it reads one line of JSON from its output, and ends it by closing its input or by SIGTERM; if that
process just dies, its input closes too.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from tests.cluster import binaries, fleet, images, machine, probe
from tests.cluster.control_plane import ControlPlane
from tests.cluster.etcd import Etcd
from tests.cluster.fleet import Fleet
from tests.cluster.node import Node
from tests.cluster.run import Run


@dataclass(frozen=True)
class Wanted:
    """`nodes` of the members, the first ones and the one with GPUs before all, have a node each."""

    members: tuple[str, ...]
    nodes: int
    gpu_member: str | None
    gpu_resource: str
    gpu_count: int
    gpu_product: str
    gpu_memory_mib: int
    measure: bool

    def noded(self) -> tuple[str, ...]:
        """Members that get a node."""
        first = sorted(self.members, key=lambda name: name != self.gpu_member)[: self.nodes]
        return tuple(name for name in self.members if name in first)


def serve(wanted: Wanted, tell: Callable[[str], None]) -> None:
    """Start, print, wait, end. Raises `Unavailable` before anything is started where it cannot be."""
    if wanted.nodes:
        machine.require_node()
    built = binaries.ensure(tell)
    run = Run(built)
    signal.signal(signal.SIGTERM, partial(_ended, run))
    try:
        print(json.dumps(_started(run, wanted, tell)), flush=True)
        with suppress(KeyboardInterrupt):
            sys.stdin.buffer.read()
    finally:
        run.end()
        tell(f"the test cluster is gone ({run.seconds_to_end:.1f} s)")


def _started(run: Run, wanted: Wanted, tell: Callable[[str], None]) -> dict[str, object]:
    began = time.monotonic()
    seconds: dict[str, float] = {}

    def done(what: str) -> None:
        seconds[what] = round(time.monotonic() - began, 1)
        tell(f"{what} after {seconds[what]} s")

    etcd = Etcd(run)
    etcd.wait()
    started = fleet.start(run, etcd, wanted.members)
    done(f"{len(started.clusters)} API servers ready")
    nodes = _nodes(run, started, wanted)
    if nodes:
        done(f"{len(nodes)} nodes Ready" if len(nodes) > 1 else "node Ready")
    if nodes and wanted.measure:
        probe.tmux_by_exec(next(iter(nodes.values())).plane)
        done("tmux in a pod reached by exec")
    hosts = [node.host_address for node in nodes.values()]
    return {
        "kubeconfig": str(started.kubeconfig),
        "hub": started.hub.name,
        "members": [_member(plane, nodes.get(plane.name)) for plane in started.members],
        "host_address": hosts[0] if hosts else None,
        "image": images.AGENT,
        "folder": str(run.folder),
        "seconds": seconds,
    }


def _nodes(run: Run, started: Fleet, wanted: Wanted) -> dict[str, Node]:
    if not (names := wanted.noded()):
        return {}

    def node(name: str) -> Node:
        made = Node(run, started.member(name), f"{name}-node")
        made.wait()
        if name == wanted.gpu_member:
            made.offer(wanted.gpu_resource, wanted.gpu_count, _gpu_labels(wanted))
        return made

    with ThreadPoolExecutor(max_workers=len(names)) as at_once:
        return dict(zip(names, at_once.map(node, names), strict=True))


def _gpu_labels(wanted: Wanted) -> dict[str, str]:
    """As NVIDIA's GPU feature discovery writes them."""
    vendor = wanted.gpu_resource.partition("/")[0]
    return {
        f"{vendor}/gpu.present": "true",
        f"{vendor}/gpu.product": wanted.gpu_product,
        f"{vendor}/gpu.count": str(wanted.gpu_count),
        f"{vendor}/gpu.memory": str(wanted.gpu_memory_mib),
    }


def _member(plane: ControlPlane, node: Node | None) -> dict[str, object]:
    return {
        "name": plane.name,
        "kubeconfig": str(plane.kubeconfig),
        "url": plane.url,
        "node": node and {"name": node.name, "address": node.address, "host_address": node.host_address},
    }


def _ended(run: Run, number: int, frame: object) -> NoReturn:
    run.end()  # first, so that threads that still wait for something to get ready give up at once
    raise KeyboardInterrupt
