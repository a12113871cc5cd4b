"""How agents are kept apart on this machine: what it allows, and what hive makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.counting import counted
from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning
from hive.decisions.isolation import Allowed, Choice
from hive.facts.isolation import IsolationMode, IsolationOptions, Network

_WORDS = {
    IsolationMode.UID: "each agent on this machine is a user of its own, in namespaces of its own",
    IsolationMode.USERNS: "each agent on this machine is in namespaces of its own, as hive's user",
}
_REMEDY = "give hive a user of its own that owns nothing else, or run agents in pods (`sandbox`)"


def isolation_findings(
    options: IsolationOptions, choice: Choice, allowed: Allowed, *, local_agents: int
) -> Iterator[Finding]:
    """`allowed` is told as facts: what of it is needed is in `choice`."""
    yield _taken(options, choice, local_agents)
    yield _allowed("isolation: own users", allowed.uid)
    yield _allowed("isolation: user namespaces", allowed.userns)
    yield _allowed("isolation: control groups", allowed.control_groups)


def _taken(options: IsolationOptions, choice: Choice, local_agents: int) -> Finding:
    name = "isolation"
    if not local_agents:
        return ok(name, "no agent runs on this machine itself")
    if choice.mode is None:
        return problem(name, f"agents on this machine are not started: {choice.because}", choice.remedy)
    if choice.mode is IsolationMode.NONE:
        missing = f" ({choice.because})" if choice.because else ""
        run = "runs" if local_agents == 1 else "run"
        agents = counted(local_agents, "agent")
        said = f"{agents} on this machine {run} as hive's own user: what it reads, they can{missing}"
        return warning(name, said, choice.remedy or _REMEDY)
    if choice.because:
        return warning(name, f"{_WORDS[choice.mode]}, but {choice.because}", choice.remedy)
    if options.network is Network.HOST:
        said = f"{_WORDS[choice.mode]}, but on the machine's own network"
        return warning(name, said, "set isolation.network: gateway, and name what else they need under allow")
    return ok(name, f"{_WORDS[choice.mode]}; hive's gateway is the only way out")


def _allowed(name: str, fault: str) -> Finding:
    return skipped(name, f"not here: {fault}") if fault else ok(name, "work here")
