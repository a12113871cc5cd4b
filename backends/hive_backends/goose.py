"""goose as a backend, from its documentation: no package of it could be had where this was written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits, Launch, Logins, Process, Seat, Submission
from hive.facts.agents import Conversation, Turn
from hive.facts.models import Dialect
from hive.facts.screens import Screen
from hive.facts.usage import Usage
from hive_backends.goose_screens import read_goose
from hive_backends.seats import key_in, launch, runs

_KEYS = {Dialect.ANTHROPIC: "ANTHROPIC_API_KEY", Dialect.OPENAI: "OPENAI_API_KEY"}


class GooseBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "goose"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("goose",),
            install="brew install block-goose-cli, or as goose's own documentation says",
            version=("goose", "--version"),
            logins=Logins(
                (
                    "OPENAI_API_KEY",
                    "ANTHROPIC_API_KEY",
                    "GOOGLE_API_KEY",
                    "GOOSE_PROVIDER",
                ),
                (
                    ".config/goose/config.yaml",
                    ".config/goose/secrets.yaml",
                ),
            ),
            interrupt=("C-c",),
            submission=Submission(settle=timedelta(milliseconds=700)),
            start_patience=timedelta(seconds=90),
            model_keys=_KEYS,
        )

    def launch(self, seat: Seat) -> Launch:
        # Documented variables; GOOSE_DISABLE_KEYRING keeps secrets in the agent's own HOME.
        own = {
            "GOOSE_MODE": "auto",
            "GOOSE_CLI_THEME": "ansi",
            "GOOSE_DISABLE_KEYRING": "1",
            "GOOSE_TELEMETRY_ENABLED": "false",
            **_model(seat),
        }
        if seat.spec.model:
            own["GOOSE_MODEL"] = seat.spec.model
        return launch(seat, ("goose", "session"), own)

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        return read_goose(screen, now=now, zone=zone)

    def is_agent(self, process: Process) -> bool:
        return runs(process, "goose")

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


def _model(seat: Seat) -> dict[str, str]:
    """Hive's relay as the provider: the documented variables, which take a host without the version."""
    way = seat.model
    if way is None:
        return {}
    host = "ANTHROPIC_HOST" if way.dialect is Dialect.ANTHROPIC else "OPENAI_HOST"
    key = key_in(way, _KEYS[way.dialect])
    return {"GOOSE_PROVIDER": way.dialect.value, host: way.url.removesuffix("/v1"), **key}


backend = GooseBackend()
