"""Changes to what governs agents, CI and ownership need a person, whoever may push; symbolic links and
submodules do, too: what is behind such a path is not in the change.

Settings (``protected-paths``; in force unless it is set to ``false``):

- ``paths``: patterns as in .gitignore, besides hive's own; ``!AGENTS.md`` takes one of those out.
- ``ruling``: ``hold`` or ``deny``.
"""

from __future__ import annotations

from pydantic import Field, field_validator

from hive.contracts.guardrail import Proposal
from hive.facts.protected_paths import compiled, is_protected
from hive_guardrails.log import brought
from hive_guardrails.rule import Rule, Settings, Tightened, listed


class ProtectedPaths(Settings):
    paths: list[str] = Field(default=[], description="Patterns as in .gitignore, besides hive's own.")
    ruling: Tightened = "hold"

    @field_validator("paths")
    @classmethod
    def _patterns(cls, paths: list[str]) -> list[str]:
        compiled(tuple(paths))
        return paths


def judge(proposal: Proposal, settings: ProtectedPaths) -> tuple[Tightened, str] | None:
    added = tuple(settings.paths)
    found = [path for path in proposal.paths if is_protected(path, added)]
    if not found:
        return _links(proposal, settings)
    verb, them = ("is", "it") if len(found) == 1 else ("are", "them")
    because = f"{listed(found)} {verb} protected, and a person decides on changes to {them}"
    return settings.ruling, f"{because}; leave {them} out of every commit"


def _links(proposal: Proposal, settings: ProtectedPaths) -> tuple[Tightened, str] | None:
    found = [f"{path} is {what}" for path, what in (brought(proposal).links if proposal.paths else ())]
    if not found:
        return None
    because = f"{listed(found)}, and a person decides on what stands for something elsewhere"
    return settings.ruling, f"{because}; leave it out of every commit"


guardrail = Rule("protected-paths", ProtectedPaths, is_on=True, judge=judge)
