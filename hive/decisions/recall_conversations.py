"""Which conversation an agent is in, which of its tasks was spoken of there, and whether it can be gone on
with: what a restart resumes, so that no prompt is given twice in one conversation."""

from __future__ import annotations

from hive.decisions.recall_maps import Maps
from hive.facts.events import ConversationSeen, PromptArrived
from hive.facts.intents import DeliverPrompt, StartAgent
from hive.facts.memory import AgentMemory
from hive.facts.work import TaskState, of_start


def seen(maps: Maps, event: ConversationSeen) -> None:
    known = maps.agents.get(event.agent, AgentMemory())
    is_new = event.conversation != known.conversation
    maps.agent(event.agent, conversation=event.conversation, told_in=event.generation)
    task = maps.tasks.get(known.task)
    has_prompt = task is not None and task.state is TaskState.WORKING
    if task is not None and has_prompt and of_start(task.prompt_id) == f"{task.id}/{event.generation}":
        # Some programs tell only with the first prompt.
        if not task.conversation:
            maps.task(task.id, conversation=event.conversation)
    elif is_new and (task is None or not task.prompt_id):
        maps.agent(event.agent, prompted=False, context_full=False)


def arrived(maps: Maps, event: PromptArrived) -> None:
    known = maps.agents.get(event.agent, AgentMemory())
    if known.conversation and known.told_in == known.generation:
        maps.task(event.task, conversation=known.conversation)


def started(maps: Maps, intent: StartAgent) -> None:
    if intent.resume:
        maps.agent(intent.agent, resumes=intent.resume)
    else:
        maps.agent(intent.agent, resumes="", conversation="", told_in=0, prompted=False, context_full=False)


def typed(maps: Maps, intent: DeliverPrompt) -> None:
    maps.agent(intent.agent, prompted=True)
    if not intent.goes_on:
        maps.task(intent.task, conversation="")


def untyped(maps: Maps, intent: DeliverPrompt) -> None:
    """There is no mark of the prompt: nothing was typed."""
    maps.agent(intent.agent, prompted=intent.goes_on)


def filled(maps: Maps, agent: str) -> None:
    """The conversation takes no more: what was under way in it has to be begun anew."""
    maps.agent(agent, context_full=True)
    task = maps.tasks.get(maps.agents[agent].task)
    if task is not None and task.is_open and task.prompt_id:
        maps.task(task.id, setbacks=task.setbacks + 1)


def lost(maps: Maps, agent: str) -> None:
    """A start that was to resume, and ended before the agent was told to go on, is not tried again: the
    conversation is gone, or kills its program."""
    known = maps.agents[agent]
    task = maps.tasks.get(known.task)
    told = task is not None and of_start(task.prompt_id) == f"{task.id}/{known.generation}"
    if known.resumes and not told:
        maps.agent(agent, resumes="", conversation="", told_in=0)
