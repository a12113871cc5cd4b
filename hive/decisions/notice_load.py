"""The load of all repositories, looked at and told of where its mode changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hive.decisions.governor import Pressure, forecast, news, pressure
from hive.decisions.instants import iso
from hive.decisions.lookup import snapshot
from hive.decisions.plan_claims import waiting
from hive.decisions.policy import Policy
from hive.facts.governor_events import LoadModeChanged
from hive.facts.memory import Memory, PullMemory
from hive.facts.world import World


def pressures(world: World, memory: Memory, policy: Policy) -> dict[str, Pressure]:
    """By repository that was seen."""
    pulls: dict[str, list[PullMemory]] = {}
    for key, known in memory.pulls.items():
        if known.state == "open":
            pulls.setdefault(key.rpartition("#")[0].casefold(), []).append(known)
    found = {}
    for repo, queue in waiting(world, memory, policy).items():
        look = snapshot(world, repo)
        if look is not None:
            items = [one.item for one in queue]
            issues = {issue.number: issue for issue in look.issues}
            mine = pulls.get(repo.casefold(), ())
            kinds = policy.triage.kinds
            found[repo] = pressure(items, issues, mine, policy.governor, world.now, kinds)
    return found


def load_changes(world: World, memory: Memory, policy: Policy) -> Iterator[LoadModeChanged]:
    found = pressures(world, memory, policy)
    whole = sum(found.values(), Pressure())
    is_whole = len(found) == len(world.repos)
    total = whole.total(policy.governor)
    changed = news(total, whole.words, memory.load, policy.governor, world.now, is_whole=is_whole)
    if changed is not None:
        yield changed


def load_row(world: World, memory: Memory, policy: Policy) -> Mapping[str, Any] | None:
    """For the status document: the mode, why, what would change it; None before a first look."""
    if memory.load is None:
        return None
    found = pressures(world, memory, policy)
    whole = sum(found.values(), Pressure())
    total = whole.total(policy.governor)
    return {
        "mode": memory.load.mode.value,
        "since": iso(memory.load.since),
        "pressure": total,
        "because": whole.words,
        "changes": forecast(memory.load.mode, total, policy.governor),
        "slots": policy.governor.slots.get(memory.load.mode),
        "repositories": {repo: one.total(policy.governor) for repo, one in found.items()},
    }
