"""Answers GraphQL requests as GitHub does: always 200 once the caller is known, failures in `errors`."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hive.standins.github import access
from hive.standins.github.clock import written
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.limits import Limits
from hive.standins.github.records import Account
from hive.standins.github.rest.call import View
from hive.standins.github.rest.service import failure_response
from hive.standins.github.urls import Urls
from hive.standins.github.wire import Request, Response, json_of

_KINDS = {401: "UNAUTHENTICATED", 403: "FORBIDDEN", 404: "NOT_FOUND", 410: "NOT_FOUND"}


class GraphQLService:
    """The GraphQL interface of one forge."""

    def __init__(self, forge: Forge, limits: Limits) -> None:
        self.forge = forge
        self.limits = limits

    def answer(self, request: Request, urls: Urls) -> tuple[Response, str]:
        """The response, and what to count it as: the operation's name."""
        account, name = None, "?"
        _warm(request)
        with self.forge.transaction():
            try:
                account = access.identify(self.forge, request.header("Authorization"))
                if account is None:
                    raise ApiFailure(401, "This endpoint requires you to be authenticated.")
                asked = _question(request)
                name = _operation(asked)
                response = _json(200, self._within_limits(View(self.forge, urls, account), account, asked))
            except ApiFailure as failure:
                response = failure_response(failure)
        response.headers = {**self.limits.headers(account, "graphql"), **response.headers}
        return response, f"POST graphql {name}"

    def _within_limits(self, view: View, account: Account, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer, once it is paid for; GitHub says that nothing is left in the errors of a 200."""
        from hive.standins.github.graphql import cost as costs
        from hive.standins.github.graphql.schema import prepare

        document = prepare(asked["query"]).document
        variables = asked.get("variables") or {}
        cost = costs.Cost(1, 0)
        if document is not None:
            cost = costs.of(document, variables, asked.get("operationName") or None)
        writes = asked["query"].lstrip().startswith("mutation")
        self.limits.hurry(account, "graphql", writes=writes)
        try:
            self.limits.spend(account, "graphql", cost.points)
        except ApiFailure as failure:
            return {"errors": [{"type": "RATE_LIMITED", "message": failure.message}]}
        if cost.nodes > costs.MOST_NODES:
            said = (
                f"This query requests up to {cost.nodes:,} possible nodes which exceeds the maximum limit of "
                f"{costs.MOST_NODES:,}."
            )
            return {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": said}]}
        window = self.limits.window(account, "graphql")
        view.notes["rateLimit"] = {
            "limit": window.limit,
            "cost": cost.points,
            "remaining": window.limit - window.used,
            "used": window.used,
            "nodeCount": cost.nodes,
            "resetAt": written(window.reset),
        }
        return execute(view, asked)


def _warm(request: Request) -> None:
    """Prepare the document before the lock is taken: the first one builds the schema, which takes a while."""
    if request.header("Authorization") is None:
        return
    with suppress(ApiFailure):
        asked = _question(request)

        from hive.standins.github.graphql.schema import prepare

        prepare(asked["query"])


def _question(request: Request) -> dict[str, Any]:
    if request.method != "POST":
        raise ApiFailure(404, "Not Found")
    try:
        asked = json_of(request.body)
    except (ValueError, RecursionError) as error:
        raise ApiFailure(400, "Problems parsing JSON") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
        raise ApiFailure(400, "A query attribute must be specified and must be a string.")
    return asked


def _operation(asked: dict[str, Any]) -> str:
    """The operation's name, from the request or its document."""
    if isinstance(asked.get("operationName"), str) and asked["operationName"]:
        return str(asked["operationName"])
    words = asked["query"].replace("(", " ").replace("{", " ").split()
    named = len(words) > 1 and words[0] in ("query", "mutation")
    return words[1] if named else "(unnamed)"


def execute(view: View, asked: dict[str, Any]) -> dict[str, Any]:
    """Run one document; `data` and `errors` as GitHub shapes them."""
    # graphql-core takes a tenth of a second to import, and REST clients do not need it.
    from graphql import execute_sync

    from hive.standins.github.graphql import modules
    from hive.standins.github.graphql.schema import prepare, schema

    prepared = prepare(asked["query"])
    if prepared.unreadable is not None:
        return {"errors": [_error(prepared.unreadable)]}
    if prepared.document is None or prepared.problems:
        return {"errors": [{**_error(each), "extensions": {"code": "invalid"}} for each in prepared.problems]}
    result = execute_sync(
        schema(),
        prepared.document,
        context_value=view,
        variable_values=asked.get("variables") or {},
        operation_name=asked.get("operationName") or None,
        field_resolver=modules.resolve,
    )
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [_error(error) for error in result.errors]
    return body


def _error(error: Any) -> dict[str, Any]:
    """One entry of `errors`: a failure's type and message, path and place."""
    cause = error.original_error
    if cause is not None and not isinstance(cause, ApiFailure) and not hasattr(cause, "extensions"):
        raise cause
    shown: dict[str, Any] = {}
    if isinstance(cause, ApiFailure):
        shown["type"] = _KINDS.get(cause.status, "UNPROCESSABLE")
    elif error.extensions and "type" in error.extensions:
        shown["type"] = error.extensions["type"]
    if error.path is not None:
        shown["path"] = list(error.path)
    if error.locations:
        shown["locations"] = [{"line": each.line, "column": each.column} for each in error.locations]
    shown["message"] = _words(cause) if isinstance(cause, ApiFailure) else error.message
    return shown


def _words(failure: ApiFailure) -> str:
    """A failure's message; the details' own where there are any, as GraphQL has no place for details."""
    details: Callable[[Any], str] = lambda each: each.get("message") or f"{each['field']} is {each['code']}"  # noqa: E731
    return ", ".join(details(each) for each in failure.details) or failure.message


def _json(status: int, body: Any) -> Response:
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(status, data, {"Content-Type": "application/json; charset=utf-8"})
