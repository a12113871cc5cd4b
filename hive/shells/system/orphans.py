"""What is left of agents that have no session any more, told by what they were started with.

Where there are control groups those end it; this is for machines without them. A process is an agent's when
its environment has the agent's HOME, below this hive's state folder, and the generation of its start: no
other program is started with both. Whatever cleaned its environment is not found.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from hive.shells.system.processes import environment_of, process_table

_PATIENCE_S, _PAUSE_S = 3.0, 0.02


def end_orphans(homes: Path, alive: Collection[str]) -> tuple[str, ...]:
    """End processes of agents that have their HOME in the folder `homes` and are not `alive`; returns the
    agents. What is still there seconds after it was killed is left."""
    ended: set[str] = set()
    until = time.monotonic() + _PATIENCE_S
    while found := dict(_orphans(homes, alive)):
        ended.update(found.values())
        if time.monotonic() > until:
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE_S)
    return tuple(sorted(ended))


def _orphans(homes: Path, alive: Collection[str]) -> Iterator[tuple[int, str]]:
    """Pid and agent of each."""
    prefix = b"HOME=" + os.fsencode(homes) + b"/"
    for pid in process_table():
        entries = environment_of(pid)
        if pid == os.getpid() or not any(entry.startswith(b"HIVE_GENERATION=") for entry in entries):
            continue
        for entry in entries:
            agent = os.fsdecode(entry.removeprefix(prefix))
            if entry.startswith(prefix) and "/" not in agent and agent not in alive:
                yield pid, agent
