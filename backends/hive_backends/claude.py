"""Claude Code as a backend. Measured on 2.1.197, 2.1.260 and 2.1.332.

It must be told that onboarding is done, or it calls its vendor and exits. Hooks given by ``--settings`` are
switched off by a repository's own settings unless that file says ``disableAllHooks: false`` (measured).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import (
    BackendTraits,
    DialogRule,
    Launch,
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
from hive_backends.claude_screens import read_claude
from hive_backends.hooks import PATIENCE_S, hook_commands, hook_files
from hive_backends.seats import as_json, launch, runs
from hive_backends.token_logs import claude_usage, usage_of
from hive_backends.turn_log import path_of, read_conversation, read_turns

_KEY = "ANTHROPIC_API_KEY"
_DENIED = (
    "Bash(gh pr merge:*)",
    "Bash(gh auth:*)",
    "Bash(git push --force:*)",
    "Bash(git push -f:*)",
    "Bash(git push origin main:*)",
    "Bash(git push origin master:*)",
)
"""A courtesy that saves a turn, not a wall: the gateway rules on what reaches the forge."""

_DIALOGS = (
    DialogRule(
        "trust",
        r"you created or one you trust|[Dd]o you trust (?:the (?:files|contents) (?:in|of) )?this",
        r"Yes, (?:I trust this (?:folder|directory|project|workspace)|proceed)",
    ),
    DialogRule("bypass", r"Bypass Permissions mode", r"Yes, I accept"),
    DialogRule("api-key", r"use this API key", r"Yes"),
    DialogRule("theme", r"Let's get started|[Cc]hoose the text style", r"Dark mode"),
    DialogRule("mcp-server", r"New MCP server found", r"Continue without using this MCP server"),
    DialogRule("limit", r"limit", r"Stop and wait for limit to reset.*"),
    DialogRule(
        "permission",
        r"Do you want to (?:proceed|make this edit|create|overwrite|allow Claude)",
        r"Yes",
        r"No(?:, and tell Claude.*)?",
    ),
)


_LOGIN = LoginFile(
    path=".claude/.credentials.json",
    needs=("claudeAiOauth.accessToken", "claudeAiOauth.refreshToken"),
    account=("organizationUuid", "claudeAiOauth.subscriptionType"),
    freshness=("claudeAiOauth.expiresAt",),
)
"""Of the vendor's "Identity and access management"; it names no account but, of late, an organization."""


class ClaudeBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "claude"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("claude",),
            dialogs=_DIALOGS,
            install="npm install -g @anthropic-ai/claude-code",
            version=("claude", "--version"),
            logins=Logins(
                (
                    "ANTHROPIC_API_KEY",
                    "ANTHROPIC_AUTH_TOKEN",
                    "CLAUDE_CODE_OAUTH_TOKEN",
                    "CLAUDE_CODE_USE_BEDROCK",
                    "CLAUDE_CODE_USE_VERTEX",
                ),
                (".claude/.credentials.json",),
            ),
            resumes=True,
            interrupt=("Escape",),
            hooks=True,
            # Measured: a bracketed paste of 100 kB arrives whole even with no wait before Enter.
            submission=Submission(settle=timedelta(milliseconds=300)),
            model_keys={Dialect.ANTHROPIC: _KEY},
            login=_LOGIN,
        )

    def launch(self, seat: Seat) -> Launch:
        own = {
            "CLAUDE_CONFIG_DIR": f"{seat.home}/.claude",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            # Without it the program refuses its permission mode to root, also in a sandbox.
            "IS_SANDBOX": "1",
            **_model(seat),
        }
        argv = ["claude", "--dangerously-skip-permissions", "--settings", f"{seat.home}/.claude/hive.json"]
        argv += ["--setting-sources", "user", "--strict-mcp-config"]
        if seat.spec.model:
            argv += ["--model", seat.spec.model]
        if seat.resume:
            argv += ["--resume", seat.resume]
        return launch(
            seat,
            tuple(argv),
            own,
            as_json(".claude/.claude.json", _state(seat)),
            as_json(".claude/settings.json", {"skipDangerousModePermissionPrompt": True}),
            as_json(
                ".claude/hive.json",
                {
                    "disableAllHooks": False,
                    "permissions": {"deny": list(_DENIED)},
                    "hooks": _hooks(seat),
                    **_helper(seat),
                },
            ),
            *hook_files(seat),
        )

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_claude(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "claude", "/claude-code/cli.js", "/claude.exe")

    def transcript(self, seat_home: str) -> str | None:
        return path_of(seat_home)

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return read_turns(lines)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return read_conversation(lines)

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        home = seat_home.rstrip("/")
        return (f"{home}/.claude/projects/*/*.jsonl", f"{home}/.claude/projects/*/*/subagents/*.jsonl")

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return usage_of(lines, claude_usage)


_MOMENTS = {
    "SessionStart": HookMoment.SESSION,
    "UserPromptSubmit": HookMoment.PROMPT,
    "PreToolUse": HookMoment.TOOL,
    "PermissionRequest": HookMoment.PERMISSION,
    "Notification": HookMoment.NOTICE,
    "SubagentStop": HookMoment.SUBAGENT_END,
    "PreCompact": HookMoment.COMPACT,
    "Stop": HookMoment.END,
    "StopFailure": HookMoment.FAILURE,
    "SessionEnd": HookMoment.CLOSE,
}


def _hooks(seat: Seat) -> dict[str, object]:
    return {
        moment: [{"hooks": [{"type": "command", "command": command, "timeout": PATIENCE_S}]}]
        for moment, command in hook_commands(seat, "claude", _MOMENTS).items()
    }


def _model(seat: Seat) -> dict[str, str]:
    """Hive's relay as the provider. In a pod the key comes with the start, and no approval is on record: the
    program asks about a key that it finds in its environment, and not about one that a helper prints."""
    if seat.model is None:
        return {}
    return {"ANTHROPIC_BASE_URL": seat.model.url, **({_KEY: seat.model.key} if seat.model.key else {})}


def _helper(seat: Seat) -> dict[str, str]:
    in_a_pod = seat.model is not None and not seat.model.key
    return {"apiKeyHelper": 'cat "$HIVE_TOKEN_FILE"'} if in_a_pod else {}


def _state(seat: Seat) -> dict[str, object]:
    """What the program remembers of a person's answers: theme, trust in the folder, the key's approval.

    A key is remembered by its last 20 characters (measured); it stands in the environment anyhow.
    """
    own = {**seat.environment, **_model(seat), **dict(seat.spec.environment)}
    key = own.get(_KEY, "")
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "projects": {seat.workdir: {"hasTrustDialogAccepted": True}},
        "customApiKeyResponses": {"approved": [key[-20:]] if key else [], "rejected": []},
    }


backend = ClaudeBackend()
