"""What a Binding brings to its destinations: the objects, with hive's marks on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hive.decisions.delivery import Desired, key_of
from hive.decisions.delivery.bindings import Bound
from hive.decisions.delivery.marks import content_digest, marked
from hive.decisions.delivery.stripping import stripped
from hive.decisions.manifests.kinds import Kinds
from hive.decisions.sandbox import GatewayAddress, SandboxTemplate, names_of, render
from hive.facts.fleet import SandboxRequest, object_id
from hive.facts.kubernetes import (
    SANDBOX_REQUESTS,
    SECRETS,
    Manifest,
    ResourceType,
    name_of,
    namespace_of,
)

REPLICA_SETS = ResourceType("apps", "v1", "replicasets", "ReplicaSet")
_KINDS = Kinds()


@dataclass(frozen=True, slots=True)
class Load:
    """One object for a cluster.

    Attributes:
        manifest: As it is written there; of a credential all but its data.
        is_credential: The Secret of a sandbox: its data is minted for each copy, and kept nowhere.
    """

    desired: Desired
    kind: ResourceType
    manifest: Mapping[str, Any]
    is_credential: bool = False


@dataclass(frozen=True, slots=True)
class SandboxMaker:
    """Requests into objects.

    Attributes:
        image: Of agents, where neither request nor template names one.
        gateway: The only place that a sandbox may connect to; None for no place at all.
        has_credentials: Whether each sandbox gets a Secret of its own.
    """

    templates: Mapping[str, SandboxTemplate]
    image: str
    gateway: GatewayAddress | None
    has_credentials: bool
    _made: dict[str, tuple[tuple[str, ...], tuple[Load, ...]]] = field(default_factory=dict)

    def loads(self, request: SandboxRequest, manifest: Manifest, policy: Manifest) -> tuple[Load, ...]:
        """Of `request`, which was read from `manifest`; made once for each of its generations.

        Raises `ConfigError` for what the template does not take.
        """
        metadata = manifest["metadata"]
        stamp = (
            str(metadata.get("uid")),
            str(metadata.get("generation")),
            str(policy["metadata"].get("uid")),
        )
        known = self._made.get(request.key)
        if known is None or known[0] != stamp:
            known = self._made[request.key] = (stamp, self._make(request, policy))
        return known[1]

    def keep(self, requests: Iterable[str]) -> None:
        """Forget what was made for all others."""
        for key in self._made.keys() - set(requests):
            del self._made[key]

    def _make(self, request: SandboxRequest, policy: Manifest) -> tuple[Load, ...]:
        rendered = render(
            self.templates[request.template],
            request,
            parameters=request.parameters,
            image=self.image,
            namespace=request.namespace,
            gateway=self.gateway,
        )
        origin = object_id(
            SANDBOX_REQUESTS.group,
            SANDBOX_REQUESTS.version,
            SANDBOX_REQUESTS.plural,
            request.namespace,
            request.name,
        )
        loads = [_load(kind_of(each), each, policy, origin, with_pods=True) for each in rendered]
        if self.has_credentials:
            secret = {
                "apiVersion": "v1",
                "kind": "Secret",
                "type": "Opaque",
                "metadata": {"name": names_of(request.name).secret, "namespace": request.namespace},
            }
            loads.append(_load(SECRETS, secret, policy, origin, is_credential=True))
        return tuple(loads)


def policy_loads(bound: Iterable[Bound], policy: Manifest) -> tuple[Load, ...]:
    """The hub's own objects, less what only that API server can say."""
    return tuple(
        _load(
            each.kind,
            {
                **stripped(each.manifest),
                "apiVersion": each.kind.api_version,
                "kind": each.kind.kind,
            },
            policy,
            object_id(
                each.kind.group,
                each.kind.version,
                each.kind.plural,
                namespace_of(each.manifest),
                name_of(each.manifest),
            ),
            is_create_only=each.modulation.create_only,
        )
        for each in bound
    )


def kind_of(manifest: Manifest) -> ResourceType:
    """Of what a template renders: Kubernetes' own kinds, and those named as its rule would have it."""
    group, _, version = str(manifest["apiVersion"]).rpartition("/")
    kind = str(manifest["kind"])
    return ResourceType(
        group, version, _KINDS.resource(group, kind), kind, is_namespaced=_KINDS.is_namespaced(group, kind)
    )


def _load(
    kind: ResourceType,
    manifest: Manifest,
    policy: Manifest,
    origin: str,
    *,
    with_pods: bool = False,
    is_create_only: bool = False,
    is_credential: bool = False,
) -> Load:
    whole = marked(
        manifest,
        binding=name_of(policy),
        policy_uid=str(policy["metadata"].get("uid", "")),
        object_id=origin,
        with_pods=with_pods,
    )
    key = key_of(kind, namespace_of(manifest), name_of(manifest))
    return Load(Desired(key, content_digest(whole), is_create_only), kind, whole, is_credential)
