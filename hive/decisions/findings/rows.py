"""Findings for people: what each is about, how it stands, and why no issue is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.findings.promotion import by_repository, waits_for
from hive.decisions.instants import iso
from hive.decisions.policy import Policy
from hive.facts.findings import Finding, FindingState
from hive.facts.memory import Memory
from hive.facts.world import World


def finding_rows(world: World, memory: Memory, policy: Policy) -> Iterator[dict[str, Any]]:
    by_repo = by_repository(memory.findings)
    for one in memory.findings:
        yield {
            "id": one.id,
            "agent": one.agent,
            "repo": one.repo,
            "issue": one.issue,
            "title": one.title,
            "at": iso(one.at),
            "path": one.path,
            "rule": one.rule,
            "state": str(one.state),
            "times": one.times,
            "seen_at": iso(one.seen_at or one.at),
            "filed": one.filed or None,
            "by": one.by or None,
            "because": _because(one, by_repo[one.repo.casefold()], world, memory, policy),
        }


def _because(one: Finding, found: list[Finding], world: World, memory: Memory, policy: Policy) -> str:
    """Why it stands as it does."""
    if one.state is FindingState.FILED:
        return f"it is issue #{one.filed}"
    if one.state is FindingState.REJECTED:
        return f"{one.by} rejected it: {one.why}"
    waits = waits_for(one, found, world, memory, policy)
    if waits:
        return waits
    ruled = memory.rulings.get(f"file/{one.repo}/{one.id}")
    return f"{ruled.because} [{ruled.rule}]" if ruled is not None else "an issue is about to be made of it"
