"""The merge gate with everything that the daemon knows beside the pull request: guardrails, merging on hold.

One composition for what is told, what is planned and what is judged once more in the moment of merging.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from hive.contracts.guardrail import Proposal
from hive.decisions.deeds import with_past
from hive.decisions.gate import guarded
from hive.decisions.merge_gate import Judgement, Obstacle, ObstacleCode, judge
from hive.decisions.merge_gate.bases import broken
from hive.decisions.peers import peer_obstacles
from hive.decisions.policy import Policy
from hive.facts.autonomy import Action
from hive.facts.forge import PullRequest
from hive.facts.memory import Memory, PullMemory
from hive.facts.verdicts import Ruling

_QUIET = "guardrail.quiet-hours"


def judge_here(pull: PullRequest, repo: str, memory: Memory, policy: Policy, now: datetime) -> Judgement:
    """Judge `pull` as hive would merge it now. What undoes a merge may go in while the base is broken."""
    known = memory.pulls.get(f"{repo}#{pull.number}")
    return _judged(pull, repo, memory, policy, now, _guardrails(pull, repo, known, memory, policy, now))


def judge_intended(pull: PullRequest, repo: str, memory: Memory, policy: Policy, now: datetime) -> Judgement:
    """The same without the guardrails, which rule on what is intended, so that their word is on record."""
    return _judged(pull, repo, memory, policy, now, ())


def _judged(
    pull: PullRequest,
    repo: str,
    memory: Memory,
    policy: Policy,
    now: datetime,
    others: Iterable[Obstacle],
) -> Judgement:
    known = memory.pulls.get(f"{repo}#{pull.number}")
    rules = policy.merge[repo]
    if known is not None and known.reverts:
        rules = replace(rules, base_green=False)
    here = (*_on_hold(repo, known, memory), *peer_obstacles(pull, known, policy))
    return judge(pull, rules, now, others=(*here, *others))


def red_now(pull: PullRequest, repo: str, policy: Policy) -> tuple[str, ...]:
    """Names of the checks that fail on the base before anything of `pull` is on it."""
    runs = broken(pull.base_checks or (), pull.base_tip, pull.rules, policy.merge[repo])
    return tuple(sorted({run.name for run in runs}))


def _on_hold(repo: str, known: PullMemory | None, memory: Memory) -> Iterator[Obstacle]:
    hold = memory.merging.get(repo)
    if hold is not None and not (known is not None and known.reverts and not hold.by):
        because = f"merging is on hold in {repo}: {hold.because}"
        yield Obstacle(ObstacleCode.MERGING_HELD, repo, because + (f" (by {hold.by})" if hold.by else ""))


def _guardrails(
    pull: PullRequest, repo: str, known: PullMemory | None, memory: Memory, policy: Policy, now: datetime
) -> Iterator[Obstacle]:
    """What guardrails have against the merge; the same is ruled on when it is intended."""
    spec = policy.agent(known.agent) if known is not None else None
    if spec is None or not policy.guardrails:
        return
    proposal = Proposal(
        agent=spec.name,
        role=spec.role,
        action=Action.REQUEST_MERGE,
        target=f"{repo}#{pull.number}",
        at=now,
    )
    for verdict in guarded(policy.guardrails, with_past(proposal, memory, repo)):
        if verdict.ruling is not Ruling.ALLOW:
            code = ObstacleCode.QUIET_HOURS if verdict.rule == _QUIET else ObstacleCode.GUARDRAIL
            yield Obstacle(code, verdict.rule, verdict.because)
