"""What became of each request and of each member, for the supervisor and for the status on the hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from hive.decisions.delivery import AwayMember, MemberView, Wait
from hive.decisions.delivery.copy import Copy, copy_of
from hive.decisions.delivery.requests import Placed, message_of
from hive.decisions.delivery.status import phase_since, spell_time
from hive.facts.fleet_sighting import AGENT, DIGEST, ClusterSighting, SandboxPhase, SandboxSighting
from hive.facts.kubernetes import annotations_of, labels_of
from hive.fleet.carried import Carried
from hive.fleet.member import Found


@dataclass(frozen=True, slots=True)
class Results:
    """Of one round.

    Attributes:
        waits, troubles: By the Binding's name.
        recorded: The Bindings whose steps were done, or tried.
        found: What was seen on members, by cluster; of those in sight.
    """

    now: datetime
    carried: Mapping[str, Carried]
    views: Mapping[str, MemberView]
    found: Mapping[str, Found]
    waits: Mapping[str, tuple[Wait, ...]]
    troubles: Mapping[str, tuple[str, ...]]
    recorded: frozenset[str]


def sandbox_sightings(placed: Mapping[str, Placed], results: Results) -> tuple[SandboxSighting, ...]:
    """Of all requests, and of what is left of those that are no more, by key."""
    by_request = {each.request: each for each in results.carried.values() if each.request}
    sightings = [_sighting(each, by_request.get(key), results) for key, each in placed.items()]
    sightings += [_withdrawn(each, results) for key, each in by_request.items() if key not in placed]
    return tuple(sorted(sightings, key=lambda one: one.request))


def cluster_sightings(
    views: Mapping[str, MemberView], seen_at: Mapping[str, datetime]
) -> tuple[ClusterSighting, ...]:
    return tuple(
        ClusterSighting(
            name,
            not isinstance(view, AwayMember),
            seen_at.get(name),
            f"{view.because} (since {spell_time(view.since)})" if isinstance(view, AwayMember) else "",
        )
        for name, view in sorted(views.items())
    )


def _sighting(placed: Placed, carried: Carried | None, results: Results) -> SandboxSighting:
    one = _state(placed, carried, results)
    return replace(
        one,
        agent=labels_of(placed.manifest).get(AGENT, ""),
        digest=annotations_of(placed.manifest).get(DIGEST, ""),
        why=placed.why,
        since=phase_since(placed.manifest, one.phase, results.now),
    )


def _state(placed: Placed, carried: Carried | None, results: Results) -> SandboxSighting:
    key, now = placed.key, results.now
    if carried is None or (not carried.loads and not carried.delivered and carried.target is not None):
        phase = SandboxPhase.FAILED if placed.problem else SandboxPhase.PENDING
        if placed.cluster is not None and not placed.problem:
            phase = SandboxPhase.PLACED
        return SandboxSighting(key, phase, now, _said(placed, carried, results), cluster=placed.cluster or "")
    waits = results.waits.get(carried.name, ())
    held_back = next((each for each in waits if each.cluster not in carried.loads), None)
    held_back = held_back or next((each for each in waits if each.is_fenced), None)
    if carried.target is None or held_back is not None:
        where = _whereabouts(carried, results) or placed.cluster or ""
        words = [each.because for each in waits if each.cluster not in carried.loads]
        words = words or ["the former copy goes before a new one is made"]
        return SandboxSighting(key, SandboxPhase.MOVING, now, "; ".join(words), cluster=where)
    cluster = next(iter(sorted(carried.loads)), "")
    away = next((each for each in waits if each.is_away), None)
    if away is not None:
        return SandboxSighting(key, SandboxPhase.AWAY, now, away.because, cluster=cluster)
    return _there(placed, carried, cluster, results)


def _there(placed: Placed, carried: Carried, cluster: str, results: Results) -> SandboxSighting:
    """On a cluster that can be seen."""
    copy = _copy(carried, cluster, results)
    trouble = _trouble(placed, carried, results)
    if copy is None:
        phase = SandboxPhase.FAILED if trouble else SandboxPhase.PLACED
        return SandboxSighting(placed.key, phase, results.now, trouble, cluster=cluster, node=placed.node)
    phase = SandboxPhase.FAILED if trouble and copy.phase is not SandboxPhase.READY else copy.phase
    return SandboxSighting(
        placed.key,
        phase,
        results.now,
        trouble or copy.message,
        cluster=cluster,
        node=copy.node or placed.node,
        pod=copy.pod,
        pod_uid=copy.pod_uid,
    )


def _withdrawn(carried: Carried, results: Results) -> SandboxSighting:
    waits = results.waits.get(carried.name, ())
    message = "; ".join(each.because for each in waits) or "it is being removed"
    return SandboxSighting(
        carried.request,
        SandboxPhase.WITHDRAWN,
        phase_since(carried.found, SandboxPhase.WITHDRAWN, results.now),
        message,
        cluster=_whereabouts(carried, results),
    )


def _copy(carried: Carried, cluster: str, results: Results) -> Copy | None:
    found = results.found.get(cluster)
    if found is None:
        return None
    workloads = tuple(found.of(carried.label, "deployments"))
    pods = found.of(carried.label, "pods")
    return copy_of(pods, workloads) if pods or workloads else None


def _whereabouts(carried: Carried, results: Results) -> str:
    """Where the former copy is, as far as is known."""
    holding = (name for name, found in results.found.items() if found.count(carried.label))
    elsewhere = (carried.delivered | set(holding)) - set(carried.loads)
    return next(iter(sorted(elsewhere)), "")


def _said(placed: Placed, carried: Carried | None, results: Results) -> str:
    trouble = _trouble(placed, carried, results)
    return trouble or (message_of(placed) if placed.cluster is None else "")


def _trouble(placed: Placed, carried: Carried | None, results: Results) -> str:
    if placed.problem:
        return placed.problem
    if carried is None:
        return ""
    return next(_errors(carried, results), "")


def _errors(carried: Carried, results: Results) -> Iterator[str]:
    yield from carried.errors
    yield from results.troubles.get(carried.name, ())
    for each in results.waits.get(carried.name, ()):
        if not each.is_away and not each.is_fenced and each.cluster in carried.loads:
            yield f"{each.cluster}: {each.because}"


def errors_of(carried: Carried, results: Results) -> list[str]:
    """For the status of a policy and its Binding: what is wrong, and what waits for a member."""
    waiting: Iterable[str] = (
        each.because
        for each in results.waits.get(carried.name, ())
        if each.is_away or each.is_fenced or each.cluster not in carried.loads
    )
    return list(dict.fromkeys([*_errors(carried, results), *waiting]))


def stray_labels(found: Mapping[str, Found], known: Iterable[str]) -> Iterator[tuple[str, str, int]]:
    """Cluster, label and number of objects of which the hub knows no Binding."""
    labels = set(known)
    for cluster, each in sorted(found.items()):
        for label in sorted(each.labels() - labels):
            yield cluster, label, each.count(label)
