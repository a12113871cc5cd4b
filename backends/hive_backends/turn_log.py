"""Turns as a program's own hooks note them: proof of a prompt's arrival that does not look at the screen.

A hook is a command that the program starts at a moment of its session and hands a JSON document. Hive's
writes one line to a file below the agent's HOME, which no restart empties (see `hive.contracts.hook_record`).
The generation in a line is that of the program's start: the id of a conversation from before it proves
nothing about what this start has resumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive.contracts.hook_record import Noted, read_line, record_path
from hive.facts.agents import LOST_TURN, Conversation, Turn
from hive.facts.hooks import HookMoment

_PROMPT_ID = re.compile(r"hive task (\S+):")


def path_of(home: str) -> str:
    return record_path(home)


def read_turns(lines: Sequence[str]) -> tuple[Turn, ...]:
    """The turns, oldest first. A new session ends what was under way; lines that are not understood are
    skipped."""
    found: list[Turn] = []
    for noted in map(read_line, lines):
        if noted is None:
            continue
        if noted.moment is HookMoment.PROMPT:
            _close(found, LOST_TURN, "another prompt came before it ended")
            found.append(Turn(_prompt_id(noted), ended=False))
        elif noted.moment is HookMoment.END:
            question = noted.text("question")
            _close(found, "asked" if question else "done", question)
        elif noted.moment is HookMoment.FAILURE:
            _close(found, "error", noted.text("error", "reason"))
        elif noted.moment is HookMoment.SESSION and noted.text("source") != "compact":
            _close(found, LOST_TURN, "the agent was restarted")
    return tuple(found)


def read_conversation(lines: Sequence[str]) -> Conversation | None:
    """The newest conversation that any note names: each hook's document has its id."""
    for noted in map(read_line, reversed(lines)):
        found = noted.text("session_id", "sessionId") if noted is not None else ""
        if noted is not None and found:
            return Conversation(found, noted.generation)
    return None


def _prompt_id(noted: Noted) -> str | None:
    found = _PROMPT_ID.match(noted.text("prompt", "initialPrompt"))
    return found[1] if found else None


def _close(found: list[Turn], outcome: str, detail: str) -> None:
    if found and not found[-1].ended:
        found[-1] = Turn(found[-1].prompt_id, ended=True, outcome=outcome, detail=detail)
