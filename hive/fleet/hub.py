"""The hub: what is wanted, and the record of what was delivered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.delivery.marks import MANAGER, is_hives
from hive.decisions.delivery.policies import request_key_of
from hive.decisions.delivery.reach import kinds_matched
from hive.decisions.delivery.reading import policy_of
from hive.errors import Missing, Refused, Throttled
from hive.facts.fleet import BindingPolicy
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    SANDBOX_REQUESTS,
    Manifest,
    ResourceType,
    name_of,
    namespace_of,
)
from hive.ports.kubernetes import Kubernetes

_RESOURCES_FOR = timedelta(minutes=1)
"""How long the list of kinds that the hub serves is taken for true."""


@dataclass(frozen=True, slots=True)
class HubLook:
    """All that the hub says.

    Attributes:
        requests: By ``NAMESPACE/NAME``.
        policies, bindings: By name.
        read: What users' policies say; one that cannot be read is in `unread`, with the reason.
        objects: What users' policies may match.
        hidden: Why those objects are not all known; empty where they are.
    """

    requests: Mapping[str, Manifest]
    policies: Mapping[str, Manifest]
    bindings: Mapping[str, Manifest]
    read: Mapping[str, BindingPolicy]
    unread: Mapping[str, str]
    objects: tuple[tuple[ResourceType, Manifest], ...]
    hidden: str = ""


@dataclass(slots=True)
class Hub:
    """Raises `WorldError` as the port does, but for objects of users' policies that may not be listed."""

    api: Kubernetes
    served: tuple[ResourceType, ...] = ()
    served_at: datetime | None = None

    def look(self, now: datetime) -> HubLook:
        """One list for each kind. Policies and requests come first: what changes after is seen next time."""
        policies = {name_of(each): each for each in self._list(BINDING_POLICIES)}
        requests = {f"{namespace_of(each)}/{name_of(each)}": each for each in self._list(SANDBOX_REQUESTS)}
        bindings = {name_of(each): each for each in self._list(BINDINGS)}
        read, unread = _policies(each for each in policies.values() if request_key_of(each) is None)
        objects, hidden = self._objects(read.values(), now)
        return HubLook(requests, policies, bindings, read, unread, objects, hidden)

    def create(self, kind: ResourceType, manifest: Mapping[str, Any]) -> Manifest:
        return self.api.create(kind, manifest)

    def replace(self, kind: ResourceType, manifest: Mapping[str, Any]) -> Manifest:
        """`Moved` where it changed since it was seen."""
        return self.api.replace(kind, manifest)

    def remove(self, kind: ResourceType, manifest: Manifest) -> Manifest | None:
        """What is left of it until its finalizers are gone; None for nothing."""
        name = name_of(manifest)
        self.api.delete(kind, name, uid=str(manifest["metadata"].get("uid", "")))
        try:
            return _whole(kind, self.api.get(kind, name))
        except Missing:
            return None

    def report(self, kind: ResourceType, manifest: Manifest, status: Mapping[str, Any]) -> None:
        """The whole status, in the place of the one before."""
        metadata = {"name": name_of(manifest)}
        if kind.is_namespaced:
            metadata["namespace"] = namespace_of(manifest)
        body = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            "metadata": metadata,
            "status": dict(status),
        }
        self.api.apply(kind, body, manager=MANAGER, force=True, subresource="status")

    def _list(self, kind: ResourceType) -> Iterable[Manifest]:
        return (_whole(kind, each) for each in self.api.list(kind).items)

    def _objects(
        self, policies: Iterable[BindingPolicy], now: datetime
    ) -> tuple[tuple[tuple[ResourceType, Manifest], ...], str]:
        wanted = tuple(policies)
        if not any(each.downsync for each in wanted):
            return (), ""
        found: list[tuple[ResourceType, Manifest]] = []
        try:
            for kind in sorted(kinds_matched(wanted, self._served(now)), key=_order):
                found.extend((kind, each) for each in self._listed(kind) if not is_hives(each))
        except (Refused, Throttled) as error:
            # What may not be looked at is not empty: nothing is taken away because of it.
            return (), error.message
        return tuple(found), ""

    def _listed(self, kind: ResourceType) -> tuple[Manifest, ...]:
        try:
            return tuple(self._list(kind))
        except Missing:
            self.served_at = None  # the kind went since
            return ()

    def _served(self, now: datetime) -> tuple[ResourceType, ...]:
        if self.served_at is None or not timedelta(0) <= now - self.served_at < _RESOURCES_FOR:
            self.served, self.served_at = self.api.resources(), now
        return self.served


def _policies(manifests: Iterable[Manifest]) -> tuple[dict[str, BindingPolicy], dict[str, str]]:
    read: dict[str, BindingPolicy] = {}
    unread: dict[str, str] = {}
    for each in manifests:
        try:
            read[name_of(each)] = policy_of(each)
        except ValueError as error:
            unread[name_of(each)] = str(error)
    return read, unread


def _whole(kind: ResourceType, manifest: Manifest) -> Manifest:
    """Items of a list do not say of what kind they are."""
    return {**manifest, "apiVersion": kind.api_version, "kind": kind.kind}


def _order(kind: ResourceType) -> tuple[str, str]:
    return kind.group, kind.plural
