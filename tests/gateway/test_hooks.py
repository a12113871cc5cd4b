"""The program that agents' hooks start, against the gateway: what it tells, asks, and does without hive."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.autonomy import AcmmLevel
from hive.facts.events import RequestRuled
from hive.facts.hooks import HookMoment
from tests.backends.hook import Hook
from tests.gateway.place import AGENT, TOKEN, Place

MERGE = {"tool_name": "Bash", "tool_input": {"command": "gh pr merge 1"}, "session_id": "c1"}


@pytest.fixture
def hook(place: Place) -> Hook:
    return equipped(place, "claude")


def equipped(place: Place, dialect: str) -> Hook:
    made = Hook(place.home, dialect=dialect, socket=place.settings.socket_path)
    (place.home / "token").write_text(TOKEN + "\n")
    return made


def test_what_hooks_tell_wakes_hive_and_stands_in_the_record_in_order(place: Place, hook: Hook) -> None:
    hook.run(HookMoment.SESSION, {"source": "startup", "session_id": "c1", "transcript_path": "/t/c1.jsonl"})
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work", "session_id": "c1"})
    hook.run(HookMoment.END, {"session_id": "c1", "last_assistant_message": "secret"})
    assert place.authority.woken == [AGENT] * 3
    lines = [json.loads(line) for line in hook.lines()]
    assert [(line["event"], line["data"]) for line in lines] == [
        ("session", {"source": "startup", "session_id": "c1", "transcript_path": "/t/c1.jsonl"}),
        ("prompt", {"prompt": "hive task t1/1: work", "session_id": "c1"}),
        ("end", {"session_id": "c1"}),
    ]
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    assert place.authority.events == []


@pytest.mark.parametrize("dialect", ["claude", "copilot", "gemini"])
def test_a_refusal_names_rule_level_and_what_to_do_instead_and_is_on_record(
    place: Place, dialect: str
) -> None:
    place.authority.level = AcmmLevel.L5
    document = dict(MERGE)
    if dialect == "copilot":
        document = {
            "toolName": "bash",
            "toolArgs": json.dumps({"command": "gh pr merge 1"}),
            "sessionId": "c1",
        }
    answer = json.loads(equipped(place, dialect).run(HookMoment.TOOL, document).stdout)
    reason = (
        "hive refuses `gh pr merge 1` before it runs: role quality at L5 (Semi-automated) is holdgated, "
        "which does not grant request-merge (rule acmm.holdgated.request-merge): leave the pull request "
        "open; people or hive's merge gate decide on it"
    )
    says = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    assert (
        answer
        == {
            "claude": {"hookSpecificOutput": {"hookEventName": "PreToolUse", **says}},
            "copilot": says,
            "gemini": {"decision": "deny", "reason": reason},
        }[dialect]
    )
    ruled = place.authority.events_of(RequestRuled)
    assert [(one.action, one.ruling, one.rule, one.route) for one in ruled] == [
        ("request-merge", "deny", "acmm.holdgated.request-merge", "hook")
    ]


def test_a_tool_that_hive_has_nothing_against_goes_on_without_a_word(place: Place, hook: Hook) -> None:
    done = hook.run(HookMoment.TOOL, {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert (done.stdout, done.stderr) == ("", "")
    assert json.loads(hook.lines()[-1])["verdict"] == "allow"
    assert place.authority.events == []


def test_a_permission_that_the_program_would_ask_a_person_for_is_given_or_refused(
    place: Place, hook: Hook
) -> None:
    def asked(command: str) -> object:
        document = {"tool_name": "Bash", "tool_input": {"command": command}}
        answer = json.loads(hook.run(HookMoment.PERMISSION, document).stdout)
        return answer["hookSpecificOutput"]["decision"]["behavior"]

    assert [asked("ls"), asked("gh pr merge 1")] == ["allow", "deny"]


def test_a_large_file_is_no_reason_to_refuse_its_writing(place: Place, hook: Hook) -> None:
    content = {"file_path": "a.txt", "content": "x" * 3_000_000}
    assert hook.run(HookMoment.TOOL, {"tool_name": "Write", "tool_input": content}).stdout == ""
    command = {"command": "true " + "x" * 200_000}
    assert "tool.not-understood" in hook.run(HookMoment.TOOL, {"tool_input": command}).stdout


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b'{"tool_name": {}}'])
def test_a_document_that_is_none_never_makes_the_hook_fail(place: Place, hook: Hook, text: bytes) -> None:
    assert hook.run(HookMoment.END, None, text=text).stdout == ""
    assert json.loads(hook.lines()[-1])["event"] == "end"


@pytest.mark.parametrize("body", ["", "[]", '{"moment": "birthday"}', '{"moment": 7}'])
def test_an_event_that_is_none_is_refused_in_one_line(place: Place, body: str) -> None:
    status, answer = place.api("POST", "/v1/events", body, Host="hive")
    assert status == 422
    assert answer["message"].startswith("hive: the event is not understood: ")


class _Mute:
    """Takes connections and never answers."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._taken: list[socket.socket] = []
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self) -> None:
        while True:
            try:
                self._taken.append(self._socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)
        for one in self._taken:
            one.close()


@pytest.fixture
def mute(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "mute"
    server = _Mute(path)
    yield path
    server.close()


@pytest.mark.parametrize("away", ["gone", "mute"])
def test_without_hive_nothing_reaches_the_forge_and_all_else_goes_on(
    tmp_path: Path, mute: Path, away: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    hook = Hook(home, socket=mute if away == "mute" else None)
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work"})
    merge = json.loads(hook.run(HookMoment.TOOL, MERGE).stdout)["hookSpecificOutput"]
    assert merge["permissionDecision"] == "deny"
    assert "(rule hook.no-answer)" in merge["permissionDecisionReason"]
    assert hook.run(HookMoment.TOOL, {"tool_name": "Bash", "tool_input": {"command": "ls"}}).stdout == ""
    noted = [json.loads(line) for line in hook.lines()]
    assert [(one["event"], one.get("verdict", "")) for one in noted] == [
        ("prompt", ""),
        ("tool", "deny"),
        ("tool", "allow"),
    ]


def test_the_token_never_stands_in_what_the_hook_writes_or_says(tmp_path: Path) -> None:
    hook = Hook(tmp_path)
    done = hook.run(HookMoment.TOOL, MERGE)
    written = [path.read_text() for path in (tmp_path / ".hive").iterdir()]
    assert "secret-token" not in "".join([*written, done.stdout, done.stderr])
