"""What a program's hook tells of a tool that is about to be used, and what hive has against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from hive.facts.autonomy import Action
from hive.facts.verdicts import Ruling, Verdict

Rule: TypeAlias = Callable[[Action, str, str], Verdict]
"""The one ruling of the autonomy table and the guardrails on an action, its target and its text."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Attributes:
    tool: By the program's own name.
    given: Its arguments that are text.
    folder: Where it would run.
    home: Of the agent.
    unread: The program said something that cannot be read.
    """

    tool: str
    given: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    home: str = ""
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that a command would do: an action that is to be ruled on, or what is refused anyway.

    Attributes:
        refused: The rule of tools that forbids it, whatever the level; None leaves it to the table.
    """

    action: Action
    target: str
    shown: str
    text: str = ""
    refused: Verdict | None = None
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Objection:
    action: Action
    target: str
    shown: str
    verdict: Verdict
    instead: str = ""


def forbidden(rule: str, because: str) -> Verdict:
    return Verdict(Ruling.DENY, f"tool.{rule}", because)
