"""What to do now: the whole of deciding, composed. It sees everything and remembers nothing itself.

Nothing destructive is decided about what was not seen, and once the plan is carried out the next plan
is empty (laws; see tests/decisions/test_laws.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from hive.decisions.findings.promotion import finding_intents
from hive.decisions.leases import lease_intents
from hive.decisions.plan_agents import agent_intents
from hive.decisions.plan_dialogs import dialog_intents
from hive.decisions.plan_pulls import pull_intents
from hive.decisions.plan_sandboxes import sandbox_intents
from hive.decisions.plan_tasks import task_intents
from hive.decisions.policy import Policy
from hive.decisions.trees import tree_intents
from hive.facts.intents import Intent
from hive.facts.memory import Memory
from hive.facts.world import World


@dataclass(frozen=True, slots=True)
class Plan:
    """What is intended now, in the order in which to do it."""

    intents: tuple[Intent, ...]


def plan(world: World, memory: Memory, policy: Policy) -> Plan:
    """Decide on the whole. What is in doubt is not decided again until its outcome is known."""
    intended = (
        *task_intents(world, memory, policy),
        *sandbox_intents(world, memory, policy),
        *dialog_intents(world, memory, policy),
        *agent_intents(world, memory, policy),
        *pull_intents(world, memory, policy),
        *tree_intents(world, memory, policy),
        *finding_intents(world, memory, policy),
        *lease_intents(world, memory, policy),
    )
    unique = {intent.id: intent for intent in intended if intent.id not in memory.in_doubt}
    return Plan(tuple(unique.values()))
