"""Refusals of hive's own, each in the shape that the agent's program expects of its provider."""

from __future__ import annotations

from hive.facts.models import Dialect
from hive.gateway.answers import as_json
from hive.gateway.wire import Response

_ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    503: "overloaded_error",
    504: "timeout_error",
}
_GOOGLE = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    402: "FAILED_PRECONDITION",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_OPENAI = {402: "insufficient_quota", 401: "invalid_api_key"}


def refuse(dialect: Dialect | None, status: int, message: str, *, after_s: float = 0.0) -> Response:
    """`message` said by hive. Without a dialect (nobody knows which is meant) in OpenAI's."""
    said = f"hive: {message}"
    answer = as_json(status, _body(dialect, status, said))
    return Response(status, answer.headers, answer.body, after_s)


def _body(dialect: Dialect | None, status: int, said: str) -> dict[str, object]:
    match dialect:
        case Dialect.ANTHROPIC:
            return {"type": "error", "error": {"type": _ANTHROPIC.get(status, "api_error"), "message": said}}
        case Dialect.GEMINI:
            return {
                "error": {"code": status, "message": said, "status": _GOOGLE.get(status, "INTERNAL")},
            }
        case _:
            kind = "invalid_request_error" if status < 500 else "server_error"
            code = _OPENAI.get(status)
            return {"error": {"message": said, "type": code or kind, "param": None, "code": code}}
