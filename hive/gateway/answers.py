"""Answers that tools of GitHub's understand and a person can read."""

from __future__ import annotations

import json

from hive.gateway.wire import Response

DOCUMENTATION = "https://docs.github.com/rest"


def as_json(status: int, value: object) -> Response:
    body = json.dumps(value, ensure_ascii=False).encode()
    return Response(status, (("Content-Type", "application/json; charset=utf-8"),), body)


def problem(status: int, message: str) -> Response:
    """GitHub's shape of an error, said by hive."""
    said = message if message.startswith("hive: ") else f"hive: {message}"
    return as_json(status, {"message": said, "documentation_url": DOCUMENTATION, "status": str(status)})


def unauthorized(after_s: float = 0.0) -> Response:
    """No token, or nobody's; git asks its credential helper on seeing this."""
    answer = problem(401, "Bad credentials: this is no token of an agent that hive runs")
    headers = (*answer.headers, ("WWW-Authenticate", 'Basic realm="hive"'))
    return Response(401, headers, answer.body, after_s)


def proxy_unauthorized(after_s: float = 0.0) -> Response:
    """The same of a proxy, which says no more to a stranger than that it leads to the forge alone."""
    answer = problem(407, "only the forge is reached through hive; anything else needs an agent's token")
    headers = (*answer.headers, ("Proxy-Authenticate", 'Basic realm="hive"'))
    return Response(407, headers, answer.body, after_s)


def graphql_refusal(message: str) -> Response:
    """GraphQL's shape: both gh 2.23 and 2.102 print the message of an error in `errors`."""
    said = message if message.startswith("hive: ") else f"hive: {message}"
    return as_json(200, {"data": None, "errors": [{"type": "FORBIDDEN", "message": said}]})
