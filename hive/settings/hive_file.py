"""The shape of `hive.yaml`; every key is described here, and `hive schema` prints it for editors."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from hive.documents.values import Duration, Flag, Text, Whole
from hive.facts.agents import ContextPolicy, is_agent_name
from hive.facts.autonomy import AcmmLevel, Mode
from hive.settings.budgets import BudgetModel
from hive.settings.claims import ClaimsModel
from hive.settings.command_backends import CommandModel
from hive.settings.dialogs import DialogModel
from hive.settings.fallback_model import FallbackModel
from hive.settings.fields import (
    Argument,
    Cell,
    Day,
    Level,
    LevelKey,
    LoopbackHost,
    Minute,
    Patience,
    Poll,
    Repository,
    Second,
    Tick,
    Url,
    between,
)
from hive.settings.findings import FindingsModel
from hive.settings.fleet_model import FleetModel
from hive.settings.governor import GovernorModel
from hive.settings.guardrails import GuardrailEntry
from hive.settings.isolation import IsolationModel
from hive.settings.models_model import ModelProviderModel, ProviderName
from hive.settings.notify_model import NotifyModel
from hive.settings.pods_door import PodsModel
from hive.settings.policies import MergePolicyModel, Name, SettingsModel
from hive.settings.prices import PriceModel
from hive.settings.pull_requests import PullRequestsModel
from hive.settings.sandbox_model import SandboxModel
from hive.settings.standing import StandingModel
from hive.settings.triage_section import TriageModel

Count = Annotated[Whole, Field(ge=1, le=1000)]


def _agent_name(value: str) -> str:
    if not is_agent_name(value):
        raise ValueError(
            f"'{value}' cannot name an agent; lower case letters, digits and inner hyphens, at most 39"
        )
    return value


def _variable_name(value: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is None:
        raise ValueError(f"'{value}' cannot name a variable of the environment")
    return value


def _app_id(value: Any) -> Any:
    return str(value) if type(value) is int else value


AppId = Annotated[Text, BeforeValidator(_app_id, json_schema_input_type=int | str)]


class GithubAppModel(SettingsModel):
    """A GitHub App as which hive acts, in the place of a token."""

    id: AppId = Field(description="The App's id or client id.")
    private_key_file: Text = Field(description="A file (0600) with its private key in PEM.")


class WebhooksModel(SettingsModel):
    """Where GitHub's deliveries arrive, which wake looks early."""

    listen: Text = Field(default="127.0.0.1:8686", description="HOST:PORT; what forwards to it does TLS.")
    secret: Text = Field(description="The webhook's secret; write ${GITHUB_WEBHOOK_SECRET}.")


class GithubModel(SettingsModel):
    """Where the forge is, and hive's own credential for it; agents never see it."""

    api_url: Url = Field(
        default="https://api.github.com",
        description="REST address; an Enterprise server's ends in /api/v3. The other two follow from it.",
    )
    graphql_url: Url | None = Field(default=None, description="GraphQL address, where it does not follow.")
    git_url: Url | None = Field(
        default=None, description="Root of the git addresses, where it does not follow."
    )
    token: Text | None = Field(default=None, description="The credential; write ${GITHUB_TOKEN}.")
    token_file: Text | None = Field(
        default=None, description="A file (0600) with the credential, read anew whenever it is needed."
    )
    app: GithubAppModel | None = Field(
        default=None, description="A GitHub App in the place of a token: installed where hive works."
    )
    webhooks: WebhooksModel | None = Field(
        default=None, description="Deliveries of GitHub's wake looks early; without them, `poll` is all."
    )


class MergeModel(MergePolicyModel):
    """When and how hive merges."""

    method: Literal["merge", "squash", "rebase"] = Field(default="squash", description="How it merges.")


class RepositoryModel(SettingsModel):
    """A repository that hive watches."""

    name: Repository = Field(description="OWNER/NAME.")
    level: Level | None = Field(default=None, description="A lower level for this repository.")
    merge: MergeModel | None = Field(
        default=None, description="Keys of `merge` that differ for this repository."
    )


