"""`hive run`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path


def run(options: Namespace) -> int:
    from hive.app.run import run as run_daemon

    return run_daemon(Path(options.config), once=options.once)
