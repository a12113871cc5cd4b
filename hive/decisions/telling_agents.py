"""What hive does to agents in one sentence for a person."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from hive.facts.events import ModelSeen, ProgramSeen
from hive.facts.intents import (
    AnswerDialog,
    DeliverPrompt,
    InterruptAgent,
    PressSubmit,
    RequestSandbox,
    StartAgent,
    StopAgent,
    WithdrawSandbox,
)

ToAgent: TypeAlias = (
    StartAgent
    | StopAgent
    | RequestSandbox
    | WithdrawSandbox
    | DeliverPrompt
    | PressSubmit
    | AnswerDialog
    | InterruptAgent
)


def doing_to_agent(intent: ToAgent) -> str:
    match intent:
        case StartAgent(agent=agent, generation=generation, resume=resume):
            return f"starting {agent} (start {generation}{f', resuming {resume}' if resume else ''})"
        case StopAgent(agent=agent, generation=generation):
            return f"stopping {agent} (start {generation})"
        case RequestSandbox(agent=agent):
            return f"asking the fleet for the sandbox of {agent}"
        case WithdrawSandbox(agent=agent, request=request):
            return f"withdrawing the sandbox {request} of {agent}"
        case DeliverPrompt(agent=agent, task=task, goes_on=True):
            return f"telling {agent} to go on with {task}"
        case DeliverPrompt(agent=agent, task=task):
            return f"sending the prompt of {task} to {agent}"
        case PressSubmit(agent=agent, attempt=attempt):
            return f"submitting the prompt of {agent} once more (attempt {attempt})"
        case AnswerDialog(agent=agent, option=option):
            return f"answering the box of {agent} with '{option}'"
        case InterruptAgent(agent=agent):
            return f"interrupting {agent}"
        case _:
            assert_never(intent)


def of_program(event: ProgramSeen | ModelSeen) -> str:
    match event:
        case ProgramSeen(agent=agent, version=version):
            return f"{agent}'s program is {version}"
        case ModelSeen(agent=agent, wanted=wanted, used=used):
            return f"{agent} uses {used}, and not {wanted}" if used else f"{agent} uses {wanted} again"
        case _:
            assert_never(event)
