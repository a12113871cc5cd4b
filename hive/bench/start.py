"""How soon the command line answers, in processor time of the whole process: other load does not count.

All commands run in turns with bare Python, so that each ratio is of figures of the same minutes; medians
count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from hive.bench import BenchResult, at_most, below_or_near, faster

HEAVY = (
    "pydantic",
    "yaml",
    "github",
    "textual.app",
    "libtmux",
    "graphql",
    "rich.console",
    "cryptography.x509",
)
"""What hive uses and a careless command line would import, each time."""
MOST = 300.0
"""Milliseconds in which an operator wants an answer."""
BARE = 15.0
"""Milliseconds of bare Python on the machine that the targets were set on."""
_FILE = """\
level: 4
github: {api_url: "http://127.0.0.1:9", token: none}
repositories: [acme/tally]
agents:
"""
_AGENT = "  - {name: agent-%d, role: quality, backend: scripted}\n"


def run(*, runs: int = 10, agents: int = 12) -> BenchResult:
    """Start each command `runs` times, on a configuration of `agents` with a journal and no daemon."""
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as name:
        folder = Path(name)
        _prepare(folder, agents)
        figures = medians(_commands(), runs, folder)
    bare = figures.pop("bare Python")
    eager = figures.pop("everything eager")
    helping = figures["hive --help"]
    rows = [
        at_most("hive --help", helping, "ms", "bare Python", bare, times=3),
        faster("hive --help, against eager", helping, "ms", "everything eager", eager, times=10),
    ]
    rows += [
        below_or_near(name, value, "ms", MOST, "bare Python", bare, times=MOST / BARE)
        for name, value in figures.items()
        if name != "hive --help"
    ]
    return BenchResult("start", tuple(rows), f"processor time, median of {runs}, {agents} agents")


def _commands() -> Mapping[str, Sequence[str]]:
    hive = (sys.executable, "-c", "from hive.cli.main import entry; entry()")
    present = [name for name in (*HEAVY, "kubernetes.client") if find_spec(name.partition(".")[0])]
    eager = f"import {', '.join(present)}; from hive.cli.main import main; main(['--help'])"
    return {
        "bare Python": (sys.executable, "-c", "pass"),
        "everything eager": (sys.executable, "-c", eager),
        "hive --help": (*hive, "--help"),
        "hive status": (*hive, "status", "--json"),
        "hive explain": (*hive, "explain", "acme/tally#1"),
        "hive check": (*hive, "check"),
    }


def medians(commands: Mapping[str, Sequence[str]], runs: int, folder: Path) -> dict[str, float]:
    """Milliseconds of processor time for each command, run in `folder` in turns."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, argv in commands.items():
            spent = _spent(argv, folder)
            if turn:  # the first compiles
                taken[name].append(spent)
    return {name: statistics.median(figures) for name, figures in taken.items()}


def _spent(argv: Sequence[str], folder: Path) -> float:
    # Compiled once, as an installed hive is, wherever the modules may not be written to.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": os.fspath(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)} ended with exit code {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def _prepare(folder: Path, agents: int) -> None:
    """A configuration, and the journal of a hive that ran with it."""
    from datetime import UTC, datetime

    from hive.app.places import Places
    from hive.facts.events import IssueTriaged
    from hive.shells.sqlite import SqliteJournal
    from hive.shells.system.files import write_private

    text = _FILE + "".join(_AGENT % number for number in range(agents))
    write_private(folder / "hive.yaml", text.encode())
    places = Places(folder / ".hive")
    places.make()
    journal = SqliteJournal(places.journal)
    event = IssueTriaged(repo="acme/tally", number=1, eligible=True, rank=1, lane="quality", because="a bug")
    journal.append([event], at=datetime(2026, 1, 1, tzinfo=UTC))
    journal.publish(b'{"agents": [], "work": [], "pull_requests": []}')
    journal.close()
