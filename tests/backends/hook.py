"""Hive's hook as an agent's program starts it: its files in a home, its answer on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from hive.contracts.backend import Seat
from hive.facts.agents import AgentSpec
from hive.facts.hooks import HookMoment
from hive_backends.hooks import hook_command, hook_files


class Hook:
    def __init__(self, home: Path, *, dialect: str = "claude", socket: Path | None = None) -> None:
        self.home = home
        self._dialect = dialect
        around = {
            "HIVE_PYTHON": sys.executable,
            "HIVE_TOKEN_FILE": str(home / "token"),
            "HIVE_GATEWAY_SOCKET": str(socket or home / "nobody"),
        }
        spec = AgentSpec("a", "scanner", dialect)
        self._seat = Seat(spec, str(home), str(home / "work"), around, 1)
        (home / "token").write_text("secret-token\n")
        for file in hook_files(self._seat):
            path = home / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content)

    def run(
        self, moment: HookMoment, document: object, *, text: bytes | None = None
    ) -> subprocess.CompletedProcess[str]:
        """What a program does at a moment: its hook's command line through a shell, with a document."""
        return subprocess.run(
            ("sh", "-c", hook_command(self._seat, self._dialect, moment)),
            input=(text if text is not None else json.dumps(document).encode()).decode("utf-8", "replace"),
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )

    def seconds(self, moment: HookMoment) -> float:
        began = time.monotonic()
        self.run(moment, {})
        return time.monotonic() - began

    def lines(self) -> list[str]:
        return (self.home / ".hive" / "turns.jsonl").read_text().splitlines()
