"""The agents' programs: whether each is there, which version, and whether it could log in.

Nobody is asked for a conversation: a login is told by the variables and files that a program takes it from.
They are those of the agent's own HOME, which is not the operator's: a login of the operator's own is no help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hive.contracts.backend import BackendTraits, Logins
from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning
from hive.decisions.doctor.machine import UNUSABLE

SILENT = "silent"
"""In place of a version: the program did not end."""

BUILT_IN = "scripted"
"""Its program comes with hive."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program as it was found, and the agents on this machine that run it.

    Attributes:
        name: As it is looked for on PATH.
        path: None where it is not there.
        said: What it says of its version; empty where it was not asked.
        logins: What could log in, by agent: names of variables and files, never what they hold.
        traits: Of the backend; None where nothing is known of it.
    """

    backend: str
    name: str
    path: str | None
    said: str = ""
    logins: Mapping[str, Sequence[str]] = field(default_factory=dict)
    traits: BackendTraits | None = None


def program_findings(program: Program, *, is_configured: bool) -> Iterator[Finding]:
    """Without a configuration a program that is missing is nobody's trouble."""
    name = f"backend {program.backend}"
    traits = program.traits
    if program.path is None:
        said = f"{program.name} is not on PATH"
        is_own = traits is not None and traits.install and program.name in traits.programs
        remedy = traits.install if traits and is_own else f"install {program.name}, and put it on PATH"
        yield problem(name, said, remedy) if is_configured else skipped(name, said, remedy)
        return
    if program.said == SILENT:
        said = f"{program.path} does not say its version in time"
        asked = " ".join(traits.version) if traits and traits.version else f"{program.name} --version"
        yield warning(name, said, f"see what '{asked}' does; the machine may be busy")
    elif program.said.startswith(UNUSABLE):
        yield problem(name, f"{program.path}: {program.said}", "install it anew")
        return
    else:
        yield ok(name, ", ".join(each for each in (program.said, program.path) if each))
    if traits is not None and traits.logins is not None and is_configured:
        yield _login(f"{name}: login", program, traits.logins)


def _login(name: str, program: Program, known: Logins) -> Finding:
    without = [agent for agent, found in program.logins.items() if not found]
    if without:
        agents = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if len(without) > 5 else "")
        variable = known.variables[0]
        return warning(
            name,
            f"none is seen for {agents}: each agent has a HOME of its own",
            f"set {variable} in the agents' `environment` (`{variable}: ${{{variable}}}`)",
        )
    used = sorted({each for found in program.logins.values() for each in found})
    return ok(name, f"by {', '.join(used)}; whether it is accepted shows when an agent starts")
