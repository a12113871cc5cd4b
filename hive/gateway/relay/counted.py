"""What an answer says it used, in each of the four ways of saying it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hive.gateway.relay.routes import Wire

_OVER = ("completed", "incomplete", "failed", "cancelled")
"""States of an OpenAI response that ended; before, its usage is not final."""


@dataclass(slots=True)
class Counted:
    """Tokens as a provider names them, made to add up: `input` has no cached ones in it.

    Attributes:
        message: The provider's id of the answer.
        is_final: The provider has said its last word on the numbers.
        fault: The provider's word for what broke the answer off, and its message; None for nothing.
    """

    message: str = ""
    model: str = ""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0
    is_final: bool = False
    fault: tuple[str, str] | None = None


def take(found: Counted, wire: Wire, value: Any) -> None:
    """Add to `found` what a document or one event of a stream says. `value` may be anything."""
    if wire is Wire.GEMINI and isinstance(value, list):
        for each in value:
            take(found, wire, each)
    elif isinstance(value, dict):
        _TAKES[wire](found, value)
        found.fault = _fault(value) or found.fault


def _fault(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """What an event of a stream says went wrong: ``error`` in each dialect, in OpenAI's responses also the
    event itself, or below the response that failed."""
    error = value.get("error")
    if value.get("type") == "response.failed":
        error = _mapping(value.get("response")).get("error")
    elif value.get("type") == "error" and not isinstance(error, dict):
        error = value
    if not isinstance(error, dict):
        return None
    # Google's own word is in its status; its code is a number.
    kinds = (error.get(name) for name in ("status", "code", "type"))
    kind = next((word for word in kinds if isinstance(word, str) and word != "error"), "")
    message = error.get("message")
    return kind[:80], message[:300] if isinstance(message, str) else ""


def take_usage(found: Counted, wire: Wire, usage: Any) -> None:
    """The same of the usage alone, cut out of an answer that is too long to be read whole."""
    if isinstance(usage, dict):
        _USAGES[wire](found, usage)
        found.is_final = True


def _message(found: Counted, value: Mapping[str, Any]) -> None:
    kind = value.get("type")
    if kind == "message_start":
        _named(found, value.get("message"), "id", "model")
        _message_usage(found, _mapping(_mapping(value.get("message")).get("usage")))
    elif kind == "message":
        _named(found, value, "id", "model")
        _message_usage(found, _mapping(value.get("usage")))
        found.is_final = True
    elif kind == "message_delta":
        # Cumulative (Anthropic, "Streaming messages"), and all that is not repeated stays.
        _message_usage(found, _mapping(value.get("usage")))
        found.is_final = True


def _message_usage(found: Counted, usage: Mapping[str, Any]) -> None:
    found.input = _number(usage, "input_tokens", found.input)
    found.output = _number(usage, "output_tokens", found.output)
    found.cache_read = _number(usage, "cache_read_input_tokens", found.cache_read)
    found.cache_write = _number(usage, "cache_creation_input_tokens", found.cache_write)
    kept = _mapping(usage.get("cache_creation"))
    found.cache_write_hour = _number(kept, "ephemeral_1h_input_tokens", found.cache_write_hour)
    minutes = _number(kept, "ephemeral_5m_input_tokens", 0)
    # The sum may be left out where its parts are told.
    found.cache_write = max(found.cache_write, found.cache_write_hour + minutes)


def _chat(found: Counted, value: Mapping[str, Any]) -> None:
    _named(found, value, "id", "model")
    usage = value.get("usage")
    if isinstance(usage, dict):
        _chat_usage(found, usage)
        found.is_final = True


def _chat_usage(found: Counted, usage: Mapping[str, Any]) -> None:
    details = _mapping(usage.get("prompt_tokens_details"))
    _split(found, _number(usage, "prompt_tokens", 0), _number(details, "cached_tokens", 0))
    found.output = _number(usage, "completion_tokens", 0)


def _response(found: Counted, value: Mapping[str, Any]) -> None:
    response = _mapping(value.get("response")) or value
    if response.get("object") not in (None, "response"):
        return
    _named(found, response, "id", "model")
    usage = response.get("usage")
    if response.get("status") in _OVER and isinstance(usage, dict):
        _response_usage(found, usage)
        found.is_final = True


def _response_usage(found: Counted, usage: Mapping[str, Any]) -> None:
    details = _mapping(usage.get("input_tokens_details"))
    _split(found, _number(usage, "input_tokens", 0), _number(details, "cached_tokens", 0))
    found.output = _number(usage, "output_tokens", 0)


def _gemini(found: Counted, value: Mapping[str, Any]) -> None:
    _named(found, value, "responseId", "modelVersion")
    usage = value.get("usageMetadata")
    if isinstance(usage, dict):
        # Each part of a stream has the numbers so far; the last one's are the answer's.
        _gemini_usage(found, usage)
    candidates = value.get("candidates")
    for each in candidates if isinstance(candidates, list) else ():
        found.is_final = found.is_final or bool(_mapping(each).get("finishReason"))


def _gemini_usage(found: Counted, usage: Mapping[str, Any]) -> None:
    cached = _number(usage, "cachedContentTokenCount", found.cache_read)
    prompt = _number(usage, "promptTokenCount", found.input + found.cache_read)
    _split(found, prompt, cached)
    found.input += _number(usage, "toolUsePromptTokenCount", 0)
    said, thought = (_number(usage, name, 0) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
    found.output = said + thought or found.output


def _split(found: Counted, prompt: int, cached: int) -> None:
    found.cache_read = min(cached, prompt)
    found.input = prompt - found.cache_read


def _named(found: Counted, value: Any, name: str, model: str) -> None:
    known = _mapping(value)
    for attribute, key in (("message", name), ("model", model)):
        if isinstance(known.get(key), str):
            setattr(found, attribute, known[key][:200])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(usage: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = usage.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
    return value if is_count and isinstance(value, int) else otherwise


_TAKES = {Wire.MESSAGES: _message, Wire.CHAT: _chat, Wire.RESPONSES: _response, Wire.GEMINI: _gemini}
_USAGES = {
    Wire.MESSAGES: _message_usage,
    Wire.CHAT: _chat_usage,
    Wire.RESPONSES: _response_usage,
    Wire.GEMINI: _gemini_usage,
}
