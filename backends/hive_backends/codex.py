"""The Codex CLI as a backend. Measured on 0.171.0.

Without ``--no-daemon`` it leaves a server behind that outlives its session (measured).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits, Launch, LaunchFile, Process, Seat, Submission
from hive.facts.agents import Conversation, Turn
from hive.facts.screens import Screen
from hive.facts.usage import Usage
from hive_backends.codex_screens import read_codex
from hive_backends.seats import launch, runs


class CodexBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "codex"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("codex",),
            install="npm install -g @openai/codex",
            interrupt=("Escape",),
            submission=Submission(settle=timedelta(milliseconds=700)),
            start_patience=timedelta(seconds=90),
        )

    def launch(self, seat: Seat) -> Launch:
        # The gateway and the sandbox around the agent are the walls; its own would only ask people.
        argv = ["codex", "--no-daemon", "--dangerously-bypass-approvals-and-sandbox"]
        if seat.spec.model:
            argv += ["--model", seat.spec.model]
        config = (
            "check_for_update_on_startup = false\n"
            "[analytics]\nenabled = false\n"
            # A JSON string is a TOML basic string.
            f"[projects.{json.dumps(seat.workdir)}]\n"
            'trust_level = "trusted"\n'
        )
        own = {"CODEX_HOME": f"{seat.home}/.codex"}
        return launch(seat, tuple(argv), own, LaunchFile(".codex/config.toml", config))

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_codex(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "codex", "/codex/bin/codex.js")

    def transcript(self, seat_home: str) -> str | None:
        return None

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return ()

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return None

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        return ()

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return ()


backend = CodexBackend()
