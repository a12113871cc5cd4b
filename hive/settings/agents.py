"""Entries of `agents` into agents, each judged by itself.

What is wrong with one of them is that one's affair: the others are started all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from pydantic import ValidationError

from hive.contracts.backend import Backend
from hive.decisions.autonomy import AutonomyTable, check_role
from hive.decisions.placement.selectors import why_broken
from hive.decisions.sandbox import SandboxTemplate, objection
from hive.documents import Document
from hive.documents.models import first_error, nearest
from hive.documents.tree import Location, Value, spell
from hive.errors import ConfigError
from hive.facts.agents import AgentSpec, SandboxSpec, is_agent_name
from hive.settings.fallback import Entry, choices, double, own_choice
from hive.settings.fields import is_hives_own
from hive.settings.fleet import FleetSettings
from hive.settings.hive_file import AgentModel
from hive.settings.interpolation import TELLING, Interpolation
from hive.settings.models import ModelProvider
from hive.settings.models_section import provider_faults
from hive.settings.sandbox_model import SandboxModel
from hive.settings.secret import Secret
from hive.settings.settings import RejectedAgent
from hive.settings.started_program import started_program


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an agent's entry is judged against.

    Attributes:
        lanes: Names of triage's lanes.
        repositories: ``OWNER/NAME`` as configured.
        secrets: Hive's own credentials, which no agent may be given; by what is said to one that would be.
        fleet: Where sandboxes are placed; None where the hive has no clusters.
        templates: Sandbox templates by name.
        models: Providers whose keys hive holds, by name.
        described: Those of the backends that the file itself describes.
    """

    table: AutonomyTable
    backends: Mapping[str, Backend]
    repositories: tuple[str, ...]
    lanes: tuple[str, ...]
    secrets: Mapping[str, Secret]
    fleet: FleetSettings | None = None
    templates: Mapping[str, SandboxTemplate] = field(default_factory=dict)
    models: Mapping[str, ModelProvider] = field(default_factory=dict)
    described: frozenset[str] = frozenset()


@dataclass(slots=True)
class Roster:
    """The agents so far, and where each was named."""

    agents: list[AgentSpec] = field(default_factory=list)
    rejected: list[RejectedAgent] = field(default_factory=list)
    lines: dict[str, int | None] = field(default_factory=dict)


def read_agents(interpolation: Interpolation, entries: Sequence[Value], around: Surroundings) -> Roster:
    """Return the agents of `entries`, the list under ``agents``; never raises for what is in one of them."""
    roster = Roster()
    for index, entry in enumerate(entries):
        at: Location = ("agents", index)
        try:
            specs = _entry(interpolation, entry, at, around, roster)
        except ConfigError as error:
            error = interpolation.conceal(error)
            roster.rejected.append(RejectedAgent(_names(entry, index), str(error), error.line))
        else:
            line = interpolation.document.line((*at, "name"))
            roster.agents.extend(specs)
            roster.lines.update((spec.name, line) for spec in specs)
    return roster


def _entry(
    interpolation: Interpolation, entry: Value, at: Location, around: Surroundings, roster: Roster
) -> tuple[AgentSpec, ...]:
    filled = interpolation.fill(entry, at)
    document = _with_entry(interpolation.document, filled, at)
    try:
        model = AgentModel.model_validate(filled)
    except ValidationError as error:
        raise first_error(document, AgentModel, error, at) from error
    for fault, key in chain(leaks(filled, around.secrets), _faults(model, around)):
        raise document.error(f"{spell((*at, *key))}: {fault}", (*at, *key))
    specs = tuple(_specs(model, document, at, around))
    for spec in specs:
        if spec.name in roster.lines:
            first = roster.lines[spec.name]
            said = f"the agent name '{spec.name}' is taken on line {first}; names are unique"
            raise document.error(f"{spell((*at, 'name'))}: {said}", (*at, "name"))
    return specs


def _with_entry(document: Document, entry: Value, at: Location) -> Document:
    """The document with `entry` filled in: locations of errors are looked up in it."""
    index = at[-1]
    assert isinstance(document.value, dict)
    entries = document.value["agents"]
    assert isinstance(entries, list)
    assert isinstance(index, int)
    return replace(
        document, value={**document.value, "agents": [*entries[:index], entry, *entries[index + 1 :]]}
    )


def _specs(model: AgentModel, document: Document, at: Location, around: Surroundings) -> Iterator[AgentSpec]:
    names = expand(model.name, model.count)
    if not is_agent_name(names[-1]):
        said = f"'{names[-1]}' is longer than 39 characters; shorten the name"
        raise document.error(f"{spell((*at, 'name'))}: {said}", (*at, "name"))
    canonical = {name.casefold(): name for name in around.repositories}
    repos = dict.fromkeys(canonical[repo.casefold()] for repo in model.repos) or around.repositories
    own = own_choice(model, around.models)
    for name in names:
        yield AgentSpec(
            name=name,
            role=model.role,
            backend=own.backend,
            repos=tuple(repos),
            lanes=tuple(dict.fromkeys(model.lanes)),
            model=own.model,
            level=model.level,
            context=model.context,
            command=own.command,
            environment=tuple(sorted(model.environment.items())),
            sandbox=_sandbox(model.sandbox, name, around.fleet),
            provider=own.provider,
            account=own.account,
            choices=choices(own, model.fallback, around.models),
        )


