"""Tokens from the files that agent programs write for themselves: one line of JSON for each event.

A message is often on several lines (one for each of its parts, or again when its tools have answered): it is
told once, with the greatest counts. Lines that are not understood are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from hive.contracts.command import UsageRule
from hive.facts.usage import TokenUsage, Usage, UsageSource

_Record = Mapping[str, Any]


def usage_of(lines: Iterable[str], read: Callable[[_Record], Usage | None]) -> tuple[Usage, ...]:
    """What `read` finds in each line, in the order of first sight, each key once."""
    found: dict[str, Usage] = {}
    for line in lines:
        record = _record(line)
        usage = read(record) if record is not None else None
        if usage is None:
            continue
        known = found.get(usage.key)
        if known is not None:
            usage = Usage(
                known.model or usage.model,
                known.tokens.union(usage.tokens),
                usage.key,
                usage.source,
                known.at or usage.at,
            )
        found[usage.key] = usage
    return tuple(found.values())


def claude_usage(record: _Record) -> Usage | None:
    """Claude Code 2.1: ``{"type": "assistant", "message": {"id", "model", "usage": {…}}, "timestamp"}``.

    Input excludes the caches. Its own words in the model's name (``<synthetic>``) cost nothing.
    """
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict):
        return None
    used, model = message.get("usage"), _text(message.get("model"))
    key = _text(message.get("id")) or _text(record.get("requestId"))
    if not isinstance(used, dict) or not key or model.startswith("<"):
        return None
    kept = used.get("cache_creation")
    kept = kept if isinstance(kept, dict) else {}
    hour = _count(kept, "ephemeral_1h_input_tokens")
    tokens = TokenUsage(
        input=_count(used, "input_tokens"),
        output=_count(used, "output_tokens"),
        cache_read=_count(used, "cache_read_input_tokens"),
        # The sum may be left out where its parts are told.
        cache_write=max(
            _count(used, "cache_creation_input_tokens"), hour + _count(kept, "ephemeral_5m_input_tokens")
        ),
        cache_write_hour=hour,
    )
    return _usage(model, tokens, key, record.get("timestamp"))


def copilot_usage(record: _Record) -> Usage | None:
    """Copilot 1.0: ``{"type": "session.usage_record", "id", "timestamp", "data": {"usage": {…}}}``.

    Its `inputTokens` hold the caches (measured with an answer that reported cached tokens).
    """
    data = record.get("data")
    used = data.get("usage") if isinstance(data, dict) else None
    key = _text(record.get("id"))
    if record.get("type") != "session.usage_record" or not isinstance(used, dict) or not key:
        return None
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    tokens = _with_caches_in_input(*(_count(used, name) for name in names))
    return _usage(_text(used.get("model")), tokens, key, record.get("timestamp"))


def codex_usage(record: _Record) -> Usage | None:
    """Codex 0.171: ``{"type": "token_usage_record", "payload": {"turn_id", "turn_token_usage": {…}}}``, the
    sum of the turn so far. Its model stands at the turn's beginning alone (``turn_context``), and is told
    without tokens.

    Its `input_tokens` hold the caches (OpenAI API: input_tokens_details).
    """
    data = record.get("payload")
    key = _text(data.get("turn_id")) if isinstance(data, dict) else ""
    if not isinstance(data, dict) or not key:
        return None
    if record.get("type") == "turn_context":
        return Usage(_text(data.get("model")), TokenUsage(), key, UsageSource.TRANSCRIPT)
    used = data.get("turn_token_usage")
    if record.get("type") != "token_usage_record" or not isinstance(used, dict):
        return None
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    tokens = _with_caches_in_input(*(_count(used, name) for name in names))
    return _usage("", tokens, key, record.get("timestamp"))


def gemini_usage(record: _Record) -> Usage | None:
    """Gemini CLI 0.61: ``{"type": "gemini", "id", "model", "timestamp", "tokens": {…}}``.

    `input` holds `cached`; `thoughts` are written besides `output`, `tool` is read besides `input`
    (Gemini API: usageMetadata).
    """
    used, key = record.get("tokens"), _text(record.get("id"))
    if record.get("type") != "gemini" or not isinstance(used, dict) or not key:
        return None
    cached = _count(used, "cached")
    tokens = TokenUsage(
        input=max(0, _count(used, "input") - cached) + _count(used, "tool"),
        output=_count(used, "output") + _count(used, "thoughts"),
        cache_read=cached,
    )
    return _usage(_text(record.get("model")), tokens, key, record.get("timestamp"))


def scripted_usage(record: _Record) -> Usage | None:
    """The scripted agent: ``{"type": "usage", "id", "model", "at", "input", "output", …}``."""
    key = _text(record.get("id"))
    if record.get("type") != "usage" or not key:
        return None
    kinds = {name: _count(record, name) for name in ("input", "output", "cache_read", "cache_write")}
    return _usage(_text(record.get("model")), TokenUsage(**kinds), key, record.get("at"))


def described_usage(rule: UsageRule) -> Callable[[_Record], Usage | None]:
    """Reads the lines of a program by what its operator's configuration says of them."""

    def read(record: _Record) -> Usage | None:
        key = _at(record, rule.key)
        if _at(record, rule.kind) != rule.line or not isinstance(key, str | int) or key == "":
            return None
        counts = {
            name: _count({name: _at(record, path)}, name)
            for name, path in (
                ("input", rule.input),
                ("output", rule.output),
                ("cache_read", rule.cache_read),
                ("cache_write", rule.cache_write),
            )
        }
        counted = _with_caches_in_input if rule.input_holds_caches else TokenUsage
        return _usage(_text(_at(record, rule.model)), counted(**counts), str(key), _at(record, rule.at))

    return read


def _with_caches_in_input(input: int, output: int, cache_read: int, cache_write: int) -> TokenUsage:
    """Of a program whose count of the input holds what went to caches and came from them."""
    return TokenUsage(max(0, input - cache_read - cache_write), output, cache_read, cache_write)


def _at(record: _Record, path: str) -> object:
    """What stands at a dotted path; None where nothing does."""
    value: object = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _usage(model: str, tokens: TokenUsage, key: str, at: object) -> Usage | None:
    return Usage(model, tokens, key, UsageSource.TRANSCRIPT, _moment(at)) if tokens.total else None


def _record(line: str) -> _Record | None:
    try:
        record = json.loads(line.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(record: _Record, key: str) -> int:
    value = record.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # what a program in JavaScript may write for a whole number
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0


def _moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):  # the first and the last day of all reach over the end of time
        return None
