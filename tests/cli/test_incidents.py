"""`hive incidents` and closing one, against a daemon that is only a socket."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hive.app.places import Places
from hive.cli import main

OPEN = {
    "id": "X1",
    "state": "open",
    "kind": "comment",
    "where": "o/r#7",
    "repo": "o/r",
    "evidence": "comment at 2026-11-30 09:00:00 UTC: \x1b[2Jhello",
    "agent": "quality-1",
    "at": "2026-11-30T09:00:00Z",
    "by": None,
    "why": None,
}
CLOSED = {**OPEN, "id": "X2", "state": "closed", "agent": None, "by": "ann", "why": "mine"}


class Daemon(socketserver.UnixStreamServer):
    asked: list[dict[str, Any]]
    rows: list[dict[str, Any]]


class _Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        daemon = cast(Daemon, self.server)
        request = json.loads(self.rfile.readline())
        daemon.asked.append(request)
        answer: dict[str, Any] = {"ok": True}
        if request["op"] == "status":
            answer["status"] = {"incidents": daemon.rows}
        elif "X9" in request["ids"]:
            answer = {"ok": False, "error": "there is no incident 'X9'; open: X1", "exit": 2}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUDO_USER", "ann")
    (tmp_path / "hive.yaml").write_text("level: 4\n")
    places = Places(tmp_path / ".hive")
    places.make()
    with Daemon(str(places.operator_socket), _Answer) as server:
        server.asked, server.rows = [], [OPEN, CLOSED]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_each_says_what_it_stops_and_how_to_go_on(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["incidents"]) == 0
    assert capsys.readouterr().out == (
        "X1  comment at o/r#7, open\n"
        "    comment at 2026-11-30 09:00:00 UTC: ?[2Jhello\n"
        "    quality-1 is stopped, its token is void; nothing is merged in o/r meanwhile\n"
        "    look into it, renew hive's credential, then: hive incidents close X1 --why ...\n"
        "X2  comment at o/r#7, closed by ann: mine\n"
        "    comment at 2026-11-30 09:00:00 UTC: ?[2Jhello\n"
    )
    assert main(["incidents", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [OPEN, CLOSED]


def test_none_is_said_to_be_none(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> None:
    daemon.rows = []
    assert main(["incidents"]) == 0
    assert capsys.readouterr().out == "(no incidents)\n"


def test_closing_goes_on_record_with_who_and_why_and_names_the_agent_to_resume(
    daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["incidents", "close", "X1", "--why", "the token is renewed"]) == 0
    assert daemon.asked[-1] == {
        "op": "close-incidents",
        "ids": ["X1"],
        "by": "ann",
        "why": "the token is renewed",
    }
    assert capsys.readouterr().out == "X1 is closed; let it go on with: hive resume quality-1\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["close"], "name the incidents to close; see: hive incidents"),
        (["close", "X1"], "--why is missing; say how it was dealt with, it goes on record"),
        (["close", "X1", "--why", " "], "--why is missing; say how it was dealt with, it goes on record"),
        (["close", "X9", "--why", "x"], "there is no incident 'X9'; open: X1"),
    ],
)
def test_bad_input_is_one_line(
    daemon: Daemon, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["incidents", *words]) == 2
    assert capsys.readouterr().err == f"hive: {said}\n"
