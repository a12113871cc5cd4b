"""`hive.yaml` from the disk into `Settings`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from pydantic import ValidationError

from hive import documents
from hive.contracts.backend import Backend
from hive.contracts.command import BackendKind
from hive.contracts.guardrail import Guardrail
from hive.decisions.durations import spell
from hive.decisions.findings_policy import FindingsPolicy
from hive.decisions.governor_policy import GovernorPolicy
from hive.decisions.incident_policy import IncidentPolicy
from hive.decisions.lease_policy import LeasePolicy
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.merge_policy import HOLD
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.standing_policy import StandingDuty
from hive.documents import Document
from hive.documents.models import first_error
from hive.documents.tree import Location, Value
from hive.documents.tree import spell as show
from hive.errors import ConfigError
from hive.facts.work import TaskKind
from hive.settings import acmm
from hive.settings.agents import Roster, Surroundings, leaks, read_agents
from hive.settings.budgets import read_budgets
from hive.settings.claims import read_claims
from hive.settings.command_backends import read_backends
from hive.settings.dialogs import dialog_rules
from hive.settings.findings import read_findings
from hive.settings.fleet_section import read_fleet_section
from hive.settings.github_section import read_github
from hive.settings.governor import read_governor
from hive.settings.guardrails import read_guardrails
from hive.settings.hive_file import GatewayModel, HiveFile, HiveFrame
from hive.settings.interpolation import Interpolation
from hive.settings.logins import read_logins
from hive.settings.models_section import read_models
from hive.settings.notify import read_notify
from hive.settings.prompts import load_prompts
from hive.settings.roles import overridden
from hive.settings.sandbox_templates import load_templates
from hive.settings.secret import Secret
from hive.settings.settings import GatewayOptions, RepositorySettings, Settings
from hive.settings.standing import read_standing

_NONE: Mapping[str, Guardrail] = {}
_NO_KINDS: Mapping[str, BackendKind] = {}


def load(
    path: Path,
    *,
    environ: Mapping[str, str],
    backends: Mapping[str, Backend],
    guardrails: Mapping[str, Guardrail] = _NONE,
    kinds: Mapping[str, BackendKind] = _NO_KINDS,
) -> Settings:
    """Return the configuration in `path`; `backends`, `guardrails` and `kinds` are those installed, by name.

    Raises `ConfigError` with file and line for what is wrong outside of `agents`, for the first wrong
    agent where `strict` is set, and where no agent is left.
    """
    return load_bytes(
        _read(path), path, environ=environ, backends=backends, guardrails=guardrails, kinds=kinds
    )


def load_bytes(
    data: bytes,
    path: Path,
    *,
    environ: Mapping[str, str],
    backends: Mapping[str, Backend],
    guardrails: Mapping[str, Guardrail] = _NONE,
    kinds: Mapping[str, BackendKind] = _NO_KINDS,
) -> Settings:
    """The same for content that stands, or would stand, in the file `path`."""
    document = documents.read(data, str(path))
    interpolation = Interpolation(document, environ)
    try:
        return _settings(interpolation, path, backends, guardrails, kinds)
    except ConfigError as error:
        # The chain would show in a log what the message no longer says.
        raise interpolation.conceal(error) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError("there is no such file; `hive init` writes one", source=str(path)) from error
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", source=str(path)) from error


def _settings(
    interpolation: Interpolation,
    path: Path,
    backends: Mapping[str, Backend],
    guardrails: Mapping[str, Guardrail],
    kinds: Mapping[str, BackendKind],
) -> Settings:
    document, file = _frame(interpolation)
    backends = read_backends(document, file.backends, backends, kinds)
    github, secret = read_github(document, file.github, path, interpolation)
    table, raised = overridden(acmm.load_table(), file, document)
    fleet = read_fleet_section(document, file.fleet, path, interpolation.environ) if file.fleet else None
    models, keys = read_models(document, file.models, path, interpolation, backends)
    _no_leaks(document, secrets := {"this is hive's own credential, which no agent gets": secret, **keys})
    repositories = _repositories(document, file)
    around = Surroundings(
        table=table,
        backends=backends,
        repositories=tuple(one.name for one in repositories),
        lanes=tuple(file.triage.lanes),
        secrets=secrets,
        models=models,
        fleet=fleet,
        templates=load_templates(fleet.templates) if fleet is not None else {},
        described=frozenset(file.backends),
    )
    roster = _roster(document, file, interpolation, around)
    return Settings(
        backends=backends,
        source=str(path),
        digest=_digest(interpolation),
        state=Path(os.path.abspath(path.parent / file.state)),
        level=file.level,
        github=github,
        repositories=repositories,
        agents=tuple(roster.agents),
        rejected=tuple(roster.rejected),
        strict=file.strict,
        tick=file.tick,
        poll=file.poll,
        gateway=_gateway(file.gateway),
        triage=replace(file.triage.policy(), hold_labels=_holds(file, file.triage.hold_labels)),
        lifecycle=LifecyclePolicy(**dict(file.lifecycle)),
        table=table,
        raised=raised,
        guardrails=read_guardrails(document, file.guardrails, guardrails),
        fleet=fleet,
        budgets=read_budgets(document, file.budgets),
        **_shared(document, file, roster, around),
        governor=_governor(document, file, roster, around),
        dialogs=dialog_rules(document, file.dialogs, backends),
        notify=read_notify(document, file.notify, path, interpolation, **_known(roster, around)),
        prices=tuple(row.price(own=True) for row in file.prices),
        incidents=IncidentPolicy(**dict(file.incidents)),
        isolation=file.isolation.options(),
        models=models,
        logins=read_logins(document, file.logins, path, roster.agents, backends),
        pull_requests=file.pull_requests.policy(document, roles={spec.role for spec in roster.agents}),
        prompts=_prompts(document, file, path),
    )


class _Shared(TypedDict):
    claims: LeasePolicy | None
    findings: FindingsPolicy
    standing: tuple[StandingDuty, ...]
    knowledge: int


def _shared(document: Document, file: HiveFile, roster: Roster, around: Surroundings) -> _Shared:
    """Findings, claims, standing work and what prompts tell. Raises `ConfigError`."""
    return {
        "knowledge": file.knowledge,
        "claims": read_claims(document, file.claims, file.lifecycle.deadline),
        "standing": read_standing(document, file.standing, roles={spec.role for spec in roster.agents}),
        "findings": read_findings(document, file.findings, repositories=around.repositories),
    }


def _no_leaks(document: Document, secrets: Mapping[str, Secret]) -> None:
    """Raises `ConfigError` for a backend that would be given a secret of hive's."""
    for fault, key in leaks(_section(document, "backends"), secrets):
        raise document.error(f"{show(('backends', *key))}: {fault}", ("backends", *key))


