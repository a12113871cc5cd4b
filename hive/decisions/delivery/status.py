"""What hive writes into the status of requests, policies and Bindings, and when that is worth a write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from hive.facts.fleet_sighting import SandboxPhase, SandboxSighting
from hive.facts.kubernetes import Manifest

_REFRESH = timedelta(minutes=5)
"""A status that says the same is written again after so long, so that its age tells that somebody looks."""
_MOST_REASONS = 10
"""Clusters in a status; `hive explain` knows more."""
_MOST_ERRORS = 20
_LONGEST = 1024

_AGE = re.compile(r"\b[0-9]+[smhd] ago")
_PLACED = frozenset(
    {SandboxPhase.PLACED, SandboxPhase.STARTING, SandboxPhase.READY, SandboxPhase.AWAY, SandboxPhase.FAILED}
)


def spell_time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def request_status(found: Manifest, sighting: SandboxSighting, now: datetime) -> dict[str, Any] | None:
    """The whole status of a request; None where what is there says it already."""
    old = found.get("status") or {}
    is_ready = sighting.phase is SandboxPhase.READY
    is_placed = bool(sighting.cluster) and sighting.phase in _PLACED
    message = sighting.message[:_LONGEST]
    conditions = [
        _condition("Placed", is_placed, "Chosen" if is_placed else "NoPlace", message),
        _condition("Ready", is_ready, sighting.phase.value.capitalize(), message),
    ]
    status: dict[str, Any] = {
        "phase": sighting.phase.value,
        "since": spell_time(sighting.since),
        "cluster": sighting.cluster,
        "node": sighting.node,
        "message": message,
        "why": {name: words[:_LONGEST] for name, words in [*sighting.why.items()][:_MOST_REASONS]},
        "conditions": _timed(conditions, old.get("conditions") or (), now),
        **_generation(found),
    }
    if sighting.pod is not None:
        status["pod"] = {
            "namespace": sighting.pod.namespace,
            "name": sighting.pod.name,
            "uid": sighting.pod_uid,
        }
    return _if_worth_it(old, status, now)


def delivery_status(
    found: Manifest, errors: Sequence[str], *, is_delivered: bool, now: datetime
) -> dict[str, Any] | None:
    """The whole status of a BindingPolicy or a Binding; None where what is there says it already."""
    old = found.get("status") or {}
    told = [each[:_LONGEST] for each in errors][:_MOST_ERRORS]
    first = told[0] if told else ""
    conditions = [
        _condition("Synced", not told, "ReconcileError" if told else "ReconcileSuccess", first),
        _condition("Ready", is_delivered and not told, "Delivered" if is_delivered else "Waiting", first),
    ]
    kept = [each for each in old.get("conditions") or () if each.get("type") not in ("Synced", "Ready")]
    status = {
        "conditions": [*_timed(conditions, old.get("conditions") or (), now), *kept],
        **_generation(found),
        **({"errors": told} if told else {}),
    }
    return None if old == status else status


def phase_since(found: Manifest | None, phase: SandboxPhase, now: datetime) -> datetime:
    """When a request came into `phase`: its status remembers that over hive's restarts."""
    old = ((found or {}).get("status") or {}) if found else {}
    since = old.get("since")
    if old.get("phase") == phase.value and isinstance(since, str):
        try:
            return datetime.fromisoformat(since)
        except ValueError:
            return now
    return now


def _if_worth_it(old: Mapping[str, Any], status: dict[str, Any], now: datetime) -> dict[str, Any] | None:
    told = {key: value for key, value in old.items() if key != "observedAt"}
    if _ageless(told) == _ageless(status):
        try:
            age = now - datetime.fromisoformat(str(old.get("observedAt")))
        except ValueError:
            age = _REFRESH
        if timedelta(0) <= age < _REFRESH:
            return None
    return {**status, "observedAt": spell_time(now)}


def _ageless(value: Any) -> Any:
    """Without ages in words: that a look is older by a second is no news."""
    if isinstance(value, str):
        return _AGE.sub("", value)
    if isinstance(value, Mapping):
        return {key: _ageless(each) for key, each in value.items()}
    return [_ageless(each) for each in value] if isinstance(value, list) else value


def _generation(found: Manifest) -> dict[str, Any]:
    return {"observedGeneration": int(found["metadata"].get("generation") or 0)}


def _condition(kind: str, holds: bool, reason: str, message: str) -> dict[str, Any]:
    return {"type": kind, "status": str(holds), "reason": reason, "message": message}


def _timed(
    conditions: Sequence[dict[str, Any]], old: Sequence[Mapping[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Each with the time since when it has been so."""
    before = {each.get("type"): each for each in old}
    timed = []
    for each in conditions:
        known = before.get(each["type"])
        is_same = known is not None and known.get("status") == each["status"]
        at = known.get("lastTransitionTime") if known is not None and is_same else None
        timed.append({**each, "lastTransitionTime": at or spell_time(now)})
    return timed
