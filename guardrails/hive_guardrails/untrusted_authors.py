"""Commits that somebody else wrote do not go out under an agent's name: who says so in a commit is no proof.

Settings (``untrusted-authors``; in force unless it is set to ``false``):

- ``emails``: patterns (``*@bots.example.com``) of addresses that authors and committers of an agent's
  commits may have. Without any, the new commits of one push must all have one and the same.
- ``ruling``: ``hold`` or ``deny``.

Whose issues become work is ``triage.trusted``.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from pydantic import Field

from hive.contracts.guardrail import Proposal
from hive_guardrails.log import brought
from hive_guardrails.rule import Rule, Settings, Tightened, listed


class UntrustedAuthors(Settings):
    emails: list[str] = Field(default=[], description="Patterns of addresses that commits may have.")
    ruling: Tightened = "hold"


_REMEDY = "keep to commits of your own: rebase on the default branch, and make the change yourself"


def judge(proposal: Proposal, settings: UntrustedAuthors) -> tuple[Tightened, str] | None:
    emails = list(dict.fromkeys(email.casefold() for email in brought(proposal).emails))
    if settings.emails:
        patterns = [pattern.casefold() for pattern in settings.emails]
        foreign = [one for one in emails if not any(fnmatchcase(one, pattern) for pattern in patterns)]
        because = f"it brings commits by {listed(foreign)}, not by an author that is trusted here"
    else:
        foreign = emails if len(emails) > 1 else []
        because = f"it brings commits by several authors ({listed(foreign)})"
    return (settings.ruling, f"{because}; {_REMEDY}") if foreign else None


guardrail = Rule("untrusted-authors", UntrustedAuthors, is_on=True, judge=judge)
