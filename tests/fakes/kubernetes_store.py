"""What an API server keeps: objects and versions, owners of fields, finalizers, dependents, history."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from hive.errors import Missing, Moved, Refused
from hive.facts.kubernetes import (
    CONFIG_MAPS,
    NAMESPACES,
    NETWORK_POLICIES,
    PODS,
    SECRETS,
    SERVICE_ACCOUNTS,
    Change,
    ChangeKind,
    Manifest,
    Propagation,
    ResourceType,
    name_of,
)
from tests.fakes.kubernetes_fields import Manager, Ownership
from tests.fakes.kubernetes_watch import Happened

PORT = "kubernetes"
_WITHOUT_STATUS = frozenset({SECRETS, CONFIG_MAPS, SERVICE_ACCOUNTS, NETWORK_POLICIES})
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"

Key: TypeAlias = tuple[ResourceType, str, str]
"""Kind, namespace, name."""


@dataclass
class Held:
    """One object, and who owns its fields."""

    manifest: dict[str, Any]
    ownership: Ownership = field(default_factory=Ownership)


class Store:
    """Not thread-safe: callers hold `changed`, which is notified of every change."""

    def __init__(self, name: str, *, collects: bool) -> None:
        self.name = name
        self.collects = collects
        self.lingers: set[ResourceType] = set()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.writes: list[str] = []
        self.held: dict[Key, Held] = {}
        self.newest = 0
        self.compacted = 0
        self.happened: list[Happened] = []
        self.changed = threading.Condition(threading.RLock())
        self._uids = itertools.count(1)

    def named(self, manifest: dict[str, Any]) -> None:
        """Give it the rest of a name of which it has the beginning."""
        metadata = manifest["metadata"]
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = f"{metadata['generateName']}{next(self._uids):05d}"

    def compact(self) -> None:
        self.compacted = self.newest
        self.happened.clear()

    def bookmark(self, kind: ResourceType) -> None:
        metadata = {"resourceVersion": str(self.newest)}
        body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
        self.happened.append(Happened(self.newest, kind, Change(ChangeKind.BOOKMARK, body), None))
        self.changed.notify_all()

    def existing(self, key: Key) -> Held:
        held = self.held.get(key)
        if held is None:
            raise missing(self.name, key)
        return held

    def make(self, verb: str, key: Key, wanted: dict[str, Any], who: Manager, *, dry_run: bool) -> Manifest:
        kind, namespace, _ = key
        if kind.is_namespaced and (NAMESPACES, "", namespace) not in self.held:
            raise Missing(PORT, f'{self.name}: namespaces "{namespace}" not found')
        if kind not in _WITHOUT_STATUS:
            wanted.pop("status", None)
        if kind == NAMESPACES:
            wanted["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = key[2]
            wanted["status"] = {"phase": "Active"}
        if kind == PODS:
            wanted["status"] = {"phase": "Pending"}
        wanted["metadata"] |= {
            "uid": f"00000000-0000-4000-8000-{next(self._uids):012d}",
            "creationTimestamp": self._timestamp(),
        }
        if "spec" in wanted:
            wanted["metadata"]["generation"] = 1
        held = Held(wanted)
        if who.operation == "Apply":
            held.ownership.apply(who, {}, wanted)
        else:
            held.ownership.update(who, {}, wanted)
        if dry_run:
            return _shown(held)
        self.held[key] = held
        self.writes.append(f"{verb} {title(key)}")
        self._tell(ChangeKind.ADDED, key, held, None)
        return deepcopy(held.manifest)

    def update(self, verb: str, key: Key, wanted: dict[str, Any], subresource: str) -> Manifest:
        live = self.held[key].manifest
        merged = _as_written(key[0], live, wanted, subresource)
        self.writes.append(f"{verb} {title(key)}" + (f" {subresource}" if subresource else ""))
        self.store(key, merged, Manager("hive", "Update", subresource))
        return deepcopy(merged)

    def apply(
        self, key: Key, wanted: dict[str, Any], who: Manager, *, force: bool, dry_run: bool
    ) -> Manifest:
        held = self.held[key]
        require_version(held.manifest, wanted)
        kind = key[0]
        parts = {"status": wanted.get("status")} if who.subresource else wanted
        if not who.subresource and kind not in _WITHOUT_STATUS:
            parts = {name: value for name, value in wanted.items() if name != "status"}
        against = held.ownership.conflicts(who, held.manifest, parts)
        if against and not force:
            count = sum(map(len, against.values()))
            named = "; ".join(
                f'conflict with "{other}": {", ".join(fields)}' for other, fields in against.items()
            )
            raise Moved(
                PORT, f"{self.name}: apply {title(key)}: Apply failed with {count} conflict(s): {named}"
            )
        ownership, live = deepcopy(held.ownership), deepcopy(held.manifest)
        ownership.apply(who, live, parts)
        if dry_run:
            return _shown(Held(live, ownership))
        self.writes.append(f"apply {title(key)}" + (f" {who.subresource}" if who.subresource else ""))
        is_new = live != held.manifest or ownership != held.ownership
        held.ownership = ownership
        if is_new:
            self._put(key, live)
        return deepcopy(live if key not in self.held else self.held[key].manifest)

    def store(self, key: Key, wanted: dict[str, Any], who: Manager) -> None:
        """Nothing is written where nothing changes, as on a real server."""
        held = self.held[key]
        if wanted != held.manifest:
            held.ownership.update(who, held.manifest, wanted)
            self._put(key, wanted)

    def _put(self, key: Key, wanted: dict[str, Any]) -> None:
        held = self.held[key]
        before = held.manifest
        parts = (before.keys() | wanted.keys()) - {"metadata", "status"}
        is_new = any(before.get(part) != wanted.get(part) for part in parts)
        if is_new and "generation" in before["metadata"]:
            wanted["metadata"]["generation"] = before["metadata"]["generation"] + 1
        held.manifest = wanted
        if wanted["metadata"].get("deletionTimestamp") and not wanted["metadata"].get("finalizers"):
            self.remove(key)
            return
        self._tell(ChangeKind.MODIFIED, key, held, before)

    def delete(self, key: Key, propagation: Propagation) -> None:
        held = self.held[key]
        metadata = held.manifest["metadata"]
        dependents = self._dependents(metadata["uid"]) if self.collects else []
        finalizers = [*(metadata.get("finalizers") or ())]
        if propagation is Propagation.FOREGROUND and (dependents or not self.collects):
            finalizers.append(_FOREGROUND)
        if propagation is Propagation.ORPHAN and not self.collects:
            finalizers.append(_ORPHAN)
        if finalizers or key[0] in self.lingers:
            if not metadata.get("deletionTimestamp"):
                wanted = deepcopy(held.manifest)
                wanted["metadata"]["deletionTimestamp"] = self._timestamp()
                if finalizers:
                    wanted["metadata"]["finalizers"] = finalizers
                before, held.manifest = held.manifest, wanted
                self._tell(ChangeKind.MODIFIED, key, held, before)
            if propagation is Propagation.FOREGROUND:
                self._delete_all(dependents)
            return
        if propagation is Propagation.ORPHAN:
            for one in dependents:
                self._disown(one, metadata["uid"])
        self.remove(key)

    def remove(self, key: Key) -> None:
        held = self.held.pop(key, None)
        if held is None:
            return
        before = deepcopy(held.manifest)
        self._tell(ChangeKind.DELETED, key, held, before)
        if key[0] == NAMESPACES:
            for one in [one for one in self.held if one[1] == key[2] and one[0].is_namespaced]:
                self.remove(one)
        if self.collects:
            self._delete_all(self._dependents(before["metadata"]["uid"]))
            self._let_owners_go(before)

    def _delete_all(self, keys: Sequence[Key]) -> None:
        for key in keys:
            if key in self.held:
                self.delete(key, Propagation.BACKGROUND)

    def _dependents(self, uid: str) -> list[Key]:
        return [key for key, held in self.held.items() if uid in _owners(held.manifest)]

    def _disown(self, key: Key, uid: str) -> None:
        wanted = deepcopy(self.held[key].manifest)
        wanted["metadata"]["ownerReferences"] = [
            one for one in wanted["metadata"]["ownerReferences"] if one["uid"] != uid
        ]
        self.store(key, wanted, Manager("kube-controller-manager", "Update"))

    def _let_owners_go(self, gone: Mapping[str, Any]) -> None:
        """An owner that waits in the foreground goes with its last dependent."""
        for key, held in list(self.held.items()):
            metadata = held.manifest["metadata"]
            waits = _FOREGROUND in (metadata.get("finalizers") or ()) and metadata["uid"] in _owners(gone)
            if waits and not self._dependents(metadata["uid"]):
                wanted = deepcopy(held.manifest)
                wanted["metadata"]["finalizers"].remove(_FOREGROUND)
                self._put(key, wanted)

    def _tell(self, what: ChangeKind, key: Key, held: Held, before: Mapping[str, Any] | None) -> None:
        self.newest = self.newest + 1
        held.manifest["metadata"]["resourceVersion"] = str(self.newest)
        held.manifest = _shown(held)
        change = Change(what, deepcopy(held.manifest))
        self.happened.append(Happened(self.newest, key[0], change, deepcopy(before)))
        self.changed.notify_all()

    def _timestamp(self) -> str:
        self.now += timedelta(seconds=1)
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown(held: Held) -> dict[str, Any]:
    """The manifest as the server shows it, with who manages it."""
    manifest = deepcopy(held.manifest)
    managers: list[dict[str, str]] = [
        {"manager": one.name, "operation": one.operation}
        | ({"subresource": one.subresource} if one.subresource else {})
        for one in held.ownership.owned
    ]
    manifest["metadata"]["managedFields"] = managers
    return manifest


def _as_written(
    kind: ResourceType, live: Mapping[str, Any], wanted: dict[str, Any], subresource: str
) -> dict[str, Any]:
    """What a write may change: only the status through its subresource, all but the status otherwise."""
    kept = deepcopy(dict(live))
    if subresource:
        return {**kept, "status": wanted.get("status")}
    if kind not in _WITHOUT_STATUS:
        wanted = {**wanted, **({"status": kept["status"]} if "status" in kept else {})}
        if "status" not in kept:
            wanted.pop("status", None)
    own = ("uid", "creationTimestamp", "resourceVersion", "generation", "deletionTimestamp", "managedFields")
    for key in own:
        wanted["metadata"].pop(key, None)
        if key in kept["metadata"]:
            wanted["metadata"][key] = kept["metadata"][key]
    return wanted


def merged(live: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(deepcopy(live)) if isinstance(live, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def require_version(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for key in ("resourceVersion", "uid"):
        given = wanted["metadata"].get(key)
        if given and given != live["metadata"][key]:
            message = "the object has been modified; please apply your changes to the latest version"
            raise Moved(PORT, f"{live['kind']} {name_of(live)}: {message} ({key})")


def _owners(manifest: Mapping[str, Any]) -> set[str]:
    return {one["uid"] for one in manifest["metadata"].get("ownerReferences") or ()}


def missing(name: str, key: Key) -> Missing:
    kind, _, named = key
    return Missing(PORT, f'{name}: {kind.plural}{f".{kind.group}" if kind.group else ""} "{named}" not found')


def title(key: Key) -> str:
    kind, namespace, name = key
    return f"{kind.kind} {namespace}/{name}" if namespace else f"{kind.kind} {name}"


def known(kind: ResourceType, namespace: str, name: str) -> str:
    if not kind.is_namespaced:
        return ""
    if not namespace:
        raise Refused(PORT, f"{kind.kind} {name}: it is not said in which namespace")
    return namespace
