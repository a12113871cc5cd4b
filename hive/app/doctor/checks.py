"""Which checks there are for a configuration, or for a machine that has none yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hive.app.doctor.examination import examine
from hive.app.doctor.machine import machine_checks
from hive.decisions.doctor.finding import Finding, ok, problem, skipped
from hive.errors import HiveError
from hive.kernel.plugins import backends
from hive.settings.loading import load
from hive.settings.settings import Settings

DEFAULT = Path("hive.yaml")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`source` is the configuration, None where there is none; `is_readable` is false for a broken one."""

    findings: tuple[Finding, ...]
    source: str | None
    is_readable: bool


def diagnose(config: Path | None, environ: Mapping[str, str]) -> Diagnosis:
    """Check everything that the configuration at `config` needs; None is `hive.yaml`, where there is one."""
    settings: Settings | None = None
    is_readable = True
    if config is None and not DEFAULT.exists():
        said = [skipped("configuration", f"there is no {DEFAULT} here", "write one with 'hive init'")]
    else:
        try:
            settings = load(config or DEFAULT, environ=environ, backends=backends())
            said = configuration_findings(settings)
        except HiveError as error:
            is_readable = False
            said = [problem("configuration", str(error), "correct it as the message says: hive check")]
    state = settings.state if settings is not None else Path.cwd() / ".hive"
    checks = machine_checks(state)
    found = (*examine(checks[:4]), *said)
    source = None if is_readable and settings is None else str(config or DEFAULT)
    return Diagnosis(tuple(found), source, is_readable)


def configuration_findings(settings: Settings) -> list[Finding]:
    """What `hive check` says of it, as findings."""
    found = [ok("configuration", f"{settings.source}, {len(settings.agents)} agents")]
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