def _repository(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


RepositoryEntry = Annotated[
    RepositoryModel, BeforeValidator(_repository, json_schema_input_type=str | RepositoryModel)
]


class AgentModel(SettingsModel):
    """An agent, or several alike."""

    name: Annotated[Text, AfterValidator(_agent_name)] = Field(description="Unique in the hive.")
    role: Name = Field(description="A role of `hive acmm table`, or a word of your own.")
    backend: Name = Field(description="Which agent program, by the name of its plug-in.")
    model: Name | None = Field(default=None, description="The model to ask the program for.")
    account: Text = Field(
        default="", description="Agents of one account share its limits; left out: those of its backend."
    )
    repos: list[Text] = Field(default=[], description="Repositories it works on; left out: all.")
    provider: Name | None = Field(
        default=None, description="Of `models`; left out: the one that is for its backend, if any."
    )
    context: ContextPolicy = Field(
        default=ContextPolicy.CLEAR,
        description="clear: each task gets a fresh conversation; keep: it goes on until it is full.",
    )
    lanes: list[Text] = Field(default=[], description="Lanes it takes work from; left out: any.")
    level: Level | None = Field(default=None, description="A lower level for this agent.")
    command: list[Argument] = Field(default=[], description="Replaces the backend's program and arguments.")
    environment: dict[Annotated[Text, AfterValidator(_variable_name)], Argument] = Field(
        default={}, description="Added to the agent's environment."
    )
    count: Count = Field(default=1, description="More than one: NAME-1 to NAME-N.")
    fallback: list[FallbackModel] = Field(
        default=[], description="What it runs on while its account is limited, in this order."
    )
    sandbox: SandboxModel | None = Field(
        default=None, description="Run it in a pod of the fleet; left out: on this machine."
    )


class GatewayModel(SettingsModel):
    """Where agents reach hive, and how hive holds their pull requests."""

    host: LoopbackHost = Field(default="127.0.0.1", description="A loopback address.")
    port: Annotated[Whole, Field(ge=0, le=65535)] = Field(default=0, description="0: any that is free.")
    hold_label: Name = Field(default="hold", description="The label that hive holds pull requests with.")
    model_requests_each: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=32, description="Requests to models that one agent may have under way."
    )
    keep_draft: Flag = Field(default=False, description="Held pull requests stay drafts as well.")
    approval_label: Name | None = Field(
        default=None, description="A label by which trusted persons approve what is held; left out: none."
    )
    repeat_window: Annotated[Duration, between(timedelta(), Day)] = Field(
        default="10m",
        validate_default=True,
        description="For how long a repeated creation gets the first answer again; 0s: not at all.",
    )
    body_size: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=8, description="Most MiB of a request to the forge's API; pushes have a limit of their own."
    )
    connections: Annotated[Whole, Field(ge=8, le=10_000)] = Field(
        default=1024, description="Most connections of this machine's agents at once."
    )
    pods: PodsModel | None = Field(default=None, description="A door for agents in pods; left out: none.")


class IncidentsModel(SettingsModel):
    """What counts as an act of hive's account that hive did not do."""

    shared_account: Flag = Field(
        default=False,
        description="A person works by hive's account, too: acts without hive's marker are only noted.",
    )


class RaiseModel(SettingsModel):
    """One mode above what the table gives, and why."""

    mode: Mode = Field(description="The mode.")
    why: Annotated[Text, Field(min_length=1, max_length=500)] = Field(
        description="The reason; it goes into the journal."
    )


class LifecycleModel(SettingsModel):
    """How patient hive is with agents and tasks."""

    backoff: Annotated[Duration, between(Second, Day)] = Field(
        default="5s",
        validate_default=True,
        description="Wait after the first crash; doubled for each further.",
    )
    backoff_cap: Annotated[Duration, between(Second, Day)] = Field(
        default="10m", validate_default=True, description="The longest such wait."
    )
    restarts: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=8, description="So many crashes within the window, and a person has to look."
    )
    window: Annotated[Duration, between(Minute, 7 * Day)] = Field(
        default="1h",
        validate_default=True,
        description="In which crashes are counted; only work that was proven resets them.",
    )
    stagger: Annotated[Duration, between(0 * Second, 10 * Minute)] = Field(
        default="1s", validate_default=True, description="Between two starts of one backend."
    )
    hung_after: Annotated[Duration, between(Minute, 7 * Day)] = Field(
        default="15m",
        validate_default=True,
        description="Without a sign of work for so long, an agent at work is interrupted, then restarted.",
    )
    deadline: Annotated[Duration, between(Minute, 7 * Day)] = Field(
        default="2h", validate_default=True, description="A task that takes longer is released."
    )
    attempts: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=3, description="Tries at one issue before it is left to a person."
    )
    rest: Patience = Field(
        default="1m",
        validate_default=True,
        description="Before an issue is tried again; doubled for each try.",
    )
    killed_agents: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=2, description="An issue under which so many agents crashed is quarantined."
    )
    hands_off: Annotated[Duration, between(0 * Second, Day)] = Field(
        default="1m",
        validate_default=True,
        description="Hive types nothing where an attached person has typed within so long; 0s: it does.",
    )


