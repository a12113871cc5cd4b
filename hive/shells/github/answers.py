"""GitHub's answers, and what an answer that is no success means in hive's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError

PORT = "forge"
_MESSAGE = 300
"""Characters kept of GitHub's own message."""

_SECONDARY_WAIT = timedelta(seconds=60)
"""GitHub, "Best practices": without Retry-After, wait at least a minute after a secondary limit."""

_SAYS_NO = frozenset({"NOT_FOUND", "FORBIDDEN", "UNPROCESSABLE", "INSUFFICIENT_SCOPES", "UNAUTHENTICATED"})
"""GraphQL error types by which a mutation was not done."""


_TOO_MUCH = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"})
"""GraphQL error types of a query of which a part may be answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers` by names in lower case; `data` is `None` where the body is no JSON."""

    status: int
    headers: Mapping[str, str]
    data: Any


@dataclass(frozen=True, slots=True)
class QueryError:
    """One of the errors of a GraphQL query: what has it is null in the data.

    `kind` is GitHub's type of it, empty for none; `path` leads to what is null, of a list by positions.
    """

    kind: str
    message: str
    path: tuple[str, ...]

    @property
    def says_no(self) -> bool:
        """Whether asking again is of no use."""
        return self.kind in _SAYS_NO


def json_of(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def throttled(answer: Answer) -> Throttled | None:
    """The limit that an answer is a refusal by, whatever interface it is of; `None` for another answer."""
    try:
        check_read(answer, "the request")
    except Throttled as limit:
        return limit
    except WorldError:
        return None
    kinds = {one.kind for one in query_errors(answer)}
    return (
        Throttled(PORT, "graphql: nothing is left", retry_at(answer.headers))
        if "RATE_LIMITED" in kinds
        else None
    )


def check_read(answer: Answer, what: str) -> None:
    """Raise what an answer to a read means; nothing for a success."""
    if answer.status >= 400:
        raise _failure(answer, f"{what}: {_message(answer)}")
    if answer.status == 304:
        return
    if answer.status >= 300:
        raise Refused(PORT, f"{what}: {answer.status}, it has moved to another address")
    if answer.data is None and answer.status != 204:
        raise Unreachable(PORT, f"{what}: the answer is no JSON")


def check_write(answer: Answer, what: str) -> None:
    """As `check_read`; where the write may have been done all the same, it is in doubt."""
    try:
        check_read(answer, what)
    except Unreachable as error:
        raise InDoubt(PORT, error.message) from error


def graphql_data(answer: Answer, *, is_mutation: bool) -> Any:
    """The `data` of GraphQL's answer; in a query's, what had errors is null.

    Raises as REST does, `Throttled` also for GraphQL's own RATE_LIMITED (which comes with status 200);
    `Refused` for an error of a mutation that says no, `InDoubt` for one that may not.
    """
    (check_write if is_mutation else check_read)(answer, "graphql")
    body = answer.data if isinstance(answer.data, dict) else {}
    errors = [one for one in body.get("errors") or () if isinstance(one, dict)]
    said = "; ".join(str(one.get("message") or "no reason given") for one in errors)
    message = f"graphql: {said or 'an answer without data'}"[:_MESSAGE]
    if any(one.get("type") == "RATE_LIMITED" for one in errors):
        raise Throttled(PORT, message, retry_at(answer.headers))
    data = body.get("data")
    if errors and is_mutation:
        raise _failed_mutation(errors, message, was_run=data is not None)
    if not data and errors:
        # GitHub: what took too long ends so, with "This may be the result of a timeout".
        is_for_once = any(
            one.get("type") in _TOO_MUCH or "timeout" in str(one.get("message")) for one in errors
        )
        raise (Unreachable if is_for_once else Refused)(PORT, message)
    if not data:
        raise (InDoubt if is_mutation else Unreachable)(PORT, message)
    return data


def query_errors(answer: Answer) -> tuple[QueryError, ...]:
    """The errors beside the data of a GraphQL query."""
    body = answer.data if isinstance(answer.data, dict) else {}
    return tuple(
        QueryError(
            kind=str(one.get("type") or ""),
            message=str(one.get("message") or "no reason given"),
            path=tuple(map(str, one.get("path") or ())),
        )
        for one in body.get("errors") or ()
        if isinstance(one, dict)
    )


def _failed_mutation(errors: list[dict[str, Any]], message: str, *, was_run: bool) -> WorldError:
    """A document that is not valid is not run at all; of what was run, only known errors say no."""
    says_no = all(one.get("type") in _SAYS_NO for one in errors)
    return Refused(PORT, message) if says_no or not was_run else InDoubt(PORT, message)


def _failure(answer: Answer, message: str) -> WorldError:
    headers = answer.headers
    limited = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    if answer.status == 429 or (answer.status == 403 and (limited or "rate limit" in message.lower())):
        return Throttled(PORT, message, retry_at(headers, is_secondary="secondary" in message.lower()))
    match answer.status:
        case 404 | 410:
            return Missing(PORT, message)
        case 409:
            return Moved(PORT, message)
        case 401:
            return Refused(PORT, f"{message}; the token is not accepted")
        case status if status >= 500:
            return Unreachable(PORT, message)
        case _:
            return Refused(PORT, message)


def retry_at(headers: Mapping[str, str], *, is_secondary: bool = False) -> datetime | None:
    """When to ask again (UTC). Seconds to wait count from GitHub's own clock, the `Date` of the answer."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdigit():
        return _later(headers, timedelta(seconds=int(after)))
    if is_secondary:
        # X-RateLimit-Reset is the primary limit's, which is not what ran out.
        return _later(headers, _SECONDARY_WAIT)
    return datetime.fromtimestamp(int(reset), UTC) if reset.isdigit() else None


def _later(headers: Mapping[str, str], wait: timedelta) -> datetime | None:
    try:
        return parsedate_to_datetime(headers.get("date", "")).astimezone(UTC) + wait
    except ValueError:
        return None


def _message(answer: Answer) -> str:
    data = answer.data if isinstance(answer.data, dict) else {}
    details = "; ".join(
        str(one.get("message") or one.get("code") or "")
        for one in data.get("errors") or ()
        if isinstance(one, dict)
    )
    text = str(data.get("message") or "no reason given")
    return f"{answer.status} {text}{f' ({details})' if details else ''}"[:_MESSAGE]
