"""Waits for the end of the process that started it, and then ends that process's run.

`python -m tests.cluster.guardian FOLDER`: standard input is a pipe whose other end only the owner holds, so
it ends when the owner does, by `end()`, by a crash or by SIGKILL alike.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tests.cluster.run import end_when_dead


def main(folder: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it outlives its owner, or it is of no use
    sys.stdin.buffer.read()
    end_when_dead(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
