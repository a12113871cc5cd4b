"""Standing work into a prompt: what the operator wants looked after, and what is on record already."""

from __future__ import annotations

from collections.abc import Iterable

from hive.decisions.prompt.foreign import Foreign, Prompt
from hive.decisions.prompt.order import TaskOrder, first_line, permissions, task_block
from hive.decisions.prompt.template import PromptTemplate, filled
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
    values = {
        "first_line": first_line(prompt_id, f"standing work of {role}", order),
        "permissions": permissions(order),
        "task": task_block((("kind", "standing"), ("role", role), ("work", what)), order),
        "foreign": foreign.section(prompt_id),
        "repository": order.repository or "",
        "branch": order.branch or "",
        "base": order.base or "",
    }
    return Prompt(filled(template, values), tuple(foreign.stripped))
