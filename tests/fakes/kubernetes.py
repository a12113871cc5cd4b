"""An API server in memory: what hive leans on, and nothing that a real one would not do.

It keeps the contract of `tests/shells/kubernetes/test_contract.py`, as the real one does. A test may reach
in: `away` (unreachable), `before` (fail or change things ahead of a call), `lingers` (kinds whose deleted
objects stay until `finish`), `collects` (garbage collection by ownerRef), `unserved` (CRDs that are missing),
`programs` (what answers to commands in pods), `logs`, `writes` (what was asked for, in order).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from typing import Any, TypeAlias, TypeVar

import msgspec

from hive.errors import Missing, Moved, Refused, Unreachable
from hive.facts import kubernetes
from hive.facts.kubernetes import (
    NAMESPACES,
    PODS,
    ExecResult,
    Listing,
    Manifest,
    PodRef,
    Propagation,
    ResourceType,
    labels_of,
    name_of,
    namespace_of,
)
from hive.ports.kubernetes import ExecStream
from tests.fakes.kubernetes_fields import Manager
from tests.fakes.kubernetes_selectors import fields_match, labels_match
from tests.fakes.kubernetes_store import PORT, Store, known, merged, missing, require_version, title
from tests.fakes.kubernetes_watch import FakeWatch

T = TypeVar("T")
Program: TypeAlias = Callable[[Sequence[str], bytes], ExecResult]
KINDS = tuple(one for one in vars(kubernetes).values() if isinstance(one, ResourceType))
Names: TypeAlias = list[str]


class FakeKubernetes:
    """See the module. Thread-safe, as far as one lock makes it so."""

    def __init__(self, name: str = "east", *, collects: bool = False) -> None:
        self._name = name
        self.away = False
        self.before: Callable[[str, ResourceType, str], None] | None = None
        """Called with the verb, the kind and the name ahead of every call; may raise, or change objects."""
        self.served: Sequence[ResourceType] = KINDS
        self.unserved: set[ResourceType] = set()
        self.programs: dict[tuple[str, str], Program] = {}
        """By namespace and name of the pod."""
        self.streams: Callable[[PodRef, Sequence[str], bool], ExecStream] | None = None
        self.logs: dict[tuple[str, str], Sequence[bytes]] = {}
        self.forwards: dict[tuple[str, str, int], int] = {}
        self._store = Store(name, collects=collects)
        self._changed = self._store.changed
        self.create(NAMESPACES, {"metadata": {"name": "default"}})
        self.writes.clear()

    @property
    def collects(self) -> bool:
        return self._store.collects

    @property
    def lingers(self) -> set[ResourceType]:
        return self._store.lingers

    @property
    def writes(self) -> Names:
        """``apply Deployment east/trainer``: every write that was carried out, without dry runs."""
        return self._store.writes

    @property
    def name(self) -> str:
        return self._name

    def close(self) -> None: ...

    def version(self) -> str:
        self._reach("version", None, "")
        return "v1.36.3"

    def resources(self) -> tuple[ResourceType, ...]:
        self._reach("resources", None, "")
        return tuple(kind for kind in self.served if kind not in self.unserved)

    def get(self, kind: ResourceType, name: str, namespace: str = "") -> Manifest:
        with self._changed:
            self._reach("get", kind, name)
            return deepcopy(self._store.existing((kind, known(kind, namespace, name), name)).manifest)

    def list(self, kind: ResourceType, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        with self._changed:
            self._reach("list", kind, "")
            items = (
                deepcopy(held.manifest)
                for (one, at, _), held in sorted(self._store.held.items(), key=lambda item: item[0][1:])
                if one == kind and (not namespace or at == namespace)
                if labels_match(labels, labels_of(held.manifest)) and fields_match(fields, held.manifest)
            )
            return Listing(tuple(items), str(self._store.newest))

    def list_as(
        self, kind: ResourceType, shape: type[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> tuple[T, ...]:
        items = self.list(kind, namespace, labels=labels, fields=fields).items
        return tuple(msgspec.convert(one, shape) for one in items)

    def create(self, kind: ResourceType, manifest: Manifest, *, dry_run: bool = False) -> Manifest:
        with self._changed:
            wanted = self._wanted(kind, manifest)
            self._store.named(wanted)
            self._reach("create", kind, name_of(wanted))
            key = (kind, known(kind, namespace_of(wanted), name_of(wanted)), name_of(wanted))
            if key in self._store.held:
                raise Moved(PORT, f'{self._name}: {kind.plural} "{name_of(wanted)}" already exists')
            return self._store.make("create", key, wanted, Manager("hive", "Update"), dry_run=dry_run)

    def replace(self, kind: ResourceType, manifest: Manifest, *, subresource: str = "") -> Manifest:
        with self._changed:
            wanted = self._wanted(kind, manifest)
            self._reach("replace", kind, name_of(wanted))
            key = (kind, known(kind, namespace_of(wanted), name_of(wanted)), name_of(wanted))
            held = self._store.existing(key)
            require_version(held.manifest, wanted)
            return self._store.update("replace", key, wanted, subresource)

    def patch(
        self,
        kind: ResourceType,
        name: str,
        patch: Mapping[str, object],
        namespace: str = "",
        *,
        subresource: str = "",
    ) -> Manifest:
        with self._changed:
            self._reach("patch", kind, name)
            key = (kind, known(kind, namespace, name), name)
            live = self._store.existing(key).manifest
            wanted = merged(live, deepcopy(dict(patch)))
            require_version(live, wanted)
            return self._store.update("patch", key, wanted, subresource)

    def apply(
        self,
        kind: ResourceType,
        manifest: Manifest,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Manifest:
        with self._changed:
            wanted = self._wanted(kind, manifest)
            self._reach("apply", kind, name_of(wanted))
            key = (kind, known(kind, namespace_of(wanted), name_of(wanted)), name_of(wanted))
            who = Manager(manager, "Apply", subresource)
            if key not in self._store.held:
                if subresource or wanted["metadata"].get("uid") or wanted["metadata"].get("resourceVersion"):
                    raise missing(self._name, key)
                return self._store.make("apply", key, wanted, who, dry_run=dry_run)
            return self._store.apply(key, wanted, who, force=force, dry_run=dry_run)

    def delete(
        self,
        kind: ResourceType,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        propagation: Propagation = Propagation.BACKGROUND,
    ) -> None:
        with self._changed:
            self._reach("delete", kind, name)
            key = (kind, known(kind, namespace, name), name)
            held = self._store.held.get(key)
            if held is None:
                return
            if uid and held.manifest["metadata"]["uid"] != uid:
                raise Moved(
                    PORT, f"{self._name}: the UID in the precondition ({uid}) is not that of {title(key)}"
                )
            self.writes.append(f"delete {title(key)}")
            self._store.delete(key, propagation)

    def finish(self, kind: ResourceType, name: str, namespace: str = "") -> None:
        """Let an object that lingers go, as a kubelet does once the containers have ended."""
        with self._changed:
            self._store.remove((kind, namespace, name))

    def set_status(
        self, kind: ResourceType, name: str, status: Mapping[str, Any], namespace: str = ""
    ) -> None:
        """As a controller of the cluster does it; also while `away`."""
        with self._changed:
            live = self._store.existing((kind, namespace, name)).manifest
            wanted = {**deepcopy(live), "status": deepcopy(dict(status))}
            self._store.store((kind, namespace, name), wanted, Manager("kubelet", "Update", "status"))

    def compact(self) -> None:
        """Forget history: a watch from a version before now is too old."""
        with self._changed:
            self._store.compact()

    def bookmark(self, kind: ResourceType) -> None:
        """Tell the watches of `kind` how far they are."""
        with self._changed:
            self._store.bookmark(kind)

    def watch(
        self,
        kind: ResourceType,
        resource_version: str,
        namespace: str = "",
        *,
        labels: str = "",
        silence: float = 90.0,
    ) -> FakeWatch:
        with self._changed:
            self._reach("watch", kind, "")
            version, store = int(resource_version), self._store
            if version < store.compacted:
                raise Moved(PORT, f"{self._name}: too old resource version: {version} ({store.newest})")
            start = sum(1 for one in store.happened if one.version <= version)
            return FakeWatch(store.happened, start, self._changed, self, kind, namespace, labels, silence)

    def run(
        self, pod: PodRef, command: Sequence[str], *, stdin: bytes = b"", timeout: float = 30.0
    ) -> ExecResult:
        self._running("exec", pod)
        program = self.programs.get((pod.namespace, pod.name))
        if program is None:
            raise Refused(PORT, f"{self._name}: exec: {command[0]}: executable file not found in $PATH")
        return program(command, stdin)

    def exec(
        self, pod: PodRef, command: Sequence[str], *, tty: bool = False, stdin: bool = True
    ) -> ExecStream:
        self._running("exec", pod)
        assert self.streams is not None, "give the fake its `streams` first"
        return self.streams(pod, command, tty)

    def follow_log(self, pod: PodRef, *, tail: int | None = None) -> FakeLog:
        self._running("log", pod)
        lines = self.logs.get((pod.namespace, pod.name), [])
        return FakeLog(lines if tail is None else lines[len(lines) - min(tail, len(lines)) :])

    def forward(self, pod: PodRef, port: int) -> AbstractContextManager[int]:
        self._running("forward", pod)
        return _held_open(self.forwards[pod.namespace, pod.name, port])

    def _reach(self, verb: str, kind: ResourceType | None, name: str) -> None:
        if self.away:
            raise Unreachable(PORT, f"{self._name}: nobody answers at the server's address")
        if kind in self.unserved:
            raise Missing(
                PORT, f"{self._name}: {verb} {kind}: the server could not find the requested resource"
            )
        if self.before is not None and kind is not None:
            hook, self.before = self.before, None  # what the hook does calls no hook
            try:
                hook(verb, kind, name)
            finally:
                self.before = self.before or hook
        if self.away:
            raise Unreachable(PORT, f"{self._name}: nobody answers at the server's address")

    def _running(self, verb: str, pod: PodRef) -> None:
        with self._changed:
            self._reach(verb, PODS, pod.name)
            phase = (self._store.existing((PODS, pod.namespace, pod.name)).manifest.get("status") or {}).get(
                "phase"
            )
            if phase != "Running":
                raise Missing(PORT, f"{self._name}: pod {pod.namespace}/{pod.name} is not running ({phase})")

    def _wanted(self, kind: ResourceType, manifest: Manifest) -> dict[str, Any]:
        wanted = deepcopy(dict(manifest))
        for key, right in (("apiVersion", kind.api_version), ("kind", kind.kind)):
            if wanted.setdefault(key, right) != right:
                raise Refused(PORT, f"{self._name}: {key} {wanted[key]} is not {right}, which the path says")
        return wanted


class FakeLog:
    """All lines there are, then the end."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = tuple(lines)

    def lines(self) -> Iterator[bytes]:
        yield from self._lines

    def close(self) -> None: ...


@contextmanager
def _held_open(port: int) -> Iterator[int]:
    yield port
