"""What is asked often answers at once, since it loads only what it needs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.app.places import Places
from hive.facts.events import IssueTriaged
from hive.shells.sqlite import SqliteJournal

HEAVY = {
    *("pydantic", "yaml", "github", "textual", "libtmux", "graphql", "rich", "kubernetes", "asyncio"),
    *("cryptography", "requests", "importlib.metadata", "typing", "datetime", "dataclasses", "shutil"),
}
WORLD = {"pydantic", "github", "textual", "libtmux", "graphql", "rich", "kubernetes", "asyncio", "requests"}
STATUS = {
    "at": "2026-01-01T00:00:00Z",
    "pid": 1,
    "level": 4,
    "level_name": "automated",
    "verdict": "nothing to do",
    "agents": [],
    "work": [],
    "pull_requests": [],
    "holds": [],
    "findings": [],
    "refused": [],
    "ports": [],
}
CONFIGURATION = """\
level: 4
github: {api_url: "http://127.0.0.1:9", token_file: token}
repositories: [acme/tally]
agents:
  - {name: ada, role: quality, backend: scripted}
"""

_RUN = """\
import sys
from hive.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code
print(code, *sys.modules, file=sys.stderr)
"""


def loaded(*arguments: str, folder: Path) -> set[str]:
    """All modules that `hive ARGUMENTS` loads, run in `folder`; it must come to an answer."""
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    code, *modules = ran.stderr.splitlines()[-1].split()
    assert code in ("0", "1"), ran.stderr
    assert ran.stdout
    return set(modules)


@pytest.fixture
def hive(tmp_path: Path) -> Path:
    """A folder with a configuration and no state."""
    (tmp_path / "hive.yaml").write_text(CONFIGURATION)
    token = tmp_path / "token"
    token.write_text("none")
    token.chmod(0o600)
    return tmp_path


@pytest.fixture
def journal(hive: Path) -> None:
    """The journal that an ended daemon left."""
    places = Places(hive / ".hive")
    places.make()
    kept = SqliteJournal(places.journal)
    event = IssueTriaged(repo="acme/tally", number=1, eligible=True, rank=1, lane="quality", because="a bug")
    kept.append([event], at=datetime(2026, 1, 1, tzinfo=UTC))
    kept.publish(json.dumps(STATUS).encode())
    kept.close()


@contextmanager
def daemon(path: Path) -> Iterator[None]:
    """A socket that answers every request with the status."""
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        thread = threading.Thread(target=_answer, args=(listening,))
        thread.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _answer(listening: socket.socket) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with connection, connection.makefile("rwb") as lines:
            lines.readline()
            lines.write(json.dumps({"ok": True, "status": STATUS}).encode() + b"\n")


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    assert loaded("--help", folder=tmp_path) & HEAVY == set()


@pytest.mark.parametrize("command", ["status", "agents", "work"])
def test_what_a_daemon_answers_is_shown_without_the_world(hive: Path, command: str) -> None:
    with daemon(Places(hive / ".hive").operator_socket):
        modules = loaded(command, "--json", folder=hive)
    assert modules & (WORLD | {"sqlite3", "msgspec"}) == set()


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize("command", [("status",), ("explain", "acme/tally#1"), ("logs", "ada")])
def test_what_the_journal_tells_is_shown_without_the_world(hive: Path, command: tuple[str, ...]) -> None:
    assert loaded(*command, folder=hive) & WORLD == set()


def test_a_check_of_the_configuration_needs_no_world(hive: Path) -> None:
    assert loaded("check", folder=hive) & (WORLD - {"pydantic"}) == set()


def test_a_ruling_needs_no_world(tmp_path: Path) -> None:
    arguments = ("acmm", "decide", "--level", "4", "--role", "quality", "--action", "open-pr")
    assert loaded(*arguments, folder=tmp_path) & (WORLD - {"pydantic"}) == set()
