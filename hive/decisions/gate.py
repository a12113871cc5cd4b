"""The one ruling on everything: the autonomy table, then every guardrail; the strictest wins.

The gateway rules on agents' requests and the tick on hive's own intents by the same function.
"""

from __future__ import annotations

from collections.abc import Iterable

from hive.contracts.guardrail import Guardrail, Proposal
from hive.decisions.autonomy import rule
from hive.decisions.deeds import with_past
from hive.decisions.findings.promotion import proposal_of
from hive.decisions.policy import Policy, level_of
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import Action
from hive.facts.intents import EnqueuePullRequest, FileFinding, Intent, MergePullRequest
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict, strictest
from hive.facts.world import World

ACCEPTED = Verdict(Ruling.ALLOW, "finding.accepted", "a person accepted it")
HIVES_OWN = "hive.own"
"""The rule by which hive supervises: no agent asked for it, and nothing of the forge is merged by it."""


def rule_action(policy: Policy, memory: Memory, spec: AgentSpec, proposal: Proposal, repo: str) -> Verdict:
    """Rule on one action of an agent in a repository, at the level in force there now."""
    if repo.casefold() not in {one.casefold() for one in spec.repos}:
        return Verdict(Ruling.DENY, "repository", f"{spec.name} does not work on {repo or 'this repository'}")
    level = level_of(policy, memory, _spelt(repo, spec), spec)
    ladder = rule(policy.table, level, spec.role, proposal.action).verdict
    return strictest([ladder, *guarded(policy.guardrails, with_past(proposal, memory, repo))])


def _spelt(repo: str, spec: AgentSpec) -> str:
    return next(one for one in spec.repos if one.casefold() == repo.casefold())


def guarded(guardrails: Iterable[Guardrail], proposal: Proposal) -> list[Verdict]:
    """What guardrails say; one that raises denies."""
    verdicts = []
    for guardrail in guardrails:
        try:
            verdict = guardrail(proposal)
        except Exception as error:  # a plug-in's fault must not open the gate
            because = f"the guardrail failed ({type(error).__name__}); what cannot be checked is denied"
            verdict = Verdict(Ruling.DENY, f"guardrail.{guardrail.name}", because)
        if verdict is not None:
            verdicts.append(verdict)
    return verdicts


def rule_intent(intent: Intent, world: World, memory: Memory, policy: Policy) -> Verdict:
    """Rule on what hive itself intends. Merging is the agent's request carried out by hive."""
    if isinstance(intent, FileFinding):
        return _rule_filing(intent, world, memory, policy)
    if not isinstance(intent, MergePullRequest | EnqueuePullRequest):
        return Verdict(Ruling.ALLOW, HIVES_OWN, "hive's own bookkeeping and supervision")
    opened = memory.pulls.get(intent.subject)
    spec = policy.agent(opened.agent) if opened else None
    if spec is None:
        return Verdict(Ruling.DENY, "merge.author", "no agent of this hive opened it")
    proposal = Proposal(
        agent=spec.name,
        role=spec.role,
        action=Action.REQUEST_MERGE,
        target=intent.subject,
        at=world.now,
    )
    return rule_action(policy, memory, spec, proposal, intent.repo)


def _rule_filing(intent: FileFinding, world: World, memory: Memory, policy: Policy) -> Verdict:
    """As if its agent filed it. A person who accepted it has said what a hold would ask for, and no more."""
    spec = policy.agent(intent.agent)
    if intent.accepted_by:
        role = spec.role if spec is not None else ""
        proposal = with_past(proposal_of(intent, role, world), memory, intent.repo)
        verdict = strictest([ACCEPTED, *guarded(policy.guardrails, proposal)])
        return verdict if verdict.ruling is Ruling.DENY else ACCEPTED
    if spec is None:
        return Verdict(Ruling.DENY, "finding.agent", "no agent of this hive found it")
    return rule_action(policy, memory, spec, proposal_of(intent, spec.role, world), intent.repo)
