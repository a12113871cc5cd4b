"""Whether a conversation may take the prompt of an agent's task, or a new one has to be begun for it.

A start without a conversation to resume begins one with every program, which no program's own command for it
does: some want a confirmation, and none says that it has obeyed.
"""

from __future__ import annotations

from hive.contracts.backend import BackendTraits
from hive.facts.agents import AgentSpec, ContextPolicy
from hive.facts.memory import AgentMemory
from hive.facts.work import Task


def spent(spec: AgentSpec, agent: AgentMemory, task: Task | None, traits: BackendTraits) -> str:
    """Why the agent's conversation takes no prompt any more; empty where it does.

    A full one takes none whatever the policy. One that another task was spoken of in is left when the next
    is there, and not before: until then people can read what the agent did.
    """
    if agent.context_full:
        return "its context is full: it gets a fresh conversation"
    keeps = spec.context is ContextPolicy.KEEP or not traits.keeps_context
    if keeps or not agent.prompted or task is None or not task.is_open or task.prompt_id:
        return ""
    return "it gets a fresh conversation for its next task"
