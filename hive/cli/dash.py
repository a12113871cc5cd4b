"""`hive dash`."""

from __future__ import annotations

from argparse import Namespace

from hive.app.places import Places
from hive.cli.state import places, user
from hive.errors import ConfigError


def dash(options: Namespace) -> int:
    show(places(options.config))
    return 0


def show(here: Places) -> None:
    """The dashboard on the hive at `here`, running or not, until it is quit."""
    from hive.dashboard.app import HiveDashboard
    from hive.shells.operator import SocketOperator
    from hive.shells.sqlite import SqliteJournal
    from hive.shells.system.clock import SystemClock

    if not here.journal.exists():
        raise ConfigError(f"there is no journal at {here.journal}; start hive with 'hive run' first")
    journal = SqliteJournal(here.journal, read_only=True)
    try:
        HiveDashboard(
            SocketOperator(here.operator_socket, timeout=3.0), journal, user=user(), clock=SystemClock()
        ).run()
    finally:
        journal.close()
