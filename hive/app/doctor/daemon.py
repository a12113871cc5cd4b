"""The daemon of this state folder, where one runs; nothing is taken that it, or another, may want to take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hive import __version__
from hive.app.places import Places
from hive.decisions.doctor.daemon import DaemonSighting, daemon_finding
from hive.decisions.doctor.finding import Finding
from hive.errors import HiveError
from hive.facts.events import SupervisorStarted
from hive.shells.operator.client import SocketOperator
from hive.shells.sqlite import SqliteJournal
from hive.shells.sqlite.lock import LOCK_FILE

_LOCKS = Path("/proc/locks")


def daemon_findings(state: Path) -> Iterator[Finding]:
    yield daemon_finding(look_at_daemon(state), __version__)


def look_at_daemon(state: Path) -> DaemonSighting:
    places = Places(state)
    try:
        status = SocketOperator(places.operator_socket).status()
    except HiveError as error:
        return DaemonSighting(_is_locked(state / LOCK_FILE), silence=str(error))
    pid = int(status["pid"])
    return DaemonSighting(True, pid, version=_version(places.journal, pid))


def _is_locked(file: Path) -> bool:
    """From the kernel's table: to try the lock would keep a daemon from starting at that moment."""
    try:
        number, lines = file.stat().st_ino, _LOCKS.read_text().splitlines()
    except OSError:
        return False
    words = [line.split() for line in lines]
    return any(each[1] == "FLOCK" and each[5].rpartition(":")[2] == str(number) for each in words)


def _version(journal: Path, pid: int) -> str | None:
    """What the daemon of that pid wrote into the journal when it started."""
    if not journal.exists():
        return None
    reader = SqliteJournal(journal, read_only=True)
    try:
        events = [each.event for each in reader.about("")]
    finally:
        reader.close()
    starts = [each for each in events if isinstance(each, SupervisorStarted) and each.pid == pid]
    return starts[-1].version if starts else None
