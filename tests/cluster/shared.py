"""What the tests of one process share of the cluster: started when asked for, ended when nobody needs it.

Under xdist each worker has its own. That costs a few seconds and some 350 MB for each further worker, and
buys that no worker can restart, fill or end what another's test is looking at, and that each ends its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from tests.cluster import binaries, fleet, machine
from tests.cluster.control_plane import ControlPlane
from tests.cluster.etcd import Etcd
from tests.cluster.fleet import Fleet
from tests.cluster.node import Node
from tests.cluster.run import Run

T = TypeVar("T")


class Shared:
    """Each part is made once. Raises `Unavailable` where a part cannot be had on this machine."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._parts: dict[str, object] = {}
        self._users = 0
        self._run: Run | None = None

    def lease(self) -> None:
        """Somebody needs it, and will call `release()`."""
        with self._lock:
            self._users += 1

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._run is not None:
                self._run.end()
                self._run = None
                self._parts.clear()

    def start(self) -> None:
        """Raises `Unavailable` where not even an API server can be had."""
        assert self.run.folder.is_dir()

    @property
    def run(self) -> Run:
        with self._lock:
            if self._run is None:
                self._run = Run(binaries.ensure())
            return self._run

    def etcd(self) -> Etcd:
        return self._once("etcd", self._etcd)

    def control_plane(self) -> ControlPlane:
        return self._once("alone", lambda: ControlPlane(self.run, "alone", self.etcd()))

    def fleet(self, members: int) -> Fleet:
        """Of this size, always the same: `hub-2` with `member-2-1` and `member-2-2`, say."""
        names = tuple(f"member-{members}-{number}" for number in range(1, members + 1))
        return self._once(
            f"fleet-{members}",
            lambda: fleet.start(
                self.run, self.etcd(), names, hub=f"hub-{members}", controllers=self.has_controllers()
            ),
        )

    def node(self) -> Node:
        """A control plane of its own, named `noded`, and its one node."""
        machine.require_node()
        return self._once("node", self._node)

    def has_controllers(self) -> bool:
        return self.run.binaries.have(binaries.CONTROLLERS)

    def _node(self) -> Node:
        plane = self._once("noded", lambda: ControlPlane(self.run, "noded", self.etcd()))
        node = Node(self.run, plane, "node-1")
        node.wait()
        return node

    def _etcd(self) -> Etcd:
        etcd = Etcd(self.run)
        etcd.wait()
        return etcd

    def _once(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._parts:
                self._parts[name] = make()
            part: T = self._parts[name]  # type: ignore[assignment]  # the name says which type it is
            return part


SHARED = Shared()
"""Of this process, however many rooms import the fixtures."""
