"""The Gemini CLI as a backend. Measured on 0.45.2 and 0.61.0.

Without ``GEMINI_CLI_NO_RELAUNCH`` a launcher stays that ignores signals and outlives its session (measured).
"""

from __future__ import annotations

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
from hive_backends.gemini_screens import read_gemini
from hive_backends.hooks import PATIENCE_S, hook_commands, hook_files
from hive_backends.seats import as_json, in_workdir, key_in, launch, runs
from hive_backends.token_logs import gemini_usage, usage_of
from hive_backends.turn_log import path_of, read_conversation, read_turns

_POLICY = """[[rule]]
toolName = "run_shell_command"
commandRegex = ".*gh +(auth|pr +merge).*"
decision = "deny"
priority = 900
"""
"""A courtesy that saves a turn; a regular expression holds where a prefix does not (measured)."""
_SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "ui": {"hideTips": True, "hideBanner": True},
}

_DIALOGS = (
    DialogRule(
        "trust", r"[Dd]o you trust (?:the (?:files|contents) (?:in|of) )?this", r"Trust folder(?: \(.*\))?"
    ),
    DialogRule(
        "permission",
        r"Allow execution of|Apply this change\?|Do you want to proceed\?",
        r"Allow once",
        r"No, suggest changes.*",
    ),
)


_KEY = "GEMINI_API_KEY"


_LOGIN = LoginFile(
    path=".gemini/oauth_creds.json",
    needs=("access_token", "refresh_token"),
    account=("id_token#sub",),
    freshness=("expiry_date",),
)


class GeminiBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "gemini"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("gemini",),
            dialogs=_DIALOGS,
            install="npm install -g @google/gemini-cli",
            version=("gemini", "--version"),
            logins=Logins(
                (
                    "GEMINI_API_KEY",
                    "GOOGLE_API_KEY",
                    "GOOGLE_GENAI_USE_VERTEXAI",
                ),
                (".gemini/oauth_creds.json",),
            ),
            resumes=True,
            interrupt=("Escape",),
            hooks=True,
            # Measured: an Enter within 0.1 s of a paste is lost.
            submission=Submission(settle=timedelta(milliseconds=800)),
            start_patience=timedelta(seconds=90),
            model_keys={Dialect.GEMINI: _KEY},
            login=_LOGIN,
        )

    def launch(self, seat: Seat) -> Launch:
        own = {
            "GEMINI_CLI_HOME": seat.home,
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
            **_model(seat),
        }
        argv = ["gemini", "--yolo", "--policy", f"{seat.home}/.gemini/hive.toml"]
        if seat.spec.model:
            argv += ["--model", seat.spec.model]
        if seat.resume:
            argv += ["--resume", seat.resume]
        return launch(
            seat,
            tuple(argv),
            own,
            as_json(".gemini/settings.json", {**_settings(seat), "hooks": _hooks(seat)}),
            LaunchFile(".gemini/hive.toml", _POLICY),
            as_json(".gemini/trustedFolders.json", {seat.workdir: "TRUST_FOLDER"}),
            *in_workdir(seat, {".gemini/settings.json": {"hooksConfig": {"enabled": True}}}),
            *hook_files(seat),
        )

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_gemini(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "gemini", "/gemini-cli/bundle/gemini.js", "/gemini-cli/dist/index.js")

    def transcript(self, seat_home: str) -> str | None:
        return path_of(seat_home)

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return read_turns(lines)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return read_conversation(lines)

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        home = seat_home.rstrip("/")
        return (f"{home}/.gemini/tmp/*/chats/*.jsonl", f"{home}/.gemini/tmp/*/chats/*/*.jsonl")

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return usage_of(lines, gemini_usage)


_MOMENTS = {
    "SessionStart": HookMoment.SESSION,
    "BeforeAgent": HookMoment.PROMPT,
    "BeforeTool": HookMoment.TOOL,
    "Notification": HookMoment.NOTICE,
    "PreCompress": HookMoment.COMPACT,
    "AfterAgent": HookMoment.END,
    "SessionEnd": HookMoment.CLOSE,
}


def _settings(seat: Seat) -> dict[str, object]:
    """With a person's login the program is told so: it would ask for a key else."""
    if not seat.has_login:
        return _SETTINGS
    return {**_SETTINGS, "security": {"auth": {"selectedType": "oauth-personal"}}}


def _model(seat: Seat) -> dict[str, str]:
    """Hive's relay as the provider."""
    if seat.model is None:
        return {}
    return {"GOOGLE_GEMINI_BASE_URL": seat.model.url, **key_in(seat.model, _KEY)}


def _hooks(seat: Seat) -> dict[str, object]:
    commands = hook_commands(seat, "gemini", _MOMENTS)
    return {
        moment: [
            {
                "hooks": [
                    {
                        "name": f"hive-{_MOMENTS[moment]}",
                        "type": "command",
                        "command": command,
                        "timeout": PATIENCE_S * 1000,
                    }
                ]
            }
        ]
        for moment, command in commands.items()
    }


backend = GeminiBackend()
