"""Text that tries to command the agents and people who will read it is put to a person.

An agent that was talked into something passes it on in what it writes. Settings (``prompt-injection``; not
in force unless ``hive.yaml`` names it):

- ``phrases``: further ones to look for, in any case.
- ``ruling``: ``hold`` or ``deny``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from hive.contracts.guardrail import Proposal
from hive_guardrails.log import brought
from hive_guardrails.rule import QUIET_ACTIONS, Rule, Settings, Tightened

_MARKS = {
    # Bidirectional controls, zero-width and invisible characters. The joiners of emoji and of Indic and
    # Persian script are not among them, nor the tags of a flag.
    "characters that people do not see": re.compile(
        "[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufff9-\ufffb]"
        "|(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]"
    ),
    "a call to disregard instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override)\s{1,9}(?:(?:all|any|the|your|of|my)\s{1,9}){0,3}"
        r"(?:previous|prior|above|earlier|preceding|former)\s{1,9}(?:\w{1,30}\s{1,9})?"
        r"(?:instructions?|prompts?|rules?|messages?)\b",
        re.IGNORECASE,
    ),
    "a call to keep something from people": re.compile(
        r"\b(?:do\s{1,9}not|don't|never)\s{1,9}(?:tell|inform|notify|alert)\s{1,9}(?:the\s{1,9})?"
        r"(?:user|operator|maintainer|reviewer|human)s?\b",
        re.IGNORECASE,
    ),
    "marks of a model's own dialogue": re.compile(
        r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|<</?SYS>>"
    ),
}


_ADDRESS = re.compile(
    r"\b(?:agents?|assistants?|llms?|claude|copilot|gemini|codex)\b\s{0,4}[:,]", re.IGNORECASE
)


class PromptInjection(Settings):
    phrases: list[Annotated[str, Field(min_length=3)]] = Field(
        default=[], description="Further phrases, in any case."
    )
    ruling: Tightened = "hold"


def judge(proposal: Proposal, settings: PromptInjection) -> tuple[Tightened, str] | None:
    if proposal.action in QUIET_ACTIONS:
        return None
    text = brought(proposal).published
    found = [what for what, mark in _MARKS.items() if mark.search(text)]
    if any(_ADDRESS.search(comment) for comment in _hidden(text)):
        found.append("a hidden comment that speaks to agents")
    folded = text.casefold()
    if any(phrase.casefold() in folded for phrase in settings.phrases):
        found.append("a phrase that the operator listed")
    if not found:
        return None
    return settings.ruling, f"the text has {' and '.join(found)}; write it again without"


def _hidden(text: str) -> Iterator[str]:
    """Comments of HTML, which a page does not show; one that is left open hides all that follows."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        end = end if end >= 0 else len(text)
        yield text[start:end]
        start = text.find("<!--", end)


guardrail = Rule("prompt-injection", PromptInjection, is_on=False, judge=judge)
