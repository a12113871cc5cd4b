"""What this machine allows to keep agents apart, and whether it holds: each is tried, and left as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hive.app.breakouts import NotTried, tried_breakouts
from hive.app.isolation import tried
from hive.decisions.doctor.breakouts import breakout_findings
from hive.decisions.doctor.finding import Finding, problem
from hive.decisions.doctor.isolation import isolation_findings
from hive.facts.isolation import IsolationMode, IsolationOptions


def look_at_isolation(
    options: IsolationOptions, state: Path, local_agents: int, secret_files: Sequence[str] = ()
) -> Iterator[Finding]:
    choice, allowed = tried(options, state)
    yield from isolation_findings(options, choice, allowed, local_agents=local_agents)
    if not local_agents or choice.mode in (None, IsolationMode.NONE):
        return
    try:
        reached = tried_breakouts(options, state, secret_files)
    except (NotTried, OSError) as error:
        said = f"nothing could be tried from an agent's place: {error}"
        yield problem("breakout", said, "see that its program starts there, then ask again")
        return
    yield from breakout_findings(options, choice.mode, reached)
