"""`hive holds`, `approve`, `deny`, against a daemon that is only a socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hive.cli import main
from tests.cli.socket_daemon import SocketDaemon, serving

HOLD = {
    "id": "H1",
    "state": "waiting",
    "agent": "q",
    "action": "comment",
    "target": "o/r#7",
    "rule": "guardrail.x",
    "because": "it is loud",
    "shown": "one\n\x1b[2Jtwo",
    "content": "c" * 64,
    "at": "2026-11-30T09:00:00Z",
    "until": "2026-12-01T09:00:00Z",
    "by": None,
    "why": None,
}


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketDaemon]:
    with serving(tmp_path, monkeypatch, [HOLD], answer) as server:
        yield server


def answer(rows: list[dict[str, Any]], request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] == "status":
        return {"ok": True, "status": {"holds": rows}}
    if request["hold"] == "H9":
        return {"ok": False, "error": "there is no held action 'H9'; waiting: H1", "exit": 2}
    return {"ok": True}


def test_what_waits_is_shown_whole_and_moves_no_cursor(
    daemon: SocketDaemon, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["holds"]) == 0
    assert capsys.readouterr().out == (
        "H1  q: comment on o/r#7, waiting\n"
        "    held because it is loud (guardrail.x), until 2026-12-01T09:00:00Z\n"
        "    | one\n"
        "    | ?[2Jtwo\n"
    )
    assert main(["holds", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [HOLD]


def test_a_word_is_said_with_who_and_why(daemon: SocketDaemon, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approve", "h1"]) == 0
    assert main(["deny", "H1", "--why", "rude"]) == 0
    assert daemon.asked == [
        {"op": "approve", "hold": "h1", "by": "ann", "why": ""},
        {"op": "deny", "hold": "H1", "by": "ann", "why": "rude"},
    ]
    assert capsys.readouterr().out.splitlines() == [
        "H1 is approved: hive does it now, once; a push has to be asked for again",
        "H1 is denied; the agent is told why when it asks again",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["approve", "H9"], "there is no held action 'H9'; waiting: H1"),
        (["deny", "H1", "--why", " "], "--why is empty; the agent is told the reason"),
    ],
)
def test_bad_input_is_one_line(
    daemon: SocketDaemon, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"hive: {said}\n"
