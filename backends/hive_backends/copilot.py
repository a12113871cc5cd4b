"""The GitHub Copilot CLI as a backend. Measured on 1.0.75 and 1.0.102.

Trust in a folder counts in ``config.json`` only; the same key in ``settings.json`` does nothing (measured).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits, DialogRule, Launch, Logins, Process, Seat, Submission
from hive.facts.agents import Conversation, Turn
from hive.facts.hooks import HookMoment
from hive.facts.models import Dialect
from hive.facts.screens import Screen
from hive.facts.usage import Usage
from hive_backends.copilot_screens import read_copilot
from hive_backends.hooks import PATIENCE_S, hook_commands, hook_files
from hive_backends.seats import as_json, in_workdir, key_in, launch, runs
from hive_backends.token_logs import copilot_usage, usage_of
from hive_backends.turn_log import path_of, read_conversation, read_turns

_DENIED = ("shell(gh auth)",)
"""Rules name a program and its first word: ``gh pr merge`` alone cannot be denied, and matches nothing
(measured). The gateway rules on merges."""

_DIALOGS = (
    DialogRule(
        "trust", r"[Dd]o you trust (?:the (?:files|contents) (?:in|of) )?this|[Cc]onfirm folder trust", r"Yes"
    ),
    DialogRule(
        "permission",
        r"Do you want to (?:run this command|edit|create|allow)|access this path",
        r"Yes",
        r"No, and tell Copilot.*",
    ),
)


_KEY = "COPILOT_PROVIDER_API_KEY"
_DEFAULT_MODEL = "gpt-4.1"
"""With a provider of one's own the program starts with no model of its own choice (measured)."""
_HERE: dict[str, object] = {
    f".github/copilot/{name}": {"disableAllHooks": False} for name in ("settings.json", "settings.local.json")
}
"""Settings of the folder that it is started in switch off hooks of its home (measured)."""


class CopilotBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "copilot"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("copilot",),
            dialogs=_DIALOGS,
            install="npm install -g @github/copilot",
            version=("copilot", "--version"),
            logins=Logins(
                (
                    "COPILOT_GITHUB_TOKEN",
                    "COPILOT_PROVIDER_API_KEY",
                    "COPILOT_PROVIDER_BASE_URL",
                ),
                (),
            ),
            resumes=True,
            interrupt=("Escape", "Escape"),
            hooks=True,
            # Measured: 100 kB becomes a file reference, and two requests when Enter comes at once.
            submission=Submission(settle=timedelta(milliseconds=700)),
            start_patience=timedelta(seconds=90),
            model_keys={Dialect.OPENAI: _KEY, Dialect.ANTHROPIC: _KEY},
        )

    def launch(self, seat: Seat) -> Launch:
        own = {"COPILOT_HOME": f"{seat.home}/.copilot", "COPILOT_AUTO_UPDATE": "false", **_model(seat)}
        argv = ["copilot", "--allow-all", "--no-ask-user", "--no-auto-update", "--disable-builtin-mcps"]
        argv += [word for rule in _DENIED for word in ("--deny-tool", rule)]
        if seat.spec.model:
            argv += ["--model", seat.spec.model]
        if seat.resume:
            argv += [f"--resume={seat.resume}"]
        trust = as_json(".copilot/config.json", {"trustedFolders": [seat.workdir]})
        hooks = as_json(".copilot/settings.json", {"hooks": _hooks(seat)})
        here = in_workdir(seat, _HERE)
        return launch(seat, tuple(argv), own, trust, hooks, *here, *hook_files(seat))

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_copilot(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "copilot", "/copilot/npm-loader.js", "/copilot/index.js")

    def transcript(self, seat_home: str) -> str | None:
        return path_of(seat_home)

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return read_turns(lines)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return read_conversation(lines)

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        home = seat_home.rstrip("/")
        return (f"{home}/.copilot/session-state/*/events.jsonl",)

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return usage_of(lines, copilot_usage)


_MOMENTS = {
    "sessionStart": HookMoment.SESSION,
    "userPromptSubmitted": HookMoment.PROMPT,
    "preToolUse": HookMoment.TOOL,
    "notification": HookMoment.NOTICE,
    "subagentStop": HookMoment.SUBAGENT_END,
    "preCompact": HookMoment.COMPACT,
    "agentStop": HookMoment.END,
    "errorOccurred": HookMoment.FAILURE,
    "sessionEnd": HookMoment.CLOSE,
}


def _model(seat: Seat) -> dict[str, str]:
    """Hive's relay as a provider of one's own; offline, the program asks nothing of GitHub."""
    if seat.model is None:
        return {}
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_TYPE": seat.model.dialect.value,
        "COPILOT_PROVIDER_BASE_URL": seat.model.url,
        "COPILOT_MODEL": seat.spec.model or _DEFAULT_MODEL,
        **key_in(seat.model, _KEY),
    }


def _hooks(seat: Seat) -> dict[str, object]:
    return {
        moment: [{"type": "command", "bash": command, "timeoutSec": PATIENCE_S}]
        for moment, command in hook_commands(seat, "copilot", _MOMENTS).items()
    }


backend = CopilotBackend()
