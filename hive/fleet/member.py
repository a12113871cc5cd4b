"""One member cluster: what of hive's is there, and the writes that change it. In the member's own thread."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive.decisions.delivery import Held, ObjectKey, key_of
from hive.decisions.delivery.drift import is_as_written, projection
from hive.decisions.delivery.marks import BINDING, MANAGED_BY, MANAGER, content_digest, is_hives
from hive.errors import InDoubt, Missing, Unreachable, WorldError
from hive.facts.kubernetes import (
    NAMESPACES,
    Manifest,
    ResourceType,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
)
from hive.fleet.loads import Load
from hive.ports.kubernetes import Kubernetes


@dataclass(frozen=True, slots=True)
class Found:
    """All that carries hive's label on a member, by key."""

    objects: Mapping[ObjectKey, tuple[ResourceType, Manifest]]

    def labels(self) -> frozenset[str]:
        """Of which Bindings there is anything."""
        return frozenset(labels_of(manifest)[BINDING] for _, manifest in self.objects.values())

    def count(self, label: str) -> int:
        return sum(labels_of(manifest)[BINDING] == label for _, manifest in self.objects.values())

    def of(self, label: str, plural: str) -> tuple[Manifest, ...]:
        return tuple(
            manifest
            for key, (_, manifest) in self.objects.items()
            if key.plural == plural and labels_of(manifest)[BINDING] == label
        )


@dataclass(frozen=True, slots=True)
class Put:
    """Write an object. `over` is the one that is there, by uid; empty where none of hive's is."""

    binding: str
    load: Load
    manifest: Mapping[str, Any]
    over: str = ""
    makes_namespace: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """Remove an object."""

    binding: str
    key: ObjectKey
    kind: ResourceType
    uid: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one write: what the API server answered, or why it was not done, or may not have been."""

    binding: str
    key: ObjectKey
    answer: Manifest | None = None
    trouble: str = ""
    is_in_doubt: bool = False


def look(api: Kubernetes, kinds: Iterable[ResourceType]) -> Found:
    """One list for each kind. A kind that the member does not serve has no objects. Raises `WorldError`."""
    objects: dict[ObjectKey, tuple[ResourceType, Manifest]] = {}
    for kind in sorted(kinds, key=lambda each: (each.group, each.plural, each.version)):
        try:
            listing = api.list(kind, labels=BINDING)
        except Missing:
            continue
        for each in listing.items:
            objects[key_of(kind, namespace_of(each), name_of(each))] = (kind, each)
    return Found(objects)


def act(
    api: Kubernetes, stop: threading.Event, actions: Sequence[Put | Take], outcomes: list[Outcome]
) -> list[Outcome]:
    """Do `actions` in their order and note each outcome at once.

    The rest of a Binding is left after its first trouble: nothing runs without what comes before it.
    """
    troubled: set[str] = set()
    for action in actions:
        if stop.is_set():
            break
        if action.binding in troubled:
            continue
        try:
            outcome = _put(api, action) if isinstance(action, Put) else _take(api, action)
        except Unreachable:
            raise
        except WorldError as error:
            key = action.load.desired.key if isinstance(action, Put) else action.key
            doubt = isinstance(error, InDoubt)
            outcome = Outcome(action.binding, key, trouble=f"{key.text}: {error.message}", is_in_doubt=doubt)
        outcomes.append(outcome)
        if outcome.trouble:
            troubled.add(action.binding)
    return outcomes


def secret_data(manifest: Manifest) -> dict[str, bytes]:
    """Of a Secret as it was seen; what is no base64 counts as empty."""
    found: dict[str, bytes] = {}
    for key, text in (manifest.get("data") or {}).items():
        try:
            found[key] = base64.b64decode(str(text), validate=True)
        except ValueError:
            found[key] = b""
    return found


def _put(api: Kubernetes, put: Put) -> Outcome:
    load, key = put.load, put.load.desired.key
    manifest = dict(put.manifest)
    uid = put.over
    if not uid:
        there = _existing(api, load.kind, key)
        if there is not None:
            if labels_of(there).get(BINDING) != labels_of(manifest)[BINDING]:
                whose = "belongs to another Binding" if is_hives(there) else "was not put there by hive"
                return Outcome(
                    put.binding, key, trouble=f"{key.text} is there already and {whose}: left alone"
                )
            uid = str(there["metadata"]["uid"])
        elif put.makes_namespace and key.namespace:
            _make_namespace(api, key.namespace)
    if uid:
        manifest["metadata"] = {**manifest["metadata"], "uid": uid}
    answer = api.apply(load.kind, manifest, manager=MANAGER, force=bool(uid))
    return Outcome(put.binding, key, answer)


def _take(api: Kubernetes, take: Take) -> Outcome:
    api.delete(take.kind, take.key.name, take.key.namespace, uid=take.uid)
    return Outcome(take.binding, take.key)


def _existing(api: Kubernetes, kind: ResourceType, key: ObjectKey) -> Manifest | None:
    try:
        return api.get(kind, key.name, key.namespace)
    except Missing:
        return None


def _make_namespace(api: Kubernetes, name: str) -> None:
    """It stays when the sandbox goes: others may have come to use it."""
    if _existing(api, NAMESPACES, key_of(NAMESPACES, "", name)) is None:
        labels = {MANAGED_BY: MANAGER}
        api.apply(
            NAMESPACES,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}},
            manager=MANAGER,
        )


@dataclass(slots=True)
class Written:
    """What a member made of what hive wrote: its own spelling of values, by object and content.

    Forgotten at a restart, which costs one write that changes nothing for each object so spelled.
    """

    answers: dict[tuple[ObjectKey, str], Any] = field(default_factory=dict)

    def note(self, load: Load, answer: Manifest) -> None:
        self.answers[load.desired.key, load.desired.digest] = _told(load, answer)

    def held(self, key: ObjectKey, manifest: Manifest, load: Load | None) -> Held:
        """`manifest` as delivery sees it; `load` is what hive would have there."""
        metadata = manifest["metadata"]
        digest = content_digest(manifest)
        if load is not None and digest == load.desired.digest and not load.is_credential:
            known = self.answers.get((key, digest))
            is_same = _told(load, manifest) == known if known is not None else _is_told(load, manifest)
            digest = digest if is_same else ""
        return Held(
            key,
            labels_of(manifest)[BINDING],
            str(metadata.get("uid", "")),
            digest,
            is_derived=any(each.get("controller") for each in metadata.get("ownerReferences") or ()),
            going_since=str(metadata["deletionTimestamp"]) if is_deleting(manifest) else None,
        )

    def keep(self, keys: Iterable[tuple[ObjectKey, str]]) -> None:
        """Forget all others."""
        wanted = set(keys)
        self.answers = {key: value for key, value in self.answers.items() if key in wanted}


def _told(load: Load, manifest: Manifest) -> Any:
    return projection(manifest, _body(load))


def _is_told(load: Load, manifest: Manifest) -> bool:
    return is_as_written(manifest, _body(load))


def _body(load: Load) -> dict[str, Any]:
    """Items of a list do not say of what kind they are."""
    return {key: value for key, value in load.manifest.items() if key not in ("apiVersion", "kind")}
