"""Requests on the hub into places, and the policies that say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hive.decisions.delivery.bindings import delivered_to
from hive.decisions.delivery.policies import Claim, cluster_of, request_key_of, unnamed
from hive.decisions.delivery.reading import request_of
from hive.decisions.delivery.staying import destination, is_hopeless
from hive.decisions.placement import Fresh, Placement, place
from hive.decisions.placement.demand import Demand, demand_of
from hive.decisions.placement.selectors import why_broken
from hive.decisions.sandbox import SandboxTemplate, completed
from hive.errors import ConfigError
from hive.facts.fleet import Cluster, Fleet, RequestBinding, SandboxRequest
from hive.facts.kubernetes import Manifest, is_deleting


@dataclass(frozen=True, slots=True)
class Placed:
    """One request.

    Attributes:
        claim: None where the request cannot be read; `problem` says why. With a problem its policy and
            what it brought stay as they are.
        cluster: Where it has to be; None for nowhere.
        node: Where placement counted it; empty where it stays for another reason.
        why: By cluster, the nearest first.
        is_hopeless: No cluster could serve it even if it were empty.
    """

    key: str
    manifest: Manifest
    claim: Claim | None = None
    cluster: str | None = None
    node: str = ""
    why: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    is_hopeless: bool = False


def place_requests(
    manifests: Mapping[str, Manifest],
    policies: Mapping[str, Manifest],
    bindings: Mapping[str, Manifest],
    clusters: tuple[Cluster, ...],
    fresh: Fresh,
    templates: Mapping[str, SandboxTemplate],
) -> dict[str, Placed]:
    """By request key, all that still ask for a place; one that is being deleted asks for none."""
    asking = {key: each for key, each in manifests.items() if not is_deleting(each)}
    claims, problems = _claims(asking, templates)
    for key, words in unnamed(claims.values(), policies).items():
        problems.setdefault(key, words)
    sound = {key: claim.request for key, claim in claims.items() if key not in problems}
    last = tuple(_last_round(sound.values(), policies, bindings))
    fleet = Fleet(clusters=clusters, requests=tuple(sound.values()), last=last)
    decided = {each.request: each for each in place(fleet, fresh, templates=templates).placements}
    by_name = {each.name: each for each in clusters}
    homes = {each.name: next(iter(sorted(each.clusters)), None) for each in last}
    placed: dict[str, Placed] = {}
    hopeless: dict[Demand, bool] = {}
    for key, manifest in asking.items():
        if key in problems:
            placed[key] = Placed(key, manifest, claims.get(key), problem=problems[key])
            continue
        request, placement = sound[key], decided[key]
        cluster = destination(request, placement.cluster, homes.get(request.binding), by_name, fresh)
        one = Placed(
            key,
            manifest,
            claims[key],
            cluster,
            placement.node or "" if cluster == placement.cluster else "",
            _why(placement, cluster),
        )
        if cluster is None:
            demand = demand_of(request)
            if demand not in hopeless:
                hopeless[demand] = is_hopeless(request, clusters, fresh)
            one = replace(one, is_hopeless=hopeless[demand])
        placed[key] = one
    return placed


def message_of(placed: Placed) -> str:
    """Why a request has no place, in one line for a person."""
    if placed.problem:
        return placed.problem
    nearest = "; ".join(f"{name}: {words.removeprefix('not: ')}" for name, words in [*placed.why.items()][:3])
    if not nearest:
        return "there are no clusters; name the fleet's members"
    if placed.is_hopeless:
        return f"no cluster can ever serve it as it is, even an empty one: {nearest}"
    return f"it waits for room: {nearest}"


def orphans(
    policies: Mapping[str, Manifest], placed: Mapping[str, Placed], requests: Mapping[str, Manifest]
) -> Iterator[Manifest]:
    """Policies that hive wrote for requests which are no more, or have got a Binding of another name."""
    for name, policy in policies.items():
        key = request_key_of(policy)
        if key is None:
            continue
        one = placed.get(key)
        if one is None or (one.claim is not None and one.claim.request.binding != name):
            yield policy


def _claims(
    manifests: Mapping[str, Manifest], templates: Mapping[str, SandboxTemplate]
) -> tuple[dict[str, Claim], dict[str, str]]:
    claims: dict[str, Claim] = {}
    problems: dict[str, str] = {}
    for key, manifest in sorted(manifests.items()):
        metadata = manifest["metadata"]
        uid, since = str(metadata.get("uid", "")), str(metadata.get("creationTimestamp", ""))
        try:
            request = request_of(manifest)
        except ValueError as error:
            problems[key] = str(error)
            continue
        try:
            request = _completed(request, templates)
        except (ConfigError, ValueError) as error:
            problems[key] = str(error)
        claims[key] = Claim(request, uid, since)
    return claims, problems


def _completed(request: SandboxRequest, templates: Mapping[str, SandboxTemplate]) -> SandboxRequest:
    """Raises `ValueError` or `ConfigError` with what is wrong in it."""
    template = templates.get(request.template)
    if template is None:
        known = ", ".join(sorted(templates))
        raise ValueError(f"there is no template '{request.template}'; there are: {known}")
    broken = why_broken(request.clusters)
    if broken:
        raise ValueError(f"clusters: {broken}")
    return completed(request, template, request.parameters)


def _last_round(
    requests: Iterable[SandboxRequest], policies: Mapping[str, Manifest], bindings: Mapping[str, Manifest]
) -> Iterator[RequestBinding]:
    """Where each is by hive's own record, else where hive's policy sends it. What a Binding says of its
    destinations may be somebody's edit."""
    for request in requests:
        policy, binding = policies.get(request.binding), bindings.get(request.binding)
        sent = cluster_of(policy) if policy is not None else None
        there = delivered_to(binding) if binding is not None else frozenset()
        home = sent if sent in there or not there else min(there)
        if home is not None:
            yield RequestBinding(request.binding, frozenset({request.key}), frozenset({home}))


def _why(placement: Placement, cluster: str | None) -> dict[str, str]:
    why = dict(placement.why)
    if cluster is not None and cluster != placement.cluster:
        against = why.pop(cluster, "").removeprefix("not: ")
        words = "chosen: it is there already" + (f", though {against}" if against else "")
        why = {cluster: words, **{name: _passed_over(words) for name, words in why.items()}}
    return why


def _passed_over(words: str) -> str:
    """Of the one that placement would have taken."""
    return f"fits: {words.removeprefix('chosen: ')}" if words.startswith("chosen: ") else words
