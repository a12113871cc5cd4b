"""What a poll of many repositories costs hive itself: from what was looked at to what is to be done.

Each size in a process of its own, whose memory is nobody else's. Times are the processor's: what else a
machine does is not hive's. The larger size may take as many times longer as it is larger.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from hive.bench import BenchResult, BenchRow, at_most, below, github_read
from hive.errors import Unreachable

_READ = 4
"""Repositories whose answers are read at most: the stand-in takes its time over each."""
_PATIENCE = 900
"""Seconds for one size."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What `hive.bench.github_poll` measured for one size.

    Attributes:
        first: Processor seconds for the first look at everything, with a record of each item.
        poll: Processor seconds from new looks at all repositories, in which one item of a hundred has
            changed, to the plan, all records included.
        idle: Processor seconds for a tick without any new look.
        memory: MiB at the most.
    """

    first: float
    poll: float
    idle: float
    memory: float


def run(repos: int = 100, items: int = 500, times: int = 10) -> BenchResult:
    """`repos` repositories with `items` open items each, and `times` as many repositories."""
    usual, large = measure(repos, items), measure(repos * times, items)
    reading = github_read.measure(min(repos, _READ), items)
    rows = (
        below("new looks to plan", usual.poll, "s", 2.0),
        below("memory at the most", usual.memory, "MiB", 500),
        BenchRow("first look to plan", usual.first, "s"),
        BenchRow("tick without a new look", usual.idle * 1000, "ms"),
        BenchRow(f"answers of {reading.repos} repositories read, all new", reading.cold, "s"),
        BenchRow(f"answers of {reading.repos} repositories read, no news", reading.warm, "s"),
        at_most(
            f"new looks to plan, {times}×", large.poll, "s", f"{times} × 1×", usual.poll * times, times=1.3
        ),
        BenchRow(f"memory at the most, {times}×", large.memory, "MiB"),
        BenchRow(f"first look to plan, {times}×", large.first, "s"),
    )
    return BenchResult("github", rows, f"{repos} repositories, {items} open items each")


def measure(repos: int, items: int) -> Figures:
    """In a new process. Raises `Unreachable` where that fails."""
    command = [sys.executable, "-m", "hive.bench.github_poll", str(repos), str(items)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode:
        raise Unreachable("bench", f"github_poll ended with {done.returncode}: {done.stderr[-500:]}")
    return Figures(**json.loads(done.stdout))