def _section(document: Document, key: str) -> Value:
    assert isinstance(document.value, dict)
    return document.value.get(key)


def _governor(document: Document, file: HiveFile, roster: Roster, around: Surroundings) -> GovernorPolicy:
    roles = sorted({spec.role for spec in roster.agents})
    known = {"lanes": around.lanes, "roles": roles, "repositories": around.repositories}
    return read_governor(document, file.governor, **known)


def _prompts(document: Document, file: HiveFile, path: Path) -> Mapping[TaskKind, PromptTemplate]:
    """Raises `ConfigError` with the template's own file and line."""
    if file.prompts is None:
        return load_prompts()
    own = path.parent / Path(file.prompts).expanduser()
    if not own.is_dir():
        raise document.error(f"prompts: {own} is no folder", ("prompts",))
    return load_prompts(own)


def _known(roster: Roster, around: Surroundings) -> dict[str, Collection[str]]:
    return {"agents": _names(roster), "repositories": around.repositories}


def _names(roster: Roster) -> list[str]:
    """Of all agents, those too that cannot be started."""
    rejected = [name for one in roster.rejected for name in one.names]
    return [*(spec.name for spec in roster.agents), *rejected]


def _frame(interpolation: Interpolation) -> tuple[Document, HiveFrame]:
    """The file with the variables filled in, but for those of agents, and its model."""
    document = interpolation.document
    if not isinstance(document.value, dict):
        raise document.error("a mapping of keys is expected here")
    filled: dict[str, Value] = {
        key: entry if key == "agents" else interpolation.fill(entry, (key,))
        for key, entry in document.value.items()
    }
    document = replace(document, value=filled)
    try:
        file = HiveFrame.model_validate(filled)
    except ValidationError as error:
        raise first_error(document, HiveFrame, error) from error
    _check_together(document, file)
    return document, file


