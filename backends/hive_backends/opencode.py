"""opencode as a backend. Measured on 1.18.33."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits, Launch, Logins, ModelWay, Process, Seat, Submission
from hive.facts.agents import Conversation, Turn
from hive.facts.models import Dialect
from hive.facts.screens import Screen
from hive.facts.usage import Usage
from hive_backends.opencode_screens import read_opencode
from hive_backends.seats import as_json, key_in, launch, runs

_KEY = "HIVE_MODEL_KEY"
_LIBRARIES = {Dialect.OPENAI: "@ai-sdk/openai-compatible", Dialect.ANTHROPIC: "@ai-sdk/anthropic"}


class OpencodeBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "opencode"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("opencode",),
            install="npm install -g opencode-ai",
            version=("opencode", "--version"),
            logins=Logins(
                (
                    "ANTHROPIC_API_KEY",
                    "OPENAI_API_KEY",
                    "GEMINI_API_KEY",
                    "OPENROUTER_API_KEY",
                ),
                (".local/share/opencode/auth.json",),
            ),
            interrupt=("Escape", "Escape"),
            submission=Submission(settle=timedelta(seconds=1)),
            # Measured: 5.5 s on idle cores, over a minute where others use them.
            start_patience=timedelta(seconds=180),
            model_keys={Dialect.OPENAI: _KEY, Dialect.ANTHROPIC: _KEY},
        )

    def launch(self, seat: Seat) -> Launch:
        own = {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_CONFIG": f"{seat.home}/.config/opencode/hive.json",
        }
        settings: dict[str, object] = {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False,
            "share": "disabled",
            "permission": {
                "edit": "allow",
                "webfetch": "allow",
                "bash": {"*": "allow", "gh auth*": "deny", "gh pr merge*": "deny"},
            },
        }
        argv = ["opencode"]
        model = seat.spec.model
        if seat.model is not None:
            settings |= _provider(seat.model, model)
            own |= key_in(seat.model, _KEY)
            model = f"hive/{model}" if model else None
        if model:
            argv += ["--model", model]
        return launch(seat, tuple(argv), own, as_json(".config/opencode/hive.json", settings))

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_opencode(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "opencode", "/opencode-ai/bin/opencode")

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


def _provider(way: ModelWay, model: str | None) -> dict[str, object]:
    """Hive's relay as the only provider; the key is in the environment alone."""
    # Its library for Anthropic takes the root with the version.
    url = f"{way.url}/v1" if way.dialect is Dialect.ANTHROPIC else way.url
    provider = {
        "npm": _LIBRARIES[way.dialect],
        "name": "hive",
        "options": {"baseURL": url, "apiKey": f"{{env:{_KEY}}}"},
        "models": {model: {}} if model else {},
    }
    return {"provider": {"hive": provider}, "enabled_providers": ["hive"]}


backend = OpencodeBackend()
