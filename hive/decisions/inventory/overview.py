"""What `hive clusters` shows: every cluster, how it does, and what is free on it.

With ``--json`` the document is::

    {"at": "2026-11-30T12:00:00Z",
     "hub": {"context": "hub", "reachable": true, "message": ""},
     "clusters": [{"name": "east", "context": "kind-east" or null, "registered": true,
                   "available": "True|False|Unknown" or null, "reachable": true or null,
                   "since": time or null, "message": "…",
                   "accepted": true, "deleting": false,
                   "observed_at": time or null, "age_seconds": 3 or null, "stale": false,
                   "version": "v1.36.3", "nodes": {"ready": 2, "total": 3},
                   "resources": {"cpu": {"free": "3", "allocatable": "4"}, "nvidia.com/gpu": …},
                   "labels": {…}, "taints": ["dedicated=gpu:NoSelect"], "sandboxes": 2 or null}],
     "problems": [{"object": "…", "message": "…"}]}

`registered`: the hub has a ManagedCluster of that name. `reachable` null: no context leads there. `since`:
when it stopped answering. `sandboxes` null: the hub could not be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.inventory.managed_clusters import Away, timestamp
from hive.decisions.inventory.observe import Look, is_ready, totals
from hive.decisions.placement.quantities import spell
from hive.decisions.placement.tolerations import spell_taint
from hive.facts.fleet import Cluster, Observation, Problem


@dataclass(frozen=True, slots=True)
class Survey:
    """One look at the fleet by a command.

    Attributes:
        contexts: By member.
        hub_failure: Why the hub did not answer; empty where it did.
        sandboxes: By cluster; None where nobody could be asked.
    """

    hub: str
    contexts: Mapping[str, str]
    clusters: tuple[Cluster, ...] = ()
    looks: Mapping[str, Look] = field(default_factory=dict)
    away: Mapping[str, Away] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    hub_failure: str = ""
    sandboxes: Mapping[str, int] | None = None

    @property
    def is_blind(self) -> bool:
        """Whether nothing at all could be reached."""
        return bool(self.hub_failure) and not set(self.contexts) - set(self.away)


def overview(survey: Survey, now: datetime, stale_after: timedelta) -> dict[str, Any]:
    """The document of `hive clusters --json`."""
    known = {each.name: each for each in survey.clusters}
    names = sorted({*known, *survey.contexts})
    return {
        "at": timestamp(now),
        "hub": {
            "context": survey.hub,
            "reachable": not survey.hub_failure,
            "message": survey.hub_failure,
        },
        "clusters": [_row(name, known.get(name), survey, now, stale_after) for name in names],
        "problems": [{"object": each.object, "message": each.message} for each in survey.problems],
    }


def _row(
    name: str, cluster: Cluster | None, survey: Survey, now: datetime, stale_after: timedelta
) -> dict[str, Any]:
    away, look = survey.away.get(name), survey.looks.get(name)
    seen = cluster.seen if cluster is not None else look.observation if look is not None else None
    is_member = name in survey.contexts
    if cluster is not None:
        available = cluster.available
    else:
        available = "True" if is_member and away is None else "Unknown"
    return {
        "name": name,
        "context": survey.contexts.get(name),
        "registered": cluster is not None,
        "available": available,
        "reachable": away is None if is_member else None,
        "since": None if away is None else timestamp(away.since),
        "message": "" if away is None else away.because,
        "accepted": cluster.is_accepted if cluster is not None else False,
        "deleting": cluster.is_deleting if cluster is not None else False,
        **_age(seen, now, stale_after),
        "version": look.version if look is not None else None,
        **_contents(seen),
        "labels": dict(sorted(cluster.labels.items())) if cluster is not None else {},
        "taints": [spell_taint(each) for each in cluster.taints] if cluster is not None else [],
        "sandboxes": None if survey.sandboxes is None else survey.sandboxes.get(name, 0),
    }


def _age(seen: Observation | None, now: datetime, stale_after: timedelta) -> dict[str, Any]:
    if seen is None:
        return {"observed_at": None, "age_seconds": None, "stale": True}
    age = now - seen.at
    return {
        "observed_at": timestamp(seen.at),
        "age_seconds": int(age.total_seconds()),
        "stale": age > stale_after,
    }


def _contents(seen: Observation | None) -> dict[str, Any]:
    if seen is None:
        return {"nodes": None, "resources": {}}
    whole, free = totals(seen.nodes)
    return {
        "nodes": {"ready": sum(map(is_ready, seen.nodes)), "total": len(seen.nodes)},
        "resources": {
            name: {"free": spell(free[name]), "allocatable": spell(whole[name])} for name in sorted(whole)
        },
    }


HEADINGS = ("CLUSTER", "AVAILABLE", "SEEN", "VERSION", "NODES", "CPU", "MEMORY", "GPU", "SANDBOXES", "NOTES")


def rows(document: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The same as cells of a table below `HEADINGS`; resources are free ones of all."""
    for row in document["clusters"]:
        nodes = row["nodes"]
        yield (
            row["name"],
            _available(row),
            None if row["age_seconds"] is None else f"{_age_words(row['age_seconds'])} ago",
            row["version"],
            None if nodes is None else f"{nodes['ready']}/{nodes['total']}",
            _share(row, "cpu"),
            _share(row, "memory"),
            ", ".join(_gpus(row)) or None,
            row["sandboxes"],
            "; ".join(_notes(row)),
        )


def _available(row: Mapping[str, Any]) -> str:
    word = {"True": "yes", "False": "no", "Unknown": "unknown"}.get(str(row["available"]), "not said")
    return word if row["reachable"] is not False else f"{word}, away"


def _share(row: Mapping[str, Any], name: str) -> str | None:
    amount = row["resources"].get(name)
    return None if amount is None else f"{_rounded(amount['free'])}/{_rounded(amount['allocatable'])}"


def _gpus(row: Mapping[str, Any]) -> Iterator[str]:
    """Devices that have a vendor's name: what is not Kubernetes' own."""
    for name, amount in row["resources"].items():
        if "/" in name and not name.startswith(("hugepages-", "attachable-volumes-")):
            yield f"{name} {amount['free']}/{amount['allocatable']}"


def _notes(row: Mapping[str, Any]) -> Iterator[str]:
    if row["reachable"] is None:
        yield "no context leads to it"
    if not row["registered"]:
        yield "not on the hub yet"
    elif not row["accepted"]:
        yield "the hub has not accepted it"
    if row["deleting"]:
        yield "it is being deleted"
    if row["stale"] and row["observed_at"] is not None:
        yield "too old to count"
    yield from row["taints"]


def _rounded(quantity: str) -> str:
    """Gibibytes with one digit where it is exact in bytes but long; anything else as it is."""
    for suffix, bits in (("Ki", 20), ("Mi", 10)):
        if quantity.endswith(suffix) and len(quantity) > 6:
            return f"{int(quantity[:-2]) / (1 << bits):.1f}Gi"
    if quantity.isdigit() and len(quantity) > 8:
        return f"{int(quantity) / (1 << 30):.1f}Gi"
    return quantity


def _age_words(seconds: int) -> str:
    for unit, letter in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * unit:
            return f"{seconds // unit}{letter}"
    return f"{seconds}s"