def _check_together(document: Document, file: HiveFile) -> None:
    """Raises `ConfigError` for keys that contradict each other."""
    if file.poll < file.tick:
        said = f"poll ({spell(file.poll)}) is shorter than tick ({spell(file.tick)})"
        key = "poll" if "poll" in file.model_fields_set else "tick"
        raise document.error(f"{said}; hive asks the forge at most once a tick", (key,))
    if file.lifecycle.backoff > file.lifecycle.backoff_cap:
        key = "backoff" if "backoff" in file.lifecycle.model_fields_set else "backoff_cap"
        said = f"backoff ({spell(file.lifecycle.backoff)}) is longer than backoff_cap"
        raise document.error(f"lifecycle: {said} ({spell(file.lifecycle.backoff_cap)})", ("lifecycle", key))
    go = file.triage.go_label
    holds = {label.casefold() for label in (HOLD, file.gateway.hold_label, *file.triage.hold_labels)}
    if go is not None and go.casefold() in holds:
        raise document.error(f"triage.go_label: '{go}' holds as well; take another", ("triage", "go_label"))
    approves = file.gateway.approval_label
    if approves is not None and approves.casefold() in {*holds, (go or "").casefold()}:
        said = f"gateway.approval_label: '{approves}' holds or releases as well; take another"
        raise document.error(said, ("gateway", "approval_label"))


def _repositories(document: Document, file: HiveFile) -> tuple[RepositorySettings, ...]:
    """Raises `ConfigError` for one that is there twice: GitHub's names are the same in any case."""
    found: dict[str, RepositorySettings] = {}
    lines: dict[str, int | None] = {}
    for index, entry in enumerate(file.repositories):
        at: Location = ("repositories", index)
        key = entry.name.casefold()
        if key in found:
            said = f"'{entry.name}' is the repository '{found[key].name}' of line {lines[key]} again"
            raise document.error(f"repositories[{index}]: {said}; remove one", at)
        merge = file.merge
        if entry.merge is not None:
            given = {name: getattr(entry.merge, name) for name in entry.merge.model_fields_set}
            merge = merge.model_copy(update=given)
        policy = replace(merge.policy(), hold_labels=_holds(file, merge.hold_labels), method=merge.method)
        found[key] = RepositorySettings(entry.name, entry.level, policy, merge.method)
        lines[key] = document.line(at)
    return tuple(found.values())


def _holds(file: HiveFile, labels: Iterable[str]) -> frozenset[str]:
    """`labels`, and hive's own where it is not the one that always holds: whatever its name, it has to."""
    own = file.gateway.hold_label
    return frozenset([*labels, own] if own.casefold() != HOLD else labels)


def _roster(
    document: Document, file: HiveFrame, interpolation: Interpolation, around: Surroundings
) -> Roster:
    """Raises `ConfigError` as `load` says."""
    roster = read_agents(interpolation, file.agents, around)
    _refuse(document, file, roster)
    return roster


def _refuse(document: Document, file: HiveFile, roster: Roster) -> None:
    if not roster.rejected or (roster.agents and not file.strict):
        return
    first = roster.rejected[0]
    others = len(roster.rejected) - 1
    more = f" (and {others} more)" if others else ""
    message = first.message.removeprefix(f"{document.source}:{first.line}: ")
    raise ConfigError(message + more, source=document.source, line=first.line)


def _gateway(model: GatewayModel) -> GatewayOptions:
    pods = model.pods.options() if model.pods is not None else None
    return GatewayOptions(**{**dict(model), "pods": pods})


def _digest(interpolation: Interpolation) -> str:
    """Of the file and of what its variables hold, but for those that hold, or may hold, a secret."""
    values = sorted(
        (name, interpolation.environ[name])
        for at, names in interpolation.used.items()
        if at[:1] not in (("github",), ("models",), ("notify",)) and "environment" not in at
        for name in names
    )
    seed = interpolation.document.text + json.dumps(values)
    return hashlib.sha256(seed.encode()).hexdigest()
