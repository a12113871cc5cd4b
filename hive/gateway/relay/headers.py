"""Which headers of an agent's request reach the provider, and the provider's key among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hive.facts.models import Dialect

_PASSED_ON = frozenset(
    {
        "accept",
        "accept-language",
        "content-type",
        "idempotency-key",
        "openai-beta",
        "user-agent",
        "x-app",
        "x-goog-api-client",
    }
)
"""No credential, no cookie, and none that chooses whom the provider bills."""
_PREFIXES = ("anthropic-", "x-stainless-")
_KEYS = ("authorization", "x-api-key", "x-goog-api-key")
_OAUTH = "sk-ant-oat"
"""How Anthropic's tokens of subscriptions begin: they are shown in another header than keys."""


def shown_keys(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Every key that a request shows, in any of the headers that programs use."""
    for name, value in headers:
        if name.lower() not in _KEYS:
            continue
        scheme, _, rest = value.strip().partition(" ")
        if name.lower() != "authorization":
            yield value.strip()
        elif scheme.lower() == "bearer":
            yield rest.strip()


def passed_on(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, value in headers
        if name.lower() in _PASSED_ON or name.lower().startswith(_PREFIXES)
    ]


def with_key(dialect: Dialect, key: str) -> tuple[str, str]:
    """The header in which the provider takes its key."""
    if dialect is Dialect.GEMINI:
        return "x-goog-api-key", key
    if dialect is Dialect.ANTHROPIC and not key.startswith(_OAUTH):
        return "x-api-key", key
    return "Authorization", f"Bearer {key}"
