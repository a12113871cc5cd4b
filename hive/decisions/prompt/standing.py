"""Standing work into a prompt: what the operator wants looked after, and what is on record already."""

from __future__ import annotations

from collections.abc import Iterable

from hive.decisions.prompt.assembled import assembled
from hive.decisions.prompt.foreign import Foreign, Prompt
from hive.decisions.prompt.order import TaskOrder
from hive.decisions.prompt.template import PromptTemplate
from hive.facts.findings import Finding

_MOST_KNOWN = 50
"""Findings that are told: the newest."""


def build_standing(
    role: str,
    what: str,
    known: Iterable[Finding],
    *,
    prompt_id: str,
    order: TaskOrder,
    template: PromptTemplate,
) -> Prompt:
    """The prompt for standing work. Equal input gives equal bytes. `known` are the repository's findings."""
    foreign = Foreign()
    told = [f"{one.state}: {one.path + ': ' if one.path else ''}{one.title}" for one in known]
    foreign.take("findings on record", "hive's agents", "\n".join(told[-_MOST_KNOWN:]) or "(none)")
    about = (("kind", "standing"), ("role", role), ("work", what))
    return assembled(template, order, foreign, prompt_id, f"standing work of {role}", about)
