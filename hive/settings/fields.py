"""Field types of `hive.yaml` that it shares with no other document."""

from __future__ import annotations

import ipaddress
import re
from datetime import timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from hive.decisions.durations import spell
from hive.documents.models import nearest
from hive.documents.values import Duration, Text
from hive.facts.autonomy import AcmmLevel, Mode

REPOSITORY = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}"
NOT_STARTED = "-"


def _argument(value: str) -> str:
    if "\0" in value:
        raise ValueError("a program cannot be given a NUL character")
    return value


Argument = Annotated[Text, AfterValidator(_argument)]


def _level(value: Any) -> Any:
    if isinstance(value, str):
        if re.fullmatch(r"[1-6]", value) is None:
            raise ValueError(f"'{value}' is no autonomy level; write a number from 1 to 6")
        return AcmmLevel(int(value))
    return value


Level = Annotated[AcmmLevel, BeforeValidator(_level)]
"""A level of the ladder, 1 to 6."""

LevelKey = Annotated[
    AcmmLevel,
    BeforeValidator(_level, json_schema_input_type=Annotated[str, Field(pattern="^[1-6]$")]),
]
"""The same as a key."""


def _cell(value: Any) -> Any:
    if value == NOT_STARTED:
        return None
    if isinstance(value, str) and value not in list(Mode):
        near = nearest(value, list(Mode))
        hint = f"did you mean '{near}'?" if near else f'known: {", ".join(Mode)} and "-" for not started'
        raise ValueError(f"'{value}' is no mode; {hint}")
    if value is None:
        raise ValueError('a mode is expected; "-" in quotes means not started')
    return Mode(value)


Cell = Annotated[Mode | None, BeforeValidator(_cell, json_schema_input_type=Mode | Literal["-"])]
"""A mode, or ``-`` for a role that is not started."""


def _repository(value: str) -> str:
    owner, _, name = value.partition("/")
    if re.fullmatch(REPOSITORY, value) is None or name in (".", ".."):
        raise ValueError(f"'{value}' names no repository; write OWNER/NAME")
    if name.endswith(".git"):
        raise ValueError(f"'{value}' names no repository; write {owner}/{name[:-4]}")
    return value


Repository = Annotated[str, AfterValidator(_repository)]
"""``OWNER/NAME``."""


def between(low: timedelta, high: timedelta) -> AfterValidator:
    """Durations from `low` to `high`."""

    def check(value: timedelta) -> timedelta:
        if not low <= value <= high:
            raise ValueError(f"{spell(value)} is out of range; from {spell(low)} to {spell(high)}")
        return value

    return AfterValidator(check)


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's loopback: a name that always is, or such an address."""
    if host.rstrip(".").lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _url(value: str) -> str:
    complaint = f"'{value}' is no address; write it like https://api.github.com"
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(complaint) from error
    if parts.scheme not in ("http", "https") or not host or port == 0 or re.search(r"[\s\x00-\x1f]", value):
        raise ValueError(complaint)
    if parts.username is not None or parts.password is not None:
        # The value is not repeated: it may hold a credential.
        raise ValueError("an address does not carry a user or a password; write the credential under token")
    if parts.query or parts.fragment or "?" in value or "#" in value:
        raise ValueError(f"'{value}' has more than host and path; leave out what follows")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError(
            f"'{value}' would send the token in the clear; write https:// (http is for loopback only)"
        )
    return value.rstrip("/")


Url = Annotated[str, AfterValidator(_url)]
"""An address that a token may be sent to, without a slash at its end."""


def _loopback(value: str) -> str:
    if not is_loopback(value):
        raise ValueError(f"'{value}' is not on loopback; agents' tokens would travel in the clear")
    return value


LoopbackHost = Annotated[str, AfterValidator(_loopback)]


Second = timedelta(seconds=1)
Minute = timedelta(minutes=1)
Day = timedelta(days=1)

Tick = Annotated[Duration, between(Second, 10 * Minute)]
Poll = Annotated[Duration, between(Second, Day)]
Patience = Annotated[Duration, between(timedelta(), 7 * Day)]


_HIVES_OWN = ("GH_", "GITHUB_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GIT_", "HIVE_")
"""How variables begin that hive sets for every agent, so that its `git` and `gh` reach the gateway alone."""


def is_hives_own(variable: str) -> bool:
    """Whether hive itself sets this variable of an agent's environment."""
    return variable == "HOME" or variable.startswith(_HIVES_OWN)
