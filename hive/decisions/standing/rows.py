"""Standing work for people: when each duty was begun last, and when it is due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.durations import spell
from hive.decisions.instants import iso
from hive.decisions.policy import Policy, mode_of
from hive.decisions.standing.kicks import key_of, next_kick
from hive.facts.memory import Memory
from hive.facts.world import World


def standing_rows(world: World, memory: Memory, policy: Policy) -> Iterator[dict[str, Any]]:
    for repo in sorted(world.repos):
        for duty in policy.standing:
            agents = [
                spec.name
                for spec in policy.agents
                if spec.role == duty.role and repo in spec.repos and mode_of(policy, memory, repo, spec)
            ]
            last = memory.standing.get(key_of(repo, duty.role))
            due = next_kick(duty, repo, memory)
            mode = memory.load.mode if memory.load is not None else None
            if mode is None:
                because = "the load is not known yet"
            elif due is None:
                because = f"not while the load is {mode}"
            elif not agents:
                because = f"no agent of role {duty.role} is started there"
            else:
                because = f"every {spell(duty.every[mode])} while the load is {mode}"
            yield {
                "role": duty.role,
                "repo": repo,
                "last": iso(last) if last is not None else None,
                "next": iso(max(due, world.now)) if due is not None and agents else None,
                "because": because,
            }
