"""The Codex CLI as a backend. Measured on 0.171.0.

Without ``--no-daemon`` it leaves a server behind that outlives its session (measured).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import (
    BackendTraits,
    DialogRule,
    Launch,
    LaunchFile,
    LoginFile,
    Logins,
    Process,
    Seat,
    Submission,
)
from hive.facts.agents import Conversation, Turn
from hive.facts.hooks import HookMoment
from hive.facts.models import Dialect
from hive.facts.screens import Screen
from hive.facts.usage import Usage
from hive_backends.codex_screens import read_codex
from hive_backends.hooks import PATIENCE_S, hook_commands, hook_files
from hive_backends.seats import as_json, key_in, launch, runs
from hive_backends.token_logs import codex_usage, usage_of
from hive_backends.turn_log import path_of, read_conversation, read_turns

_KEY = "HIVE_MODEL_KEY"

_DIALOGS = (
    DialogRule(
        "permission",
        r"Would you like to (?:run the following command|make the following edits)",
        r"Yes, proceed.*",
        r"No, and tell Codex.*",
    ),
)


_LOGIN = LoginFile(
    path=".codex/auth.json",
    needs=("tokens.access_token", "tokens.refresh_token"),
    account=("tokens.account_id",),
    freshness=("last_refresh",),
)


class CodexBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "codex"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("codex",),
            dialogs=_DIALOGS,
            install="npm install -g @openai/codex",
            version=("codex", "--version"),
            logins=Logins(
                (
                    "OPENAI_API_KEY",
                    "CODEX_API_KEY",
                ),
                (".codex/auth.json",),
            ),
            resumes=True,
            interrupt=("Escape",),
            hooks=True,
            submission=Submission(settle=timedelta(milliseconds=700)),
            start_patience=timedelta(seconds=90),
            model_keys={Dialect.OPENAI: _KEY},
            login=_LOGIN,
        )

    def launch(self, seat: Seat) -> Launch:
        # The gateway and the sandbox around the agent are the walls; its own would only ask people.
        argv = ["codex", "--no-daemon", "--dangerously-bypass-approvals-and-sandbox"]
        # Hooks run only once a person has looked at them, and these are hive's own.
        argv += ["--dangerously-bypass-hook-trust"]
        # A folder's own settings could switch them off else: the command line goes before those.
        argv += ["--enable", "hooks"]
        if seat.spec.model:
            argv += ["--model", seat.spec.model]
        if seat.resume:
            argv += ["resume", seat.resume]
        config = (
            f"{_chosen(seat)}check_for_update_on_startup = false\n"
            "[analytics]\nenabled = false\n"
            # A JSON string is a TOML basic string.
            f"[projects.{json.dumps(seat.workdir)}]\n"
            'trust_level = "trusted"\n'
            f"{_provider(seat)}"
        )
        own = {"CODEX_HOME": f"{seat.home}/.codex"}
        if seat.model is not None:
            own |= key_in(seat.model, _KEY)
        return launch(
            seat,
            tuple(argv),
            own,
            LaunchFile(".codex/config.toml", config),
            as_json(".codex/hooks.json", {"hooks": _hooks(seat)}),
            *hook_files(seat),
        )

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_codex(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "codex", "/codex/bin/codex.js")

    def transcript(self, seat_home: str) -> str | None:
        return path_of(seat_home)

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return read_turns(lines)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return read_conversation(lines)

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        return (f"{seat_home.rstrip('/')}/.codex/sessions/*/*/*/rollout-*.jsonl",)

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return usage_of(lines, codex_usage)


_MOMENTS = {
    "SessionStart": HookMoment.SESSION,
    "UserPromptSubmit": HookMoment.PROMPT,
    "PreToolUse": HookMoment.TOOL,
    "PermissionRequest": HookMoment.PERMISSION,
    "PreCompact": HookMoment.COMPACT,
    "SubagentStop": HookMoment.SUBAGENT_END,
    "Stop": HookMoment.END,
}


def _hooks(seat: Seat) -> dict[str, object]:
    return {
        moment: [{"hooks": [{"type": "command", "command": command, "timeout": PATIENCE_S}]}]
        for moment, command in hook_commands(seat, "codex", _MOMENTS).items()
    }


def _chosen(seat: Seat) -> str:
    return 'model_provider = "hive"\n' if seat.model is not None else ""


def _provider(seat: Seat) -> str:
    """Hive's relay as the provider; the key is in the environment alone."""
    if seat.model is None:
        return ""
    url = json.dumps(seat.model.url)
    return (
        f'[model_providers.hive]\nname = "hive"\nbase_url = {url}\n'
        f'wire_api = "responses"\nenv_key = "{_KEY}"\n'
    )


backend = CodexBackend()
