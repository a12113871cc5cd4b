"""What may be asked of a provider, by dialect: a list of ways, and nothing besides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, quote, urlencode

from hive.facts.models import Dialect

KEY_IN_QUERY = "key"


class Wire(StrEnum):
    """How an answer says what it used."""

    MESSAGES = "messages"
    CHAT = "chat"
    RESPONSES = "responses"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True)
class Route:
    """Attributes:
    target: Below the provider's base URL, with its query.
    wire: None for what uses no model.
    model: Where the path names it.
    """

    target: str
    wire: Wire | None
    model: str = ""


_MODEL = r"(?P<model>[A-Za-z0-9._@-]{1,200})"
_WAYS: dict[Dialect, tuple[tuple[str, str, Wire | None], ...]] = {
    Dialect.ANTHROPIC: (
        ("POST", r"/v1/messages", Wire.MESSAGES),
        ("POST", r"/v1/messages/count_tokens", None),
        ("GET", rf"/v1/models(?:/{_MODEL})?", None),
    ),
    Dialect.OPENAI: (
        ("POST", r"/v1/chat/completions", Wire.CHAT),
        ("POST", r"/v1/responses", Wire.RESPONSES),
        ("GET", rf"/v1/models(?:/{_MODEL})?", None),
    ),
    Dialect.GEMINI: (
        ("POST", rf"/v1(?:beta|alpha)?/models/{_MODEL}:(?:streamG|g)enerateContent", Wire.GEMINI),
        ("POST", rf"/v1(?:beta|alpha)?/models/{_MODEL}:countTokens", None),
        ("GET", rf"/v1(?:beta|alpha)?/models(?:/{_MODEL})?", None),
    ),
}


def route(dialect: Dialect, method: str, path: str, query: str) -> Route | None:
    """Where a request leads; None for what is not on the list. `path` is below the provider's name, as it was
    sent: what is written in another way than a client writes it is on no list."""
    for wanted, pattern, wire in _WAYS[dialect]:
        match = re.fullmatch(pattern, path)
        if match is None or wanted != method:
            continue
        below = path.removeprefix("/v1") if dialect is Dialect.OPENAI else path
        left = [(name, value) for name, value in parse_qsl(query, True) if name != KEY_IN_QUERY]
        model = match.groupdict().get("model") or ""
        return Route(below + (f"?{urlencode(left, quote_via=quote)}" if left else ""), wire, model)
    return None


def key_in(query: str) -> str:
    """The key in a query, as Gemini's clients may send it; empty for none or several."""
    found = [value for name, value in parse_qsl(query) if name == KEY_IN_QUERY]
    return found[0] if len(found) == 1 else ""
