"""Which checks there are for a configuration, or for a machine that has none yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hive.app.doctor.daemon import daemon_findings
from hive.app.doctor.examination import PATIENCE, Check, examine
from hive.app.doctor.isolation import look_at_isolation
from hive.app.doctor.machine import machine_checks
from hive.app.doctor.pods_door import look_at_door
from hive.app.doctor.programs import program_checks
from hive.app.isolation import secret_files
from hive.decisions.counting import counted
from hive.decisions.doctor.finding import Finding, ok, problem, skipped
from hive.errors import ConfigError, HiveError
from hive.facts.isolation import IsolationOptions
from hive.kernel.plugins import backend_kinds, backends
from hive.settings.loading import load
from hive.settings.settings import Settings

DEFAULT = Path("hive.yaml")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`source` is the configuration, None where there is none; `is_readable` is false for a broken one."""

    findings: tuple[Finding, ...]
    source: str | None
    is_readable: bool


def diagnose(config: Path | None, environ: Mapping[str, str], *, patience: float = PATIENCE) -> Diagnosis:
    """Check everything that the configuration at `config` needs; None is `hive.yaml`, where there is one.

    A broken configuration hides nothing of the machine. `patience` is in seconds, for the slowest check.
    """
    path = config or DEFAULT
    if config is None and not path.exists():
        said = [skipped("configuration", f"there is no {path} here", "write one with 'hive init'")]
        return Diagnosis((*said, *examine(_checks(None), patience=patience)), None, True)
    try:
        settings = load(path, environ=environ, backends=backends(), kinds=backend_kinds())
    except HiveError as error:
        said = [problem("configuration", str(error), _remedy(error))]
        return Diagnosis((*said, *examine(_checks(None), patience=patience)), str(path), False)
    found = examine(
        [Check("configuration", partial(_configuration, settings)), *_checks(settings)], patience=patience
    )
    return Diagnosis(tuple(found), str(path), True)


def _remedy(error: HiveError) -> str:
    return "correct it, then: hive check" if isinstance(error, ConfigError) else "install it, or remove it"


def _checks(settings: Settings | None) -> list[Check]:
    """In the order in which they are told."""
    state = settings.state if settings is not None else Path.cwd() / ".hive"
    agents = settings.agents if settings is not None else ()
    options = settings.isolation if settings is not None else IsolationOptions()
    secrets = secret_files(settings) if settings is not None else ()
    in_pods = sum(each.sandbox is not None for each in agents)
    return [
        *machine_checks(state),
        Check("daemon", partial(daemon_findings, state)),
        *program_checks(settings, settings.backends if settings else backends()),
        Check("isolation", partial(look_at_isolation, options, state, len(agents) - in_pods, secrets)),
        *(_outside(settings, in_pods) if settings is not None else ()),
    ]


def _outside(settings: Settings, in_pods: int) -> list[Check]:
    """What is asked over the network."""
    # Imported here: PyGithub's and Kubernetes' clients are slow to import.
    from hive.app.doctor.clusters import cluster_checks
    from hive.app.doctor.forge import forge_checks
    from hive.shells.system.clock import SystemClock

    found = forge_checks(settings, SystemClock().now)
    door = partial(look_at_door, settings.gateway.pods, agents_in_pods=in_pods, state=settings.state)
    found.append(Check("gateway for pods", door))
    return found + (cluster_checks(settings.fleet) if settings.fleet is not None else [])


def _configuration(settings: Settings) -> list[Finding]:
    """What `hive check` says of it, as findings."""
    started = len(settings.agents)
    found = [ok("configuration", f"{settings.source}: {counted(started, 'agent')}")]
    found += [
        problem(f"agent {' '.join(each.names)}", each.message, "correct the entry; the others are started")
        for each in settings.rejected
    ]
    fleet = settings.fleet
    if fleet is not None and fleet.inventory is not None:
        from hive.surfaces.inventory_file import read_inventory

        found += [
            problem(f"inventory {each.object}", each.message, f"correct the object in {fleet.inventory}")
            for each in read_inventory(fleet.inventory).problems
        ]
    return found
