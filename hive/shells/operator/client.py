"""Asks a running supervisor over its Unix socket. Standard library only: `hive status` is quick."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hive.errors import ConfigError, Refused, Unreachable

_PORT = "daemon"


class SocketOperator:
    """Implements `ports.operator.Operator`. Each call has a connection of its own: any thread may call."""

    def __init__(self, path: Path, *, timeout: float = 5.0) -> None:
        self._path = path
        self._timeout = timeout

    def status(self) -> Mapping[str, Any]:
        found = self._ask({"op": "status"})["status"]
        assert isinstance(found, dict)
        return found

    def screen(self, agent: str) -> str:
        return str(self._ask({"op": "screen", "agent": agent})["text"])

    def pause(self, agent: str, *, by: str, why: str) -> None:
        self._ask({"op": "pause", "agent": agent, "by": by, "why": why})

    def resume(self, agent: str, *, by: str, why: str) -> None:
        self._ask({"op": "resume", "agent": agent, "by": by, "why": why})

    def restart(self, agent: str, *, by: str, why: str) -> None:
        self._ask({"op": "restart", "agent": agent, "by": by, "why": why})

    def send(self, agent: str, text: str, *, by: str) -> None:
        self._ask({"op": "send", "agent": agent, "text": text, "by": by})

    def answer(self, agent: str, option: str, *, by: str) -> str:
        return str(self._ask({"op": "answer", "agent": agent, "option": option, "by": by})["option"])

    def attached(self, agent: str, *, by: str) -> None:
        self._ask({"op": "attach", "agent": agent, "by": by})

    def set_level(self, level: int | None, *, scope: str, name: str, by: str, why: str) -> None:
        self._ask({"op": "level", "level": level, "scope": scope, "name": name, "by": by, "why": why})

    def hold_merging(self, repo: str, *, hold: bool, by: str, why: str) -> None:
        self._ask({"op": "merging", "repo": repo, "hold": hold, "by": by, "why": why})

    def close_incidents(self, ids: Sequence[str], *, by: str, why: str) -> None:
        self._ask({"op": "close-incidents", "ids": list(ids), "by": by, "why": why})

    def decide(self, hold: str, *, approve: bool, by: str, why: str) -> None:
        self._ask({"op": "approve" if approve else "deny", "hold": hold, "by": by, "why": why})

    def decide_finding(self, finding: str, *, accept: bool, by: str, why: str) -> None:
        self._ask({"op": "finding", "id": finding, "accept": accept, "by": by, "why": why})

    def release_tree(self, task: str, *, by: str, why: str) -> None:
        self._ask({"op": "release-tree", "task": task, "by": by, "why": why})

    def prompt(self, subject: str) -> Mapping[str, Any]:
        found = self._ask({"op": "prompt", "id": subject})
        return {key: found[key] for key in ("agent", "text", "remark")}

    def take_up(self, pull: str, *, by: str, why: str) -> None:
        self._ask({"op": "take-up", "id": pull, "by": by, "why": why})

    def look(self) -> None:
        self._ask({"op": "look"})

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            answer = self._exchange(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise Unreachable(
                _PORT,
                f"no hive runs on {self._path.parent} ({error.strerror or error}); start it with 'hive run'",
            ) from error
        if not answer.get("ok"):
            message = str(answer.get("error", "no reason was given"))
            if answer.get("exit") == ConfigError.exit_code:
                raise ConfigError(message)
            raise Refused(_PORT, message)
        return answer

    def _exchange(self, request: bytes) -> Mapping[str, Any]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(self._timeout)
            connection.connect(str(self._path))
            connection.sendall(request)
            with connection.makefile("rb") as lines:
                line = lines.readline()
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise Unreachable(_PORT, "it ended before it answered") from error
        assert isinstance(answer, dict)
        return answer
