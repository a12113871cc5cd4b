"""The program's own record of its turns: one JSON line each, evidence before any screen."""

from __future__ import annotations

import json
import os
import time

_INSTRUCTIONS = 1500
_ANSWER = 120
"""Tokens, of a size that those of real programs have."""
_BYTES_PER_TOKEN = 4


def timestamp() -> str:
    """Now, in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Transcript:
    """Appends to ``$HOME/.scripted/transcript.jsonl``.

    Each record is one `write` on a descriptor opened with O_APPEND, so that records of two processes
    never mix and a reader never sees a line half-written and later changed.
    """

    def __init__(self, home: str) -> None:
        folder = os.path.join(home, ".scripted")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.path = os.path.join(folder, "transcript.jsonl")
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def session(self, generation: int) -> None:
        self._append(
            {"type": "session", "id": os.urandom(8).hex(), "generation": generation, "pid": os.getpid()}
        )

    def prompt(self, prompt_id: str | None, data: bytes) -> None:
        from hashlib import sha256

        self._append(
            {
                "type": "prompt",
                "prompt_id": prompt_id,
                "sha256": sha256(data).hexdigest(),
                "bytes": len(data),
                "text": data.decode(errors="surrogateescape"),
            }
        )

    def tool(self, argv: list[str], status: int, seconds: float) -> None:
        self._append({"type": "tool", "argv": argv, "exit": status, "seconds": round(seconds, 3)})

    def usage(self, size: int, tools: int) -> None:
        """What a model would have used for a prompt of so many bytes and so many tools."""
        counts = {
            "input": _INSTRUCTIONS + size // _BYTES_PER_TOKEN,
            "output": _ANSWER * (tools + 1),
            "cache_read": _INSTRUCTIONS * tools,
        }
        self._append({"type": "usage", "id": os.urandom(8).hex(), "model": "scripted-1", **counts})

    def end(self, prompt_id: str | None, outcome: str, detail: str) -> None:
        self._append({"type": "end", "prompt_id": prompt_id, "outcome": outcome, "detail": detail})

    def _append(self, record: dict[str, object]) -> None:
        line = json.dumps({**record, "at": timestamp()}).encode() + b"\n"
        os.write(self._descriptor, line)
