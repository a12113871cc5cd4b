"""`hive incidents` and closing one, against a daemon that is only a socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive.cli import main
from tests.cli.socket_daemon import SocketDaemon, serving

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


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketDaemon]:
    with serving(tmp_path, monkeypatch, [OPEN, CLOSED], answer) as server:
        yield server


def answer(rows: list[dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] == "status":
        return {"ok": True, "status": {"incidents": rows}}
    if "X9" in request["ids"]:
        return {"ok": False, "error": "there is no incident 'X9'; open: X1", "exit": 2}
    return {"ok": True}


def test_each_says_what_it_stops_and_how_to_go_on(
    daemon: SocketDaemon, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_none_is_said_to_be_none(daemon: SocketDaemon, capsys: pytest.CaptureFixture[str]) -> None:
    daemon.rows = []
    assert main(["incidents"]) == 0
    assert capsys.readouterr().out == "(no incidents)\n"


def test_closing_goes_on_record_with_who_and_why_and_names_the_agent_to_resume(
    daemon: SocketDaemon, capsys: pytest.CaptureFixture[str]
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
    daemon: SocketDaemon, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["incidents", *words]) == 2
    assert capsys.readouterr().err == f"hive: {said}\n"
