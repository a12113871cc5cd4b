"""A change that nobody can review is held: too many files, or too many lines.

Settings (``blast-radius``; in force unless it is set to ``false``):

- ``files``, ``lines``: the most that one push, or one commit over the API, may change. Lines added and
  removed are counted in every commit.
- ``ruling``: ``hold`` or ``deny``.
"""

from __future__ import annotations

from pydantic import Field

from hive.contracts.guardrail import CUT_OFF, Proposal
from hive_guardrails.log import brought
from hive_guardrails.rule import Count, Rule, Settings, Tightened


class BlastRadius(Settings):
    files: Count = Field(default=300, description="The most files of a push.")
    lines: Count = Field(default=20_000, description="The most lines of a push, added and removed.")
    ruling: Tightened = "hold"


def judge(proposal: Proposal, settings: BlastRadius) -> tuple[Tightened, str] | None:
    if not proposal.paths:
        return None
    found = []
    if len(proposal.paths) > settings.files:
        found.append(f"{len(proposal.paths)} files, of at most {settings.files}")
    lines = brought(proposal).lines
    if lines > settings.lines:
        found.append(f"{lines} lines, of at most {settings.lines}")
    elif proposal.text.endswith(CUT_OFF):
        found.append("more than hive looks at")
    if not found:
        return None
    return settings.ruling, f"it changes {' and '.join(found)}; split it, and leave generated files out"


guardrail = Rule("blast-radius", BlastRadius, is_on=True, judge=judge)
