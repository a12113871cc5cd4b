"""A backend that a configuration describes: any interactive program, without a plug-in of its own.

What makes backends of such descriptions is a plug-in itself, under the entry point ``hive.backend_kinds``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from hive.contracts.backend import Backend
from hive.facts.screens import ScreenState


class Where(StrEnum):
    """Where on the screen a pattern must stand: a program's own place, where its agent's words never are."""

    LAST_LINE = "last-line"
    FOOTER = "footer"
    """The last three rows that say anything."""
    BOX = "box"
    """A framed box (``╭╮╰╯│``) at the bottom of the screen."""


@dataclass(frozen=True, slots=True)
class ScreenRule:
    """A state of the screen. `pattern` is a regular expression, searched for in each row of the place; its
    group ``detail`` is the line for a person, where it has one."""

    state: ScreenState
    where: Where
    pattern: str


@dataclass(frozen=True, slots=True)
class TranscriptRule:
    """JSON lines that the program writes; fields are named with dots (``message.text``).

    Attributes:
        path: Below the agent's HOME.
        kind: The field that says what a line is.
        prompt, end, error: Its values for a prompt that was taken, a turn's end, and an end in an error.
        text: The field with the prompt's text.
        conversation: The field with the conversation's id; empty where there is none.
    """

    path: str
    kind: str = "type"
    prompt: str = "prompt"
    end: str = "end"
    error: str = "error"
    text: str = "text"
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class UsageRule:
    """JSON lines in which the program counts its model's tokens; fields are named with dots.

    Attributes:
        path: Below the agent's HOME; ``*`` in a name stands for any letters.
        kind, line: The field that says what a line is, and its value for a count.
        key: The field with the id of the answer: each is counted once, with the greatest counts.
        model, at: Fields with the model's name and the time (ISO 8601, with its zone).
        input, output, cache_read, cache_write: Fields with counts; empty where there is none.
        input_holds_caches: The input's count has those of the caches in it.
    """

    path: str
    kind: str = "type"
    line: str = "usage"
    key: str = "id"
    model: str = "model"
    at: str = "timestamp"
    input: str = "input"
    output: str = "output"
    cache_read: str = ""
    cache_write: str = ""
    input_holds_caches: bool = False


@dataclass(frozen=True, slots=True)
class CommandDefinition:
    """One program as the operator describes it.

    Attributes:
        argv: Program and arguments; never through a shell.
        model_argv: Added where the agent has a model; ``{model}`` stands for it.
        resume_argv: Added to go on with a conversation; ``{conversation}`` stands for its id. The program
            must end where that is gone.
        environment: Added to the agent's.
        programs: Base names by which its process is known; by default that of the program.
        submit, interrupt: tmux key names.
        settle_ms: Between paste and submit, in milliseconds.
        patience, tries: How long proof of a prompt may take before it is submitted again, and how often.
        start_patience: From start to the first ready screen.
        version: The command line that says its version; empty where there is none.
        install: How it is installed, for a person.
        keeps_context: What was said in one task is still before the model in the next.
        screens: The first that fits counts; what fits none is unknown.
    """

    argv: tuple[str, ...]
    screens: tuple[ScreenRule, ...]
    model_argv: tuple[str, ...] = ()
    resume_argv: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    submit: tuple[str, ...] = ("Enter",)
    interrupt: tuple[str, ...] = ()
    settle_ms: int = 500
    patience: timedelta = timedelta(seconds=10)
    tries: int = 3
    start_patience: timedelta = timedelta(seconds=60)
    version: tuple[str, ...] = ()
    install: str = ""
    keeps_context: bool = True
    transcript: TranscriptRule | None = None
    usage: UsageRule | None = None


class BackendKind(Protocol):
    """Makes backends of descriptions."""

    @property
    def name(self) -> str: ...

    def objection(self, pattern: str) -> str:
        """Why `pattern` cannot be used; empty where it can."""
        ...

    def make(self, name: str, definition: CommandDefinition) -> Backend:
        """The backend `name`. Raises `ValueError` for a pattern that `objection` has something against."""
        ...
