"""Each Binding with all that its round needs: whose it is, what it has to say, and what it brings where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hive.decisions.delivery import Delivery
from hive.decisions.delivery.bindings import (
    KUBESTELLAR,
    Bound,
    binding_manifest,
    binding_spec,
    delivered_kinds,
    delivered_to,
    is_carried_by_hive,
    restored,
)
from hive.decisions.delivery.marks import REQUEST, REQUEST_UID, label_value
from hive.decisions.delivery.policies import request_key_of
from hive.decisions.delivery.reach import reach_remarks
from hive.decisions.delivery.reading import destinations_of, policy_of, workload_object_of
from hive.decisions.delivery.requests import Placed
from hive.decisions.placement.binding import PolicyBinding, bind, namespace_labels, refusals, remarks
from hive.errors import ConfigError
from hive.facts.fleet import Cluster, Modulation
from hive.facts.kubernetes import (
    PODS,
    SANDBOX_REQUESTS,
    Manifest,
    ResourceType,
    annotations_of,
    is_deleting,
    name_of,
)
from hive.fleet.hub import HubLook
from hive.fleet.loads import REPLICA_SETS, Load, SandboxMaker, policy_loads

_NO_MODULATION = Modulation()
_OF_PODS = frozenset({PODS, REPLICA_SETS})


@dataclass(slots=True)
class Carried:
    """One Binding of this round.

    Attributes:
        policy: None where it is gone: then everything that the Binding brought goes.
        found: As the hub has it; None before it is made.
        target: What the hub should have, but for the record of delivery; None for a Binding that goes.
        loads: By destination; None where what is there stays as it is.
        request: The request that it is for; empty for a policy of somebody else.
        errors: What is wrong, for people.
    """

    name: str
    policy: Manifest | None
    found: Manifest | None
    target: Manifest | None
    loads: dict[str, tuple[Load, ...] | None] = field(default_factory=dict)
    request: str = ""
    errors: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        return label_value(self.name)

    @property
    def delivered(self) -> frozenset[str]:
        return delivered_to(self.found) if self.found is not None else frozenset()

    @property
    def kinds(self) -> frozenset[ResourceType]:
        """All that may be on members because of it."""
        brought = {load.kind for loads in self.loads.values() for load in loads or ()}
        before = delivered_kinds(self.found) if self.found is not None else frozenset()
        return frozenset(brought) | before | (_OF_PODS if self.request else frozenset())

    def delivery(self) -> Delivery:
        wanted = {
            cluster: None if loads is None else tuple(each.desired for each in loads)
            for cluster, loads in self.loads.items()
        }
        return Delivery(self.name, self.label, bool(self.request), wanted, self.delivered)


def carried_bindings(
    look: HubLook,
    policies: Mapping[str, Manifest],
    placed: Mapping[str, Placed],
    clusters: tuple[Cluster, ...],
    maker: SandboxMaker,
) -> dict[str, Carried]:
    """By name: those of living `policies`, and those that outlived theirs until all is removed."""
    maker.keep(placed)
    carried = {each.name: each for each in _living(look, policies, placed, clusters, maker)}
    for name, found in look.bindings.items():
        if name in carried or name in foreign(look) or not is_carried_by_hive(found):
            continue
        if name not in policies and not is_deleting(found) and _still_asked_for(found, placed):
            # Its policy could not be written again in this round; that is no reason to take anything away.
            carried[name] = _as_it_is(found, found, "", annotations_of(found)[REQUEST])
            carried[name].policy = None
        else:
            carried[name] = _leaving(name, policies.get(name), found)
    return carried


def foreign(look: HubLook) -> frozenset[str]:
    """Bindings that KubeStellar's own transport carries out."""
    return frozenset(
        name
        for name, each in look.bindings.items()
        if KUBESTELLAR in (each["metadata"].get("finalizers") or ())
    )


