"""The processes of a pod, seen and ended by scripts."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping

from hive.shells.system.processes import Entry, cpu_seconds

RunScript = Callable[..., bytes]
"""`PodTerminal.run_script`."""

_TABLE = "cat /proc/[0-9]*/stat"
# A name may hold anything, line ends too, but is far too short to hold a record.
_RECORD = re.compile(rb"(\d{1,10}) \((.{0,64}?)\) ([A-Za-z]) ((?:-?\d{1,20} ){30,}-?\d{1,20})\n", re.DOTALL)
_GONE = (b"Z", b"X")

_STARTED_IN = r"""
for file in $(grep -lF -- "$1" /proc/[0-9]*/environ); do
    tr '\0' '\n' <"$file" | grep -qxF -- "$1" && echo "${file%/environ}"
done
"""
_SEND = """
signals=$1; shift
for number in $signals; do kill -"$number" "$@"; done
"""


def read_table(output: bytes) -> Iterator[tuple[int, Entry, bytes]]:
    """Pid and entry of each record of /proc/PID/stat but zombies', and what changes when the process
    becomes another program."""
    for match in _RECORD.finditer(output):
        pid, name, state, rest = match.groups()
        fields = rest.split(b" ")
        # fields[0] is the fourth of proc(5): ppid; session 6, utime to cstime 14 to 17, starttime 22,
        # arg_start 48.
        if state not in _GONE:
            program = name + b" " + fields[44] if len(fields) > 44 else b""
            used = cpu_seconds(fields[10:14])
            yield int(pid), Entry(state, int(fields[0]), int(fields[2]), int(fields[18]), used), program


class PodSight:
    """`Sight` of a pod, for ending what runs in a pane of its tmux server."""

    pause = 0.05
    spared = frozenset({1})

    def __init__(self, run_script: RunScript) -> None:
        self._run = run_script

    def table(self) -> Mapping[int, Entry]:
        return {pid: entry for pid, entry, _ in read_table(self._run(_TABLE))}

    def started_in(self, tmux: str, pids: Iterable[int]) -> frozenset[int]:
        found = self._run(_STARTED_IN, f"TMUX={tmux}").split()
        return frozenset(pids) & {int(word.rpartition(b"/")[2]) for word in found if word[-1:].isdigit()}

    def send(self, pids: Iterable[int], *signals: signal.Signals) -> None:
        self._run(_SEND, " ".join(str(int(number)) for number in signals), *map(str, pids))
