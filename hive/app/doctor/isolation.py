"""What this machine allows to keep agents apart: each thing is tried once, and left as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hive.app.isolation import tried
from hive.decisions.doctor.finding import Finding
from hive.decisions.doctor.isolation import isolation_findings
from hive.facts.isolation import IsolationOptions


def look_at_isolation(options: IsolationOptions, state: Path, local_agents: int) -> Iterator[Finding]:
    choice, allowed = tried(options, state)
    yield from isolation_findings(options, choice, allowed, local_agents=local_agents)
