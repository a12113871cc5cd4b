"""A daemon as `hive doctor` sees it: by its lock, its socket and its own words in the journal."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hive.app.doctor.daemon import look_at_daemon
from hive.app.places import Places
from hive.decisions.doctor.daemon import DaemonSighting
from hive.facts.events import SupervisorStarted
from hive.shells.sqlite import SqliteJournal, StateLock
from hive.shells.system.clock import SystemClock


@contextmanager
def answering(path: Path, answer: object) -> Iterator[None]:
    """Something that gives one caller `answer`."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            caller, _ = server.accept()
            with caller:
                caller.recv(4096)
                caller.sendall(json.dumps(answer).encode() + b"\n")

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join(10)


def test_where_nothing_runs_there_is_none(tmp_path: Path) -> None:
    seen = look_at_daemon(tmp_path)
    assert (seen.is_there, seen.pid, seen.version) == (False, None, None)


def test_a_daemon_that_holds_the_lock_and_does_not_answer_is_there(tmp_path: Path) -> None:
    with StateLock(tmp_path) as lock:
        seen = look_at_daemon(tmp_path)
        assert lock.is_held()
    assert (seen.is_there, seen.pid) == (True, None)
    assert not look_at_daemon(tmp_path).is_there


def test_a_daemon_that_answers_is_told_by_its_pid_and_the_version_that_it_began_with(tmp_path: Path) -> None:
    places = Places(tmp_path / "s")
    places.make()
    journal = SqliteJournal(places.journal, fold="2")
    started = [
        SupervisorStarted(pid=os.getpid(), version="0.0.1"),
        SupervisorStarted(pid=os.getpid(), version="0.0.9"),
        SupervisorStarted(pid=os.getpid() + 1, version="0.0.2"),
    ]
    journal.append(started, at=SystemClock().now())
    journal.close()
    with answering(places.operator_socket, {"ok": True, "status": {"pid": os.getpid()}}):
        seen = look_at_daemon(places.state)
    assert seen == DaemonSighting(True, os.getpid(), version="0.0.9")
