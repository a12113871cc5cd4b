"""What an agent's program wrote for itself, made fit to be believed, kept and shown.

Its files are the agent's own: names may be of any length or hold what is no name, counts may be no count.
Of a program that writes as it should nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace

from hive.decisions.one_line import one_line
from hive.facts.agents import Conversation, Turn
from hive.facts.hooks import HookEvidence
from hive.facts.usage import TokenUsage, Usage

_NAME = re.compile(r"[A-Za-z0-9][\w.:/@-]{0,199}", re.ASCII)
"""Of a conversation: it becomes an argument of a command line, and is no option there."""
_LONGEST_KEY = 200
_MOST_TOKENS = 10**12
_MOST_GENERATION = 10**9


def fit_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            None if each.prompt_id is None else each.prompt_id[:_LONGEST_KEY],
            each.ended,
            one_line(each.outcome),
            one_line(each.detail),
        )
        for each in turns
    )


def fit_conversation(found: Conversation | None) -> Conversation | None:
    """None for what cannot be a conversation's name."""
    if found is None or _NAME.fullmatch(found.id) is None or not 0 <= found.generation <= _MOST_GENERATION:
        return None
    return found


def fit_hooks(found: HookEvidence | None) -> HookEvidence | None:
    if found is None:
        return None
    named = found.conversation if _NAME.fullmatch(found.conversation) else ""
    return replace(found, detail=one_line(found.detail), conversation=named)


def fit_usage(found: Iterable[Usage]) -> tuple[Usage, ...]:
    return tuple(
        replace(
            each,
            model=one_line(each.model, _LONGEST_KEY),
            key=each.key[:_LONGEST_KEY],
            tokens=TokenUsage(
                **{
                    kind.name: min(getattr(each.tokens, kind.name), _MOST_TOKENS)
                    for kind in fields(TokenUsage)
                }
            ),
        )
        for each in found
    )