def _sandbox(model: SandboxModel | None, name: str, fleet: FleetSettings | None) -> SandboxSpec | None:
    if model is None or fleet is None:
        return None
    return SandboxSpec(model.fact(fleet.namespace, name), model.manifest())


def _faults(model: AgentModel, around: Surroundings) -> Iterator[tuple[str, Location]]:
    """What the entry says against its surroundings, and under which key."""
    try:
        check_role(around.table, model.role)
    except ConfigError as error:
        yield error.message, ("role",)
    if model.backend not in around.backends:
        yield f"unknown backend '{model.backend}'{_hint(model.backend, around.backends)}", ("backend",)
    elif contradiction := _contradiction(model.backend, model.command, around):
        yield contradiction, ("command",)
    configured = {name.casefold() for name in around.repositories}
    for index, repo in enumerate(model.repos):
        if repo.casefold() not in configured:
            hint = _hint(repo, around.repositories)
            yield f"the repository '{repo}' is not under repositories{hint}", ("repos", index)
    for index, lane in enumerate(model.lanes):
        if lane not in around.lanes:
            hint = _hint(lane, around.lanes)
            yield f"the lane '{lane}' is not under triage.lanes{hint}", ("lanes", index)
    if model.command and not model.command[0].strip():
        yield "it names no program", ("command",)
    yield from _own_variables(model)
    if model.backend in around.backends:
        traits = around.backends[model.backend].traits
        yield from provider_faults(model, traits, around.models)
    yield from _fallback_faults(model, around)
    if model.sandbox is not None:
        yield from _sandbox_faults(model.sandbox, around)


def _sandbox_faults(model: SandboxModel, around: Surroundings) -> Iterator[tuple[str, Location]]:
    if around.fleet is None:
        yield "there is no section `fleet`; add one, or remove the sandbox", ("sandbox",)
        return
    if model.template not in around.templates:
        hint = _hint(model.template, around.templates)
        yield f"unknown sandbox template '{model.template}'{hint}", ("sandbox", "template")
    try:
        request = model.fact("hive", "agent")
    except ValueError as error:
        yield str(error).removeprefix("spec."), ("sandbox",)
        return
    broken = why_broken(request.clusters)
    if broken:
        yield broken, ("sandbox", "clusters")
    template = around.templates.get(model.template)
    against = objection(template, request, around.fleet.image or "") if template is not None else None
    if against:
        yield against, ("sandbox",)


def _hint(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    near = nearest(word, sorted(known))
    if near:
        return f"; did you mean '{near}'?"
    return f"; known: {', '.join(sorted(known))}" if known else "; none is known"


def _fallback_faults(model: AgentModel, around: Surroundings) -> Iterator[tuple[str, Location]]:
    for index, one in enumerate(model.fallback):
        at: Location = ("fallback", index)
        if one.backend not in around.backends:
            said = f"unknown backend '{one.backend}'{_hint(one.backend, around.backends)}"
            yield said, (*at, "backend")
            return
        if contradiction := _contradiction(one.backend, one.command, around):
            yield contradiction, (*at, "command")
        entry = Entry(one.backend, one.provider, model.environment)
        for fault, key in provider_faults(entry, around.backends[one.backend].traits, around.models):
            yield fault, (*at, *key) if key == ("provider",) else key
    index_of_double = double(own_choice(model, around.models), model.fallback, around.models)
    if index_of_double is not None:
        said = "this is the same as one before it; give it another backend, model, provider or account"
        yield said, ("fallback", index_of_double)


def _contradiction(backend: str, command: Sequence[str], around: Surroundings) -> str | None:
    """Where the command starts the program of another backend: hive would wait for the wrong screen."""
    program = started_program(command)
    if program is None or program in around.backends[backend].traits.programs:
        return None
    # What the file itself describes may be a Python or a shell: that is nobody's alone.
    owners = [
        name
        for name, backend in sorted(around.backends.items())
        if name not in around.described and program in backend.traits.programs
    ]
    if not owners:
        return None
    return (
        f"backend is '{backend}', but command starts '{program}', which is a program of "
        f"'{owners[0]}'; change backend or command"
    )


def _own_variables(model: AgentModel) -> Iterator[tuple[str, Location]]:
    for name in model.environment:
        if is_hives_own(name):
            yield f"hive itself sets {name} for every agent; remove it", ("environment", name)


def leaks(value: Value, secrets: Mapping[str, Secret], at: Location = ()) -> Iterator[tuple[str, Location]]:
    """Where a credential of hive's own would get into an agent's reach."""
    if isinstance(value, str):
        for said, secret in secrets.items():
            if len(secret.reveal()) >= TELLING and secret.reveal() in value:
                yield said, at
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from leaks(entry, secrets, (*at, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from leaks(entry, secrets, (*at, index))


def expand(name: str, count: int) -> tuple[str, ...]:
    """The names of an entry's agents: its own, or with a count above one NAME-1 to NAME-N."""
    return (name,) if count == 1 else tuple(f"{name}-{number}" for number in range(1, count + 1))


def _names(entry: Value, index: int) -> tuple[str, ...]:
    """Which agents a broken entry meant, as far as that can be read."""
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name:
        return (f"agents[{index}]",)
    count = entry.get("count") if isinstance(entry, dict) else None
    known = isinstance(count, str) and count.isdecimal() and len(count) <= 4
    return expand(name, min(max(int(str(count)), 1), 1000)) if known else (name,)
