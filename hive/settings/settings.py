"""A configuration that was read, checked and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hive.contracts.backend import Backend, DialogRule
from hive.contracts.guardrail import Guardrail
from hive.decisions.autonomy import AutonomyTable
from hive.decisions.budgets import Budget
from hive.decisions.findings_policy import FindingsPolicy
from hive.decisions.governor_policy import GovernorPolicy
from hive.decisions.incident_policy import IncidentPolicy
from hive.decisions.lease_policy import LeasePolicy
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_policy import MergePolicy
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.rounds_policy import RoundsPolicy
from hive.decisions.standing_policy import StandingDuty
from hive.decisions.triage_policy import TriagePolicy
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import AcmmLevel, Mode
from hive.facts.isolation import IsolationOptions
from hive.facts.usage import Price
from hive.facts.work import TaskKind
from hive.settings.fleet import FleetSettings
from hive.settings.github import GithubSettings
from hive.settings.logins import AgentLogin
from hive.settings.models import ModelProvider
from hive.settings.notify import NotifySettings
from hive.settings.pods_door import PodsOptions


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """One repository; `merge` is complete, `level` is `None` where it has none of its own."""

    name: str
    level: AcmmLevel | None
    merge: MergePolicy
    merge_method: str


@dataclass(frozen=True, slots=True)
class RejectedAgent:
    """An entry of `agents` that cannot be started.

    Attributes:
        names: The agents that it meant; ``agents[2]`` where it has no name that can be read.
        message: One line for a person, with the file and `line`.
    """

    names: tuple[str, ...]
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Where agents reach hive (`port` 0: any that is free) and how pull requests are held. `pods`: the
    door for agents in pods; None where there is none. `body_size` is in MiB; `connections` and
    `model_requests_each` as `gateway.settings.Limits` has them."""

    host: str
    port: int
    hold_label: str
    keep_draft: bool
    approval_label: str | None = None
    repeat_window: timedelta = timedelta(minutes=10)
    body_size: int = 8
    connections: int = 1024
    pods: PodsOptions | None = None
    model_requests_each: int = 32


@dataclass(frozen=True, slots=True)
class Raised:
    """A role that the operator put above the table at one level, and why."""

    role: str
    level: AcmmLevel
    mode: Mode
    why: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole of `hive.yaml`.

    Attributes:
        source: The file, as it was named.
        digest: Changes with the file and with what variables hold, credentials apart.
        state: Absolute path of the state folder; it may not exist.
        agents: Those that can be started, copies counted out.
        table: The autonomy table with the operator's changes in it.
        guardrails: Those in force, with their settings.
        backends: The installed ones and those that the file describes, by name.
        fleet: `None` where the hive has no clusters.
        dialogs: The operator's own rules for boxes, by backend; those before the backend's own.
        prices: The operator's own, which go before those that hive ships.
        models: Providers whose keys hive holds, by name.
        logins: Of subscriptions, by agent.
        prompts: The template of each kind of task, the operator's own before hive's.
    """

    source: str
    digest: str
    state: Path
    level: AcmmLevel
    github: GithubSettings
    repositories: tuple[RepositorySettings, ...]
    agents: tuple[AgentSpec, ...]
    rejected: tuple[RejectedAgent, ...]
    strict: bool
    tick: timedelta
    poll: timedelta
    gateway: GatewayOptions
    triage: TriagePolicy
    lifecycle: LifecyclePolicy
    table: AutonomyTable
    raised: tuple[Raised, ...]
    guardrails: tuple[Guardrail, ...]
    backends: Mapping[str, Backend]
    fleet: FleetSettings | None = None
    budgets: tuple[Budget, ...] = ()
    claims: LeasePolicy | None = None
    standing: tuple[StandingDuty, ...] = ()
    findings: FindingsPolicy = field(default_factory=FindingsPolicy)
    governor: GovernorPolicy = field(default_factory=GovernorPolicy)
    dialogs: Mapping[str, tuple[DialogRule, ...]] = field(default_factory=dict)
    notify: NotifySettings = field(default_factory=NotifySettings)
    prices: tuple[Price, ...] = ()
    incidents: IncidentPolicy = field(default_factory=IncidentPolicy)
    isolation: IsolationOptions = field(default_factory=IsolationOptions)
    models: Mapping[str, ModelProvider] = field(default_factory=dict)
    logins: Mapping[str, AgentLogin] = field(default_factory=dict)
    pull_requests: RoundsPolicy = field(default_factory=RoundsPolicy)
    prompts: Mapping[TaskKind, PromptTemplate] = field(default_factory=dict)
    knowledge: int = 16_384

    def repository(self, name: str) -> RepositorySettings:
        """The repository of that name, in any case. Raises `KeyError` for one that is not configured."""
        for repository in self.repositories:
            if repository.name.casefold() == name.casefold():
                return repository
        raise KeyError(name)

    def retired(self) -> frozenset[str]:
        """Names of rejected agents that no other entry has: nothing is known about what they should do."""
        meant = {name for agent in self.rejected for name in agent.names}
        return frozenset(meant - {spec.name for spec in self.agents})

    def merge_policy(self, repo: str) -> MergePolicy:
        return self.repository(repo).merge

    def merge_method(self, repo: str) -> str:
        """``merge``, ``squash`` or ``rebase``."""
        return self.repository(repo).merge_method
