"""Which parts of a text are secrets: for logs, errors and whatever else leaves the process.

It would rather take too much than too little, and never depends on the order of its rules: every rule marks
its stretches of the original text, and their union is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

MARK = "[redacted]"

SHORTEST_LITERAL = 4
"""Characters. Chosen: a shorter "secret" occurs in ordinary words, and cutting it out would tell it."""

# A group named `secret` is the stretch to take; without one, all of it. Each repetition runs over one class
# of characters, and where it can fail at its end no start lies inside it: linear time in hostile text.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # GitHub (docs: "GitHub's token formats"); 36 characters today, installation tokens may be longer.
        r"gh[pousr]_[A-Za-z0-9_]{20,}(?:[.-][A-Za-z0-9_-]+)*",
        r"github_pat_[A-Za-z0-9_]{20,}",
        # hive's own, for agents at the gateway.
        r"hive_[A-Za-z0-9_-]{32,}",
        # Anthropic (sk-ant-…) and OpenAI (sk-…, sk-proj-…, sk-svcacct-…).
        r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}",
        # Google: API keys, OAuth access tokens, client secrets.
        r"AIza[A-Za-z0-9_-]{35,}",
        r"ya29\.[A-Za-z0-9_.-]{20,}",
        r"GOCSPX-[A-Za-z0-9_-]{20,}",
        # AWS: key ids, and the secrets where they are named.
        r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}",
        r"(?i:aws_?secret_?access_?key|aws_?session_?token)[\\\"']{0,4}\s{0,8}[=:]\s{0,8}[\\\"']{0,4}"
        r"(?P<secret>[A-Za-z0-9/+=]{16,})",
        # JSON Web Tokens: Kubernetes service accounts, GitHub Apps.
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+",
        # Headers, also as JSON, Python's repr, or on a command line.
        r"(?i:authorization|x-api-key|x-goog-api-key|private-token)[\\\"']{0,4}\s{0,8}[:=,]\s{0,8}[\\\"']{0,4}"
        r"(?P<secret>(?i:digest)\b[^\r\n]*|[^\r\n\"'\\]+)",
        r"(?i:bearer)\s{1,8}(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
        # Users and passwords in addresses; plain `git@` is no secret.
        r"://(?!git@)(?P<secret>[^\s/?#\"'<>]+)@",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)"
        r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    )
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` with every secret replaced by `MARK`.

    Args:
        secrets: Known ones, removed wherever they stand, as they are or percent-encoded.
    """
    parts, position = [], 0
    for start, end in _union(sorted(_spans(text, secrets))):
        parts += [text[position:start], MARK]
        position = end
    return "".join(parts) + text[position:]


def _spans(text: str, secrets: Iterable[str]) -> Iterator[tuple[int, int]]:
    for pattern in _PATTERNS:
        group = "secret" if "secret" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield match.span(group)
    for secret in secrets:
        if len(secret) >= SHORTEST_LITERAL and secret not in MARK:
            for form in {secret, quote(secret, safe="", errors="replace")}:
                yield from _occurrences(text, form)


def _occurrences(text: str, form: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _union(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted spans that overlap or touch."""
    current: tuple[int, int] | None = None
    for start, end in spans:
        if current is not None and start <= current[1]:
            current = current[0], max(current[1], end)
            continue
        if current is not None:
            yield current
        current = start, end
    if current is not None:
        yield current
