"""Everything that deciding needs besides the world and the memory: the operator's wishes, resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive.contracts.backend import BackendTraits, DialogRule
from hive.contracts.guardrail import Guardrail
from hive.decisions.autonomy import AutonomyTable, effective_level, mode
from hive.decisions.budgets import Budget
from hive.decisions.findings_policy import FindingsPolicy
from hive.decisions.governor_policy import GovernorPolicy
from hive.decisions.incident_policy import IncidentPolicy
from hive.decisions.lease_policy import LeasePolicy
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_gate import MergePolicy
from hive.decisions.notice_policy import NoticePolicy
from hive.decisions.prices import PriceTable
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.rounds_policy import RoundsPolicy
from hive.decisions.standing_policy import StandingDuty
from hive.decisions.triage import TriagePolicy
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import AcmmLevel, Mode
from hive.facts.memory import Memory
from hive.facts.work import TaskKind


@dataclass(frozen=True, slots=True)
class Policy:
    """The configuration as decisions use it.

    Attributes:
        level: Of the whole hive; operators' changes in memory go before it.
        repo_levels: By ``OWNER/NAME``; a repository without one has only the hive's.
        traits: By backend name.
        hold_label: The label that is hive's hold.
        account: Hive's own login on the forge: only its holds are hive's.
        dialogs: The operator's own rules for boxes, by backend; they go before the backends'.
        approval_label: By which trusted persons approve what is held; empty for none.
        retired: Names of agents whose configuration was rejected: left alone, neither started nor stopped.
        leases: How hives that share a repository tell each other what they work on; None: they do not.
        trees: Agents on this machine get a working copy for each task before its prompt.
        prompts: The template of each kind of task's prompt; a kind without one is never begun.
    """

    level: AcmmLevel
    agents: tuple[AgentSpec, ...]
    table: AutonomyTable
    traits: Mapping[str, BackendTraits]
    account: str
    repo_levels: Mapping[str, AcmmLevel] = field(default_factory=dict)
    lifecycle: LifecyclePolicy = field(default_factory=LifecyclePolicy)
    triage: TriagePolicy = field(default_factory=TriagePolicy)
    merge: Mapping[str, MergePolicy] = field(default_factory=dict)
    guardrails: tuple[Guardrail, ...] = ()
    hold_label: str = "hold"
    retired: frozenset[str] = frozenset()
    trees: bool = False
    budgets: tuple[Budget, ...] = ()
    prices: PriceTable = field(default_factory=PriceTable)
    leases: LeasePolicy | None = None
    standing: tuple[StandingDuty, ...] = ()
    findings: FindingsPolicy = field(default_factory=FindingsPolicy)
    governor: GovernorPolicy = field(default_factory=GovernorPolicy)
    notices: NoticePolicy = field(default_factory=NoticePolicy)
    approval_label: str = ""
    incidents: IncidentPolicy = field(default_factory=IncidentPolicy)
    dialogs: Mapping[str, tuple[DialogRule, ...]] = field(default_factory=dict)
    rounds: RoundsPolicy = field(default_factory=RoundsPolicy)
    prompts: Mapping[TaskKind, PromptTemplate] = field(default_factory=dict)
    knowledge: int = 0
    """Characters of the repository's own words in a prompt; 0: none, and they are not read."""

    def dialogs_of(self, backend: str) -> tuple[DialogRule, ...]:
        """The operator's rules for a backend's boxes, then its own."""
        return (*self.dialogs.get(backend, ()), *self.traits[backend].dialogs)

    def agent(self, name: str) -> AgentSpec | None:
        return next((spec for spec in self.agents if spec.name == name), None)


def level_of(policy: Policy, memory: Memory, repo: str, spec: AgentSpec | None) -> AcmmLevel:
    """The level in force for an agent in a repository: the lowest of all that were set."""
    hive = AcmmLevel(memory.level) if memory.level is not None else policy.level
    repo_level = memory.repo_levels.get(repo, policy.repo_levels.get(repo))
    agent_level = None
    if spec is not None:
        agent_level = memory.agent_levels.get(spec.name, spec.level)
    return effective_level(
        hive,
        AcmmLevel(repo_level) if repo_level is not None else None,
        AcmmLevel(agent_level) if agent_level is not None else None,
    )


def mode_of(policy: Policy, memory: Memory, repo: str, spec: AgentSpec) -> Mode | None:
    """The agent's mode in a repository; None where its role is not started there."""
    return mode(policy.table, level_of(policy, memory, repo, spec), spec.role)


def is_started(policy: Policy, memory: Memory, spec: AgentSpec) -> bool:
    """Whether any repository's level starts the agent at all."""
    return any(mode_of(policy, memory, repo, spec) is not None for repo in spec.repos)
