"""One issue, one pull request: a second one is not opened while the first is open.

Settings (``duplicate-work``; in force unless it is set to ``false``):

- ``ruling``: ``deny`` or ``hold``.
"""

from __future__ import annotations

from hive.contracts.guardrail import Proposal
from hive.facts.autonomy import Action
from hive_guardrails.rule import Rule, Settings, Tightened


class DuplicateWork(Settings):
    ruling: Tightened = "deny"


def judge(proposal: Proposal, settings: DuplicateWork) -> tuple[Tightened, str] | None:
    if proposal.action is not Action.OPEN_PR or proposal.issue is None:
        return None
    found = next((pull for pull in proposal.pulls if pull.issue == proposal.issue), None)
    if found is None:
        return None
    whose = "your own" if found.agent == proposal.agent else f"{found.agent}'s"
    instead = f"push to {found.head_ref} instead" if found.agent == proposal.agent else "leave it to that one"
    because = f"{found.repo}#{found.number}, {whose}, is open for issue #{proposal.issue} already"
    return settings.ruling, f"{because}; {instead}"


guardrail = Rule("duplicate-work", DuplicateWork, is_on=True, judge=judge)
