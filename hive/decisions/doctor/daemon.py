"""The daemon of a state folder: whether it runs, answers, and is the hive that is installed."""

from __future__ import annotations

from dataclasses import dataclass

from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning


@dataclass(frozen=True, slots=True)
class DaemonSighting:
    """What was seen of a daemon.

    Attributes:
        is_there: Whether a process holds the state folder's lock.
        pid: Its own word; None where it did not answer.
        silence: Why it did not answer.
        version: As it wrote at its start; None where that is not known.
    """

    is_there: bool
    pid: int | None = None
    silence: str = ""
    version: str | None = None


def daemon_finding(seen: DaemonSighting, installed: str) -> Finding:
    name = "daemon"
    if seen.pid is None and not seen.is_there:
        return skipped(name, "none runs here", "start it with 'hive run'")
    if seen.pid is None:
        return problem(name, f"it runs and does not answer: {seen.silence}", "read its log; start it anew")
    if seen.version is not None and seen.version != installed:
        said = f"pid {seen.pid} is hive {seen.version}; hive {installed} is installed"
        return warning(name, said, "start it anew: agents stay")
    return ok(name, f"pid {seen.pid} answers, hive {seen.version or 'of an unknown version'}")
