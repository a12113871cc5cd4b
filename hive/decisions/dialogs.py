"""Boxes on agents' screens: which one it is, and which option hive's rules choose, by its text alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime

from hive.contracts.backend import DialogRule
from hive.facts.agents import AgentState
from hive.facts.intents import AnswerDialog
from hive.facts.memory import Answered
from hive.facts.screens import Screen, ScreenState

ASKS = frozenset({AgentState.ASKING, AgentState.LOGGED_OUT, AgentState.LIMITED})
"""States in which a box may offer something to choose from."""
_BOXES = frozenset({ScreenState.ASKING, ScreenState.LOGGED_OUT, ScreenState.LIMITED})


def box_of(screen: Screen) -> str:
    """Which box is on the screen: its question and its options in any order; empty where there is none."""
    if screen.state not in _BOXES or not screen.options:
        return ""
    said = "\n".join([screen.detail, *sorted(screen.options)])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def choose(
    rules: Iterable[DialogRule], screen: Screen, *, allowed: bool | None
) -> tuple[DialogRule, str] | None:
    """The first rule that knows the box, and the option that it takes; None leaves it to the operator.

    `allowed` is what hive said of the tool that the program is about to use; None for nothing. Where no
    option fits, or several do, nothing is chosen.
    """
    if not box_of(screen):
        return None
    rule = next((one for one in rules if re.search(one.question, screen.detail)), None)
    if rule is None:
        return None
    wanted = rule.otherwise if rule.otherwise and allowed is not True else rule.answer
    fitting = [option for option in screen.options if wanted and re.fullmatch(wanted, option)]
    return (rule, fitting[0]) if len(fitting) == 1 else None


def option_meant(screen: Screen, word: str) -> str | None:
    """The option that an operator means by its number, its text, or the only beginning that fits."""
    if word.isdecimal() and 1 <= int(word) <= len(screen.options):
        return screen.options[int(word) - 1]
    folded = word.strip().casefold()
    exact = [option for option in screen.options if option.casefold() == folded]
    near = [option for option in screen.options if folded and option.casefold().startswith(folded)]
    found = exact or near
    return found[0] if len(found) == 1 else None


def next_key(screen: Screen, option: str) -> str | None:
    """The key that comes nearer to taking `option`, or takes it; None where the screen does not tell."""
    if screen.chosen is None or option not in screen.options:
        return None
    place = screen.options.index(option)
    if place == screen.chosen:
        return "Enter"
    return "Down" if place > screen.chosen else "Up"


def answered(known: Answered | None, intent: AnswerDialog, at: datetime) -> Answered:
    """What is remembered once an answer was begun."""
    row = known.row + 1 if known is not None and known.box == intent.box else 1
    return Answered(intent.box, at, intent.number, row)