class HiveFile(SettingsModel):
    """hive.yaml"""

    level: Level = Field(default=AcmmLevel.L1, description="Autonomy level of the hive, 1 to 6.")
    github: GithubModel = Field(description="The forge.")
    repositories: list[RepositoryEntry] = Field(
        min_length=1, description="What hive watches: OWNER/NAME, or a mapping with that name."
    )
    agents: list[AgentModel] = Field(min_length=1, description="Who works.")
    backends: dict[Name, CommandModel] = Field(
        default={}, description="Programs that have no plug-in, by the name that agents give as backend."
    )
    strict: Flag = Field(default=False, description="One bad agent stops everything.")
    state: Annotated[Argument, Field(min_length=1)] = Field(
        default=".hive", description="Folder of the journal; relative to this file's own."
    )
    tick: Tick = Field(default="5s", validate_default=True, description="How often hive looks and decides.")
    poll: Poll = Field(default="60s", validate_default=True, description="How often hive asks the forge.")
    gateway: GatewayModel = Field(default_factory=GatewayModel, description="Where agents reach hive.")
    incidents: IncidentsModel = Field(
        default_factory=IncidentsModel, description="Acts of hive's account that hive did not do."
    )
    isolation: IsolationModel = Field(
        default_factory=IsolationModel, description="How agents on this machine are kept apart."
    )
    roles: dict[str, dict[LevelKey, Cell]] = Field(
        default={}, description="Lowers roles: role, level, mode ('-': not started)."
    )
    raise_: dict[str, dict[LevelKey, RaiseModel]] = Field(
        default={}, alias="raise", description="Raises roles: role, level, mode and why."
    )
    triage: TriageModel = Field(default_factory=TriageModel, description="Which issues become work.")
    merge: MergeModel = Field(default_factory=MergeModel, description="When and how hive merges.")
    guardrails: dict[str, GuardrailEntry] = Field(
        default={}, description="Rules that only tighten, by name: true, false, or a mapping of settings."
    )
    lifecycle: LifecycleModel = Field(
        default_factory=LifecycleModel, description="Patience with agents and tasks."
    )
    models: dict[ProviderName, ModelProviderModel] = Field(
        default={}, description="Model providers whose keys hive holds for the agents, by a name of yours."
    )
    logins: dict[Name, Text] = Field(
        default={},
        description="Logins of subscriptions, by agent or backend: the program's own file (0600), from which "
        "hive begins. Each is for one agent.",
    )
    fleet: FleetModel | None = Field(
        default=None, description="The clusters that sandboxes may run on; left out: there are none."
    )
    claims: ClaimsModel | None = Field(
        default=None, description="How several hives share one repository; left out: this one is alone."
    )
    findings: FindingsModel = Field(
        default_factory=FindingsModel, description="When issues are made of what agents found."
    )
    standing: dict[Name, StandingModel] = Field(
        default={}, description="What roles do by themselves, again and again; by role."
    )
    governor: GovernorModel = Field(default_factory=GovernorModel, description="How the load sets the pace.")
    pull_requests: PullRequestsModel = Field(
        default_factory=PullRequestsModel, description="How often agents go on with their pull requests."
    )
    prompts: Annotated[Argument, Field(min_length=1)] | None = Field(
        default=None,
        description="Folder of your own templates of prompts (issue.md, fix-ci.md …), beside this file.",
    )
    knowledge: Annotated[Whole, Field(ge=0, le=65_536)] = Field(
        default=16_384, description="Characters of the repository's AGENTS.md and the like in a prompt."
    )
    notify: NotifyModel = Field(
        default_factory=NotifyModel, description="Who is told what waits for a person."
    )
    dialogs: list[DialogModel] = Field(
        default=[], description="Boxes of agents' programs that hive answers, or is to leave to a person."
    )
    budgets: list[BudgetModel] = Field(
        default=[], description="What models may cost; left out: as much as it takes."
    )
    prices: list[PriceModel] = Field(
        default=[], description="Prices of models that hive does not know, or that differ for you."
    )


class HiveFrame(HiveFile):
    """The same with agents not looked at: one bad agent does not make the rest unreadable."""

    agents: list[Any] = Field(min_length=1)
