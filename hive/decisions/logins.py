"""Logins of subscriptions: what a program's own file of one must have, and which of two is the newer.

Programs refresh a login by themselves, and the token before is void from then on: what an agent has in its
folder may be the only one that works. That folder is the agent's, so nothing in it is believed unseen.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hive.contracts.backend import LoginFile

MOST_BYTES = 65_536
"""Of a login: those of all programs have some thousand."""


@dataclass(frozen=True, slots=True)
class Login:
    """Attributes:
    account: Whose it is, way by way; an empty text where the file does not say.
    freshness: Greater after each refresh.
    secrets: What must be nobody's but one agent's.
    """

    account: tuple[str, ...]
    freshness: float
    secrets: tuple[str, ...]

    def is_of(self, other: Login) -> bool:
        """Whether it is the same account's, as far as both say."""
        return all(mine == its or not its for mine, its in zip(self.account, other.account, strict=True))


def read_login(data: bytes, shape: LoginFile) -> Login:
    """Raises `ValueError`, which shows nothing of it."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES} bytes")
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    missing = [way for way in shape.needs if not _text(value, way)]
    if missing:
        raise ValueError(f"it has no {missing[0]}; log in with the program first")
    return Login(
        account=tuple(_text(value, way) for way in shape.account),
        freshness=next(_moments(value, shape), 0.0),
        secrets=tuple(_text(value, way) for way in shape.needs),
    )


def is_newer(found: bytes, known: bytes, shape: LoginFile) -> bool:
    """Whether `found`, which an agent's program left, takes the place of `known`: it has to be a login, the
    same account's, and refreshed later."""
    try:
        one, other = read_login(found, shape), read_login(known, shape)
    except ValueError:
        return False
    return one.is_of(other) and one.freshness > other.freshness


def _moments(value: Any, shape: LoginFile) -> Iterator[float]:
    for way in shape.freshness:
        found = _at(value, way)
        if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e15:
            yield float(found)
        elif isinstance(found, str):
            try:
                yield datetime.fromisoformat(found).timestamp()
            except (ValueError, OverflowError):
                continue


def _text(value: Any, way: str) -> str:
    found = _at(value, way)
    return found if isinstance(found, str) else ""


def _at(value: Any, way: str) -> Any:
    way, _, claim = way.partition("#")
    for key in way.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return _claims(value).get(claim) if claim else value


def _claims(token: Any) -> dict[str, Any]:
    """The claims of a JSON web token, which nobody has checked."""
    parts = token.split(".") if isinstance(token, str) else []
    if len(parts) != 3:
        return {}
    try:
        found = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