def _living(
    look: HubLook,
    policies: Mapping[str, Manifest],
    placed: Mapping[str, Placed],
    clusters: tuple[Cluster, ...],
    maker: SandboxMaker,
) -> Iterator[Carried]:
    objects = tuple(workload_object_of(kind, manifest) for kind, manifest in look.objects)
    namespaces = namespace_labels(objects)
    by_id = {each.id: (kind, manifest) for each, (kind, manifest) in zip(objects, look.objects, strict=True)}
    for name, policy in policies.items():
        found = look.bindings.get(name)
        if name in foreign(look) or is_deleting(policy):
            continue
        if found is not None and (is_deleting(found) or _is_anothers(found, policy)):
            yield _leaving(name, policy, found)
            continue
        request = request_key_of(policy)
        if request is not None:
            one = _of_request(policy, found, placed.get(request), clusters, maker)
        elif name in look.unread or look.hidden:
            one = _as_it_is(
                policy, found, look.unread.get(name) or f"objects cannot be listed: {look.hidden}"
            )
        else:
            bound = bind(look.read[name], clusters, objects, namespaces)
            told = (*refusals(look.read[name]), *remarks(look.read[name]), *reach_remarks(look.read[name]))
            one = _of_policy(policy, found, bound, by_id, told)
        if one is not None:
            yield one


def _of_request(
    policy: Manifest,
    found: Manifest | None,
    placed: Placed | None,
    clusters: tuple[Cluster, ...],
    maker: SandboxMaker,
) -> Carried | None:
    if placed is None:
        return None
    if placed.problem or placed.claim is None:
        return _as_it_is(policy, found, placed.problem, placed.key)
    request = placed.claim.request
    chosen = bind(policy_of(policy), clusters, (), {}).clusters
    if not chosen and found is None:
        return None
    bound = Bound(SANDBOX_REQUESTS, placed.manifest, _NO_MODULATION)
    carried = _staying(policy, found, [bound], chosen)
    carried.request = placed.key
    try:
        loads = maker.loads(request, placed.manifest, policy)
    except ConfigError as error:
        carried.errors.append(str(error))
        carried.loads = dict.fromkeys(chosen)
    else:
        carried.loads = dict.fromkeys(chosen, loads)
    return carried


def _of_policy(
    policy: Manifest,
    found: Manifest | None,
    binding: PolicyBinding,
    by_id: Mapping[str, tuple[ResourceType, Manifest]],
    told: Iterable[str],
) -> Carried:
    bound = [Bound(*by_id[each], modulation) for each, modulation in binding.objects]
    carried = _staying(policy, found, bound, binding.clusters)
    carried.errors.extend(told)
    loads = policy_loads(bound, policy)
    carried.loads = dict.fromkeys(binding.clusters, loads)
    if found is None and not bound and not binding.clusters:
        carried.target = None
    return carried


def _staying(
    policy: Manifest, found: Manifest | None, bound: Iterable[Bound], clusters: Iterable[str]
) -> Carried:
    wanted = binding_manifest(policy, binding_spec(bound, clusters))
    target = wanted if found is None else restored(found, wanted)
    return Carried(name_of(policy), policy, found, target)


def _as_it_is(policy: Manifest, found: Manifest | None, because: str, request: str = "") -> Carried:
    """What cannot be read changes nothing: all that was delivered stays as it is."""
    here = destinations_of(found) if found is not None else ()
    errors = [because] if because else []
    return Carried(name_of(policy), policy, found, found, dict.fromkeys(here), request, errors)


def _leaving(name: str, policy: Manifest | None, found: Manifest) -> Carried:
    return Carried(name, policy, found, None, request=annotations_of(found).get(REQUEST, ""))


def _is_anothers(found: Manifest, policy: Manifest) -> bool:
    """A sandbox of a request that is no more, though another of its name is there by now."""
    before, now = annotations_of(found), annotations_of(policy)
    if not is_carried_by_hive(found):
        return False
    return (before.get(REQUEST), before.get(REQUEST_UID)) != (now.get(REQUEST), now.get(REQUEST_UID))


def _still_asked_for(found: Manifest, placed: Mapping[str, Placed]) -> bool:
    one = placed.get(annotations_of(found).get(REQUEST, ""))
    return one is not None and annotations_of(found).get(REQUEST_UID) == one.manifest["metadata"].get("uid")
