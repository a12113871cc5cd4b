"""The agents' programs, looked for and asked as an agent's would be: on hive's PATH, in a HOME of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from hive.app.doctor.examination import Check
from hive.app.places import Places
from hive.app.versions import version_of
from hive.contracts.backend import Backend, BackendTraits, Logins
from hive.decisions.doctor.finding import Finding, ok
from hive.decisions.doctor.programs import BUILT_IN, Program, program_findings
from hive.facts.agents import AgentSpec
from hive.settings.settings import Settings


def program_checks(settings: Settings | None, backends: Mapping[str, Backend]) -> list[Check]:
    """Those of the agents on this machine; without a configuration, of every installed backend."""
    if settings is None:
        return [
            Check(f"backend {name}", partial(_installed, name, backends))
            for name in backends
            if name != BUILT_IN
        ]
    local = [spec for spec in settings.agents if spec.sandbox is None]
    groups: dict[tuple[str, str], list[AgentSpec]] = {}
    for spec in local:
        groups.setdefault((spec.backend, spec.command[0] if spec.command else ""), []).append(spec)
    places = Places(settings.state)
    return [
        Check(f"backend {backend}", partial(_configured, backend, command, specs, backends, places))
        for (backend, command), specs in groups.items()
    ]


def _installed(name: str, backends: Mapping[str, Backend]) -> Iterator[Finding]:
    traits = backends[name].traits
    yield from program_findings(_look(name, traits.programs[0], traits, {}), is_configured=False)


def _configured(
    backend: str, command: str, specs: list[AgentSpec], backends: Mapping[str, Backend], places: Places
) -> Iterator[Finding]:
    if backend == BUILT_IN and not command:
        yield ok(f"backend {backend}", "it comes with hive")
        return
    traits = backends[backend].traits
    known = traits.logins or Logins()
    logins = {each.name: logins_of(each, known, places.agent(each.name)) for each in specs}
    program = command or traits.programs[0]
    yield from program_findings(_look(backend, program, traits, logins), is_configured=True)


def _look(backend: str, program: str, traits: BackendTraits, logins: Mapping[str, list[str]]) -> Program:
    path = shutil.which(program)
    # Somebody's own command is not run: nobody knows what it does with --version.
    is_known = bool(traits.version) and os.path.basename(program) == os.path.basename(traits.version[0])
    said = version_of((program, *traits.version[1:])) if path and is_known else ""
    return Program(backend, program, path, said, logins, traits)


def logins_of(spec: AgentSpec, known: Logins, home: Path) -> list[str]:
    """What could log the agent's program in: names of variables that are set, and of files in its HOME."""
    given = {name for name, value in spec.environment if value}
    return [
        *(name for name in known.variables if name in given),
        *(f"~/{name}" for name in known.files if (home / name).is_file()),
    ]
