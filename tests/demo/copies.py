"""Whether there ever are two live copies of a sandbox, as the members' API servers have it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from hive.errors import Missing, Unreachable, WorldError
from hive.facts import kubernetes as k
from hive.facts.kubernetes import ChangeKind, Manifest
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.demo.pods_fleet import BINDING, MEMBERS, PodsFleet

_ENDED = ("Succeeded", "Failed")
_SILENCE = 9.0
"""Seconds; the server ends a watch after two thirds of it, and then somebody asks whether to go on."""


@dataclass
class Copies:
    """Follows every pod of a namespace on all members, over connections that hive does not have.

    Attributes:
        ever: Pods of each sandbox's binding so far, as ``MEMBER/UID`` in the order of their beginning.
        doubles: What must not be: a pod that began while another of its sandbox was there.
        failures: A follower that ended early; what it did not see counts for nothing.
    """

    namespace: str
    ever: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    doubles: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    _alive: dict[str, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, member: str, pod: Manifest, others: dict[str, KubernetesCluster], *, gone: bool) -> None:
        """What one member says of one pod."""
        binding, uid = k.labels_of(pod)[BINDING], f"{member}/{pod['metadata']['uid']}"
        with self._lock:
            alive = self._alive[binding]
            if gone or (pod.get("status") or {}).get("phase") in _ENDED:
                alive.pop(uid, None)
            elif uid not in alive:
                for other, (place, name) in list(alive.items()):
                    # Another member's news may come late: what counts is what is there now.
                    if place == member or self._is_there(others[place], name, other):
                        self.doubles.append(f"{binding}: {uid} began while {other} was there")
                alive[uid] = (member, k.name_of(pod))
                if uid not in self.ever[binding]:
                    self.ever[binding].append(uid)

    def _is_there(self, client: KubernetesCluster, name: str, uid: str) -> bool:
        try:
            pod = client.get(k.PODS, name, self.namespace)
        except Missing:
            return False
        ended = (pod.get("status") or {}).get("phase") in _ENDED
        return not ended and uid.endswith(f"/{pod['metadata']['uid']}")


@contextmanager
def watched(fleet: PodsFleet, namespace: str) -> Iterator[Copies]:
    """Follow while the context lasts."""
    copies, stop = Copies(namespace), threading.Event()
    threads = [
        threading.Thread(target=_follow, args=(fleet, member, copies, stop), name=f"pods of {member}")
        for member in MEMBERS
    ]
    for thread in threads:
        thread.start()
    try:
        yield copies
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)


def _follow(fleet: PodsFleet, member: str, copies: Copies, stop: threading.Event) -> None:
    clients = {name: fleet.client(name) for name in MEMBERS}
    try:
        listing = clients[member].list(k.PODS, copies.namespace, labels=BINDING)
        for pod in listing.items:
            copies.take(member, pod, clients, gone=False)
        version = listing.resource_version
        while not stop.is_set():
            version = _changes(clients, member, copies, version, stop)
    except WorldError as error:
        copies.failures.append(f"{member}: {error}")
    finally:
        for client in clients.values():
            client.close()


def _changes(
    clients: dict[str, KubernetesCluster],
    member: str,
    copies: Copies,
    version: str,
    stop: threading.Event,
) -> str:
    """Follow until the server ends the watch; the version that was seen last. No change is missed by a
    watch that broke: the next goes on from there."""
    with (
        suppress(Unreachable),
        clients[member].watch(k.PODS, version, copies.namespace, labels=BINDING, silence=_SILENCE) as changes,
    ):
        for change in changes:
            version = change.resource_version
            if change.kind is not ChangeKind.BOOKMARK:
                copies.take(member, change.object, clients, gone=change.kind is ChangeKind.DELETED)
            if stop.is_set():
                break
    return version
