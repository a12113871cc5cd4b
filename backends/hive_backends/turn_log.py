"""Turns as a program's own hooks note them: proof of a prompt's arrival that does not look at the screen.

A hook is a command that the program starts at a moment of its session and hands a JSON document. Each writes
one line to a file below the agent's HOME, which no restart empties: ``{"event": …, "generation": "3",
"data": {…}}``. The generation is that of the program's start (``HIVE_GENERATION``): the id of a conversation
from before it proves nothing about what this start has resumed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum

from hive.contracts.backend import LaunchFile
from hive.facts.agents import LOST_TURN, Conversation, Turn

FOLDER = LaunchFile(
    ".hive/README", "turns.jsonl: the turns of this agent, as the hooks of its program note them.\n"
)
"""Written before the start, so that its folder is there."""
_PROMPT_ID = re.compile(r"hive task (\S+):")


class Note(StrEnum):
    SESSION = "session"
    PROMPT = "prompt"
    END = "end"
    FAILURE = "failure"


def path_of(home: str) -> str:
    return f"{home.rstrip('/')}/.hive/turns.jsonl"


def noting(note: Note) -> str:
    """The shell command of a hook: it passes the document on as one line, and says nothing itself."""
    begin = f'printf \'{{"event":"{note}","generation":"%s","data":\' "$HIVE_GENERATION"'
    return f"{{ {begin}; tr -d '\\n'; printf '}}\\n'; }} >> \"$HOME/.hive/turns.jsonl\""


def read_turns(lines: Sequence[str]) -> tuple[Turn, ...]:
    """The turns, oldest first. A new session ends what was under way; lines that are not understood are
    skipped."""
    found: list[Turn] = []
    for line in lines:
        event, data = _record(line)
        if event == Note.PROMPT:
            _close(found, LOST_TURN, "another prompt came before it ended")
            found.append(Turn(_prompt_id(data), ended=False))
        elif event == Note.END:
            _close(found, "done", "")
        elif event == Note.FAILURE:
            _close(found, "error", str(data.get("error") or data.get("reason") or ""))
        elif event == Note.SESSION:
            _close(found, LOST_TURN, "the agent was restarted")
    return tuple(found)


def read_conversation(lines: Sequence[str]) -> Conversation | None:
    """The newest conversation that any note names: each hook's document has its id."""
    for line in reversed(lines):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        data = record.get("data") if isinstance(record, dict) else None
        if isinstance(data, dict) and (found := data.get("session_id") or data.get("sessionId")):
            generation = str(record.get("generation") or "0")
            return Conversation(str(found), int(generation) if generation.isdecimal() else 0)
    return None


def _record(line: str) -> tuple[str, dict[str, object]]:
    try:
        record = json.loads(line)
    except ValueError:
        return "", {}
    if not isinstance(record, dict) or not isinstance(record.get("data"), dict):
        return "", {}
    return str(record.get("event")), record["data"]


def _prompt_id(data: dict[str, object]) -> str | None:
    found = _PROMPT_ID.match(str(data.get("prompt") or data.get("initialPrompt") or ""))
    return found[1] if found else None


def _close(found: list[Turn], outcome: str, detail: str) -> None:
    if found and not found[-1].ended:
        found[-1] = Turn(found[-1].prompt_id, ended=True, outcome=outcome, detail=detail)
