"""Whether a task goes on in the conversation in which it was begun.

The whole prompt goes into a conversation that never had it; where the one goes on that had it, one line does.
"""

from __future__ import annotations

from hive.decisions.stalls import is_beyond_help
from hive.facts.memory import AgentMemory
from hive.facts.work import Task, TaskState


def resumable(task: Task | None, agent: AgentMemory) -> str:
    """The conversation to resume at a start; empty for a new one."""
    if task is None or not task.is_open or task.turn or task.state is TaskState.CLAIMED:
        return ""
    if is_beyond_help(task) or agent.context_full:
        return ""
    return task.conversation if task.conversation == agent.conversation else ""


def goes_on(task: Task, agent: AgentMemory) -> bool:
    """Whether an agent that is ready, and was not told of the task in this start, has it before it already.

    A program that cannot resume what it was asked to ends (`BackendTraits.resumes`); one that tells another
    conversation than that is taken at its word.
    """
    if not agent.resumes or agent.resumes != task.conversation:
        return False
    return agent.told_in != agent.generation or agent.conversation == agent.resumes
