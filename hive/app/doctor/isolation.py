"""What this machine allows to keep agents apart: each thing is tried once, and left as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from hive.decisions.doctor.finding import Finding
from hive.decisions.doctor.isolation import IsolationFacts, isolation_findings

_TIMEOUT = 5.0
_ROOT = Path("/sys/fs/cgroup")
_NAMESPACES = ("unshare", "--user", "--map-root-user", "true")
_BUBBLEWRAP = ("bwrap", "--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true")


def look_at_isolation(local_agents: int) -> Iterator[Finding]:
    facts = IsolationFacts(
        uid=os.geteuid(),
        namespaces_fault=_fault(_NAMESPACES),
        bubblewrap_fault=_fault(_BUBBLEWRAP),
        has_cgroup2=(_ROOT / "cgroup.controllers").is_file(),
        cgroup=_own_cgroup(),
    )
    yield from isolation_findings(facts, local_agents=local_agents)


def _fault(command: tuple[str, ...]) -> str | None:
    """Why `command` fails; empty where it does not, None where there is no such program."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    if done.returncode == 0:
        return ""
    words = done.stderr.strip().splitlines()
    return words[-1] if words else f"exit code {done.returncode}"


def _own_cgroup() -> str | None:
    """Hive's own control group, where groups can be made in it."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    own = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), None)
    if own is None:
        return None
    folder = _ROOT / own.lstrip("/")
    # Root's access(2) says yes on a mount that is read only; the flag of the mount says no.
    try:
        is_read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK) and not is_read_only else None
