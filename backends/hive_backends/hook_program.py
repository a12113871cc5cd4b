"""The program that agents' hooks start: it notes the moment in a file and tells hive, who may say no.

It is copied into the agent's home and runs there on its own, in any Python from 3.8 on, without this package
and without a shell: ``python3 -I -S hook.py DIALECT MOMENT GENERATION``, with the hook's JSON document on
stdin. Its line in the file comes first, so that nothing is lost, doubled or out of order while hive is away.
Before a tool is used hive is asked; without an answer in time, what may reach the forge is refused.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import time

ANSWER_S = 4.0
"""How long hive may take to rule on a tool; programs that start hooks let what is slower through."""
WAKE_S = 0.5
_MOST_BYTES = 64_000_000
_LONGEST_COMMAND = 100_000
_SHORT = 300
_ASKS = ("tool", "permission")
# Wider than what hive's own reading of commands finds: it is all there is when hive does not answer.
_REACHES_OUT = re.compile(
    r"\b(gh|hub|glab|tmux|eval|HTTPS?_PROXY|ALL_PROXY|https?_proxy)\b|\bgit\b[^\n]*\b(push|remote|config|send-pack)\b"
    r"|github|\.hive\b|\.config/(hive|gh)\b|disableAllHooks|hooksConfig"
)


def main() -> int:
    """Returns the exit status for the program that started the hook: 2 refuses in all dialects."""
    dialect, moment, generation = [*sys.argv[1:], "", "", ""][:3]
    noted = {"generation": generation}
    folder = os.path.dirname(os.path.abspath(__file__))
    document = _document(sys.stdin.buffer.read(_MOST_BYTES + 1))
    way = _way(folder)
    told = {**_told(dialect, moment, document), "home": os.path.dirname(folder)}
    if moment not in _ASKS:
        _note(folder, moment, document, noted)
        _ask(way, told, WAKE_S)
        return 0
    answer = _ask(way, told, ANSWER_S)
    if answer is None:
        answer = _without_hive(document)
    _note(folder, moment, document, {**noted, "verdict": answer["decision"]})
    return _say(dialect, moment, answer)


def _document(text: bytes) -> dict[str, object]:
    try:
        document = json.loads(text)
    except ValueError:
        return {"unread": True}
    return document if isinstance(document, dict) else {"unread": True}


def _first(document: dict[str, object], *names: str) -> object:
    return next((document[name] for name in names if document.get(name) not in (None, "")), "")


def _told(dialect: str, moment: str, document: dict[str, object]) -> dict[str, object]:
    """What hive is told, in one spelling for all dialects."""
    given = _first(document, "tool_input", "toolArgs", "toolInput")
    if isinstance(given, str) and given:  # Copilot hands the arguments over as text
        try:
            given = json.loads(given)
        except ValueError:
            given = {"command": given}
    taken = given if isinstance(given, dict) else {}
    clipped = {str(name): value[:_LONGEST_COMMAND] for name, value in taken.items() if isinstance(value, str)}
    cut = any(len(str(taken.get(name, ""))) > _LONGEST_COMMAND for name in ("command", "cmd", "script"))
    return {
        "moment": moment,
        "backend": dialect,
        "conversation": str(_first(document, "session_id", "sessionId"))[:_SHORT],
        "tool": str(_first(document, "tool_name", "toolName"))[:_SHORT],
        "input": clipped,
        "folder": str(_first(document, "cwd"))[:4096],
        "unread": bool(document.get("unread")) or cut,
    }


def _note(folder: str, moment: str, document: dict[str, object], more: dict[str, str]) -> None:
    """One line, in one write: several hooks may run at once."""
    kept = {
        name: str(value)[:_SHORT]
        for name, value in document.items()
        if name
        in (
            *("session_id", "sessionId", "transcript_path", "transcriptPath", "prompt", "initialPrompt"),
            *("error", "reason", "source", "message", "title", "notification_type", "tool_name", "toolName"),
        )
        and isinstance(value, (str, int, float))
    }
    error = document.get("error")
    if isinstance(error, dict):
        kept["error"] = str(error.get("name") or error.get("message"))[:_SHORT]
    question = _question(document) if moment == "end" else ""
    if question:
        kept["question"] = question
    at = round(time.clock_gettime(time.CLOCK_REALTIME), 3)
    line = json.dumps({"event": moment, "at": at, **more, "data": kept}) + "\n"
    try:
        file = os.open(os.path.join(folder, "turns.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
    except OSError as failure:
        sys.stderr.write(f"hive's hook cannot write its record: {failure}\n")


def _question(document: dict[str, object]) -> str:
    """The last line that the agent said, where it asks something; nothing else of its words is kept."""
    said = _first(document, "last_assistant_message", "prompt_response")
    last = str(said if isinstance(said, str) else "").rstrip().rpartition("\n")[2].strip()
    asks = last.rstrip("*_`\"')]\u00bb\u201d\u2019 ").endswith(("?", "\uff1f", "\u061f", "\u037e"))
    return last[-_SHORT:] if asks else ""


def _way(folder: str) -> dict[str, str] | None:
    """How hive is reached, as it was written beside this program."""
    try:
        with open(os.path.join(folder, "hook.json"), encoding="utf-8") as file:
            way: dict[str, str] = json.load(file)
        with open(way["token_file"], encoding="ascii") as file:
            way["token"] = file.read().strip()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return way


def _ask(way: dict[str, str] | None, told: dict[str, object], seconds: float) -> dict[str, str] | None:
    """Hive's answer; None where there is none in time."""
    if way is None:
        return None
    until = time.monotonic() + seconds
    body = json.dumps(told).encode()
    head = (
        f"POST /v1/events HTTP/1.1\r\nHost: hive\r\nAuthorization: Bearer {way['token']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        connection = _connect(way, seconds)
        try:
            connection.sendall(head.encode("ascii") + body)
            return _read(connection, until)
        finally:
            connection.close()
    except (OSError, ValueError, KeyError):
        return None


def _connect(way: dict[str, str], seconds: float) -> socket.socket:
    if way.get("socket"):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(seconds)
        connection.connect(way["socket"])
        return connection
    import ssl  # takes longer to load than all else, and only pods need it

    host, _, port = way["url"].partition("://")[2].partition("/")[0].rpartition(":")
    host = host.strip("[]")
    connection = socket.create_connection((host, int(port)), seconds)
    return ssl.create_default_context(cafile=way["ca"]).wrap_socket(connection, server_hostname=host)


def _read(connection: socket.socket, until: float) -> dict[str, str] | None:
    received = b""
    while b"\r\n\r\n" not in received or len(received) < _end(received):
        connection.settimeout(max(0.01, until - time.monotonic()))
        piece = connection.recv(65536)
        if not piece:
            break
        received += piece
    status, body = received.split(b" ", 2)[1], received.partition(b"\r\n\r\n")[2]
    answer: dict[str, str] = json.loads(body or b"{}")
    return answer if status == b"200" and answer.get("decision") in ("allow", "deny") else None


def _end(received: bytes) -> int:
    head = received.partition(b"\r\n\r\n")[0]
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return len(head) + 4 + (int(found.group(1)) if found else 0)


def _without_hive(document: dict[str, object]) -> dict[str, str]:
    """Hive's gateway is the wall, and is away too; this only saves the agent a puzzling failure."""
    if document.get("unread") or _REACHES_OUT.search(json.dumps(document)):
        reason = (
            "hive does not answer, and without it nothing reaches the forge (rule hook.no-answer): "
            "go on with what needs no forge, and try again later"
        )
        return {"decision": "deny", "reason": reason}
    return {"decision": "allow", "reason": ""}


def _say(dialect: str, moment: str, answer: dict[str, str]) -> int:
    reason = answer.get("reason") or "hive refuses it"
    denied = answer["decision"] == "deny"
    ruling = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if dialect in ("claude", "codex") and moment == "permission":
        word = {"behavior": "deny", "message": reason} if denied else {"behavior": "allow"}
        _print({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": word}})
        return 0
    if not denied:
        return 0
    if dialect in ("claude", "codex"):
        _print({"hookSpecificOutput": {"hookEventName": "PreToolUse", **ruling}})
        return 0
    if dialect == "copilot":
        _print({**ruling})
        return 0
    if dialect == "gemini":
        _print({"decision": "deny", "reason": reason})
        return 0
    sys.stderr.write(reason + "\n")
    return 2


def _print(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")


if __name__ == "__main__":
    sys.exit(main())
