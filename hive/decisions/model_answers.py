"""What a model provider's refusal means, and until when it holds.

Sources: Anthropic "Errors" and "Rate limits", OpenAI "Error codes" and "Rate limits", Google
"Troubleshooting" of the Gemini API and `google.rpc.RetryInfo`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from hive.decisions.one_line import one_line
from hive.facts.models import ModelProblem

_NO_CREDIT = re.compile(
    r"insufficient_quota|credit balance is too low|billing_error|billing_hard_limit"
    r"|credits? (?:is|are) (?:depleted|exhausted)",
    re.I,
)
_BAD_KEY = re.compile(r"API_KEY_INVALID|API key not valid|invalid_api_key|API key expired", re.I)
_BY_STATUS = {
    401: ModelProblem.LOGGED_OUT,
    402: ModelProblem.OUT_OF_CREDIT,
    403: ModelProblem.FORBIDDEN,
    429: ModelProblem.LIMITED,
    503: ModelProblem.OVERLOADED,
    529: ModelProblem.OVERLOADED,
}
_BY_WORD = {
    "authentication_error": ModelProblem.LOGGED_OUT,
    "billing_error": ModelProblem.OUT_OF_CREDIT,
    "insufficient_quota": ModelProblem.OUT_OF_CREDIT,
    "invalid_api_key": ModelProblem.LOGGED_OUT,
    "overloaded_error": ModelProblem.OVERLOADED,
    "permission_error": ModelProblem.FORBIDDEN,
    "rate_limit_error": ModelProblem.LIMITED,
    "rate_limit_exceeded": ModelProblem.LIMITED,
    "server_is_overloaded": ModelProblem.OVERLOADED,
    "PERMISSION_DENIED": ModelProblem.FORBIDDEN,
    "RESOURCE_EXHAUSTED": ModelProblem.LIMITED,
    "UNAUTHENTICATED": ModelProblem.LOGGED_OUT,
    "UNAVAILABLE": ModelProblem.OVERLOADED,
}
"""Words of an error that comes within an answer that had begun."""
_WAITS = (ModelProblem.LIMITED, ModelProblem.OVERLOADED)
_LONGEST = timedelta(days=40)
"""A month's quota ends within it; what lies beyond is no time to wait for."""
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Refused:
    """`until`: from when asking may succeed again; None where nobody said."""

    problem: ModelProblem
    until: datetime | None
    detail: str


def refused(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Refused | None:
    """What an answer says that is none; None for one that says nothing about the account.

    `headers` by names in small letters; of `body` the beginning is enough.
    """
    text = body.decode("utf-8", "replace")
    problem = _BY_STATUS.get(status)
    if status in (400, 403, 429) and _NO_CREDIT.search(text):
        problem = ModelProblem.OUT_OF_CREDIT
    elif status in (400, 403) and _BAD_KEY.search(text):
        problem = ModelProblem.LOGGED_OUT
    if problem is None:
        return None
    until = _until(headers, text, now) if problem in _WAITS else None
    said = one_line(_message(text), 200)
    return Refused(problem, until, f"{status}: {said}" if said else str(status))


def broken_off(kind: str, message: str) -> Refused | None:
    """What an error within an answer says that had begun; None for one that is not the account's affair."""
    problem = _BY_WORD.get(kind)
    if problem is None:
        return None
    said = one_line(message, 200)
    return Refused(problem, None, f"{kind}: {said}" if said else kind)


def _until(headers: Mapping[str, str], text: str, now: datetime) -> datetime | None:
    """The latest of the ends that are given: before it one of the limits holds still."""
    found = [end for end in _ends(headers, text, now) if now < end <= now + _LONGEST]
    return max(found, default=None)


def _ends(headers: Mapping[str, str], text: str, now: datetime) -> Iterator[datetime]:
    yield from _after(headers.get("retry-after-ms", ""), now, unit=0.001)
    waits = headers.get("retry-after", "")
    yield from _after(waits, now)
    yield from _moment(waits)
    # Of a subscription: seconds since 1970.
    yield from _moment(headers.get("anthropic-ratelimit-unified-reset", ""))
    for name, value in headers.items():
        used_up = headers.get(name.replace("-reset", "-remaining"), "") == "0"
        if name.startswith("anthropic-ratelimit-") and name.endswith("-reset") and used_up:
            yield from _moment(value)
        if name.startswith("x-ratelimit-reset-"):
            remaining = headers.get(name.replace("-reset-", "-remaining-"), "")
            if remaining == "0":
                yield from _span(value, now)
    for match in re.finditer(r'"(?:retryDelay|quotaResetDelay)"\s*:\s*"([0-9.hms]{1,30}s)"', text):
        yield from _span(match[1], now)
    # Of ChatGPT's plans and of Code Assist: in the body alone.
    for match in re.finditer(r'"(?:resets_at|quotaResetTimeStamp)"\s*:\s*"?([0-9T:.Z+-]{10,35})', text):
        yield from _moment(match[1])
    for match in re.finditer(r'"resets_in_seconds"\s*:\s*([0-9]{1,9})\b', text):
        yield from _after(match[1], now)


def _after(value: str, now: datetime, *, unit: float = 1.0) -> Iterator[datetime]:
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,6})?", value):
        yield now + timedelta(seconds=float(value) * unit)


def _span(value: str, now: datetime) -> Iterator[datetime]:
    """Durations as Go writes them: ``6m0s``, ``20ms``, ``1.5s``."""
    parts = _SPAN.findall(value[:40])
    if parts and "".join(number + unit for number, unit in parts) == value:
        yield now + timedelta(seconds=sum(min(float(n), 1e8) * _UNITS[unit] for n, unit in parts))


def _moment(value: str) -> Iterator[datetime]:
    """Seconds since 1970, RFC 3339, or a date of HTTP."""
    try:
        if re.fullmatch(r"\d{10}(?:\.\d+)?", value):
            yield datetime.fromtimestamp(float(value), UTC)
        elif re.match(r"\d{4}-\d\d-\d\dT", value):
            found = datetime.fromisoformat(value)
            if found.tzinfo is not None:
                yield found.astimezone(UTC)
        elif value.endswith("GMT"):
            yield parsedate_to_datetime(value).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return


def _message(text: str) -> str:
    """The provider's own words."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error") if isinstance(value, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""
