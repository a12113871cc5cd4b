"""Answers REST requests: finds the route, shapes pages, failures, ETags and limits."""

import hashlib
import json
import re
from typing import Any
from urllib.parse import urlencode

from hive.standins.github import access, apps, grants
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.limits import Limits
from hive.standins.github.records import Account
from hive.standins.github.records_access import App
from hive.standins.github.rest import (
    accounts,
    actions,
    activity,
    checks,
    dependencies,
    hooks,
    issues,
    labels,
    protection,
    pulls,
    refs,
    repositories,
    reviews,
    search,
    threads,
)
from hive.standins.github.rest import apps as app_routes
from hive.standins.github.rest.call import Call, Reply, View
from hive.standins.github.rest.routing import Route, routes
from hive.standins.github.urls import Urls
from hive.standins.github.wire import Request, Response, json_of

MODULES = (
    accounts,
    actions,
    activity,
    app_routes,
    protection,
    threads,
    checks,
    dependencies,
    hooks,
    issues,
    labels,
    pulls,
    refs,
    repositories,
    reviews,
    search,
)
"""Imported for the routes that they register."""

_DOCUMENTATION = "https://docs.github.com/rest"
_JSON = "application/json; charset=utf-8"
Found = tuple[Route, dict[str, str]] | None


def _for_apps(template: str) -> bool:
    """Whether a route takes an App's own signature."""
    return (
        template.startswith("/app") or template.endswith("/installation") or template in ("/", "/rate_limit")
    )


_FREE = ("/rate_limit",)


class RestService:
    """The REST interface of one forge."""

    def __init__(self, forge: Forge, limits: Limits) -> None:
        self.forge = forge
        self.limits = limits

    def answer(self, request: Request, path: str, urls: Urls) -> tuple[Response, str]:
        """The response to a request for `path` (encoded, without prefix), and its route's template."""
        found = routes.find("GET" if request.method == "HEAD" else request.method, path)
        template = f"{request.method} {found[0].template}" if found else f"{request.method} (no route)"
        resource = "search" if path.startswith("/search/") else "core"
        account: Account | None = None
        with self.forge.transaction():
            try:
                app, account = self._caller(request.header("Authorization"))
                if path not in _FREE:
                    self.limits.spend(account, resource)
                    self.limits.hurry(account, resource, writes=request.method not in ("GET", "HEAD"))
                if found is not None:
                    grants.check_route(account, request.method, found[0].template)
                response = self._routed(request, found, urls, account, app)
            except ApiFailure as failure:
                response = failure_response(failure)
            response = self._conditional(request, response, account, resource)
        response.headers = {**self.limits.headers(account, resource), **response.headers}
        return response, template

    def _caller(self, authorization: str | None) -> tuple[App | None, Account | None]:
        """The App that signed the request, or the account whose token it carries."""
        if not access.is_jwt(authorization):
            return None, access.identify(self.forge, authorization)
        app = apps.app_of_jwt(self.forge, access.token_of(authorization) or "")
        return app, self.forge.store.accounts.get(app.bot)

    def _routed(
        self,
        request: Request,
        found: Found,
        urls: Urls,
        account: Account | None,
        app: App | None,
    ) -> Response:
        if found is None:
            raise ApiFailure(404, "Not Found")
        route, params = found
        if app is not None and not _for_apps(route.template):
            raise ApiFailure(401, "This endpoint cannot be called with a JSON web token")
        call = Call(
            view=View(self.forge, urls, account),
            app=app,
            limits=self.limits,
            params=params,
            query=request.query,
            body=_json_body(request),
            accept=request.header("Accept") or "",
        )
        return _rendered(request, urls, route.answer(call))

    def _conditional(
        self, request: Request, response: Response, account: Account | None, resource: str
    ) -> Response:
        """An ETag on what was read; 304, at no cost, where the caller has it already."""
        if request.method not in ("GET", "HEAD") or response.status != 200:
            return response
        digest = hashlib.sha256(response.body + response.headers.get("Link", "").encode()).hexdigest()
        tag = f'W/"{digest}"'
        response.headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
        asked = {
            each.strip().removeprefix("W/") for each in (request.header("If-None-Match") or "").split(",")
        }
        if tag.removeprefix("W/") in asked:
            self.limits.give_back(account, resource)
            return Response(304, b"", response.headers)
        return response


def _json_body(request: Request) -> dict[str, Any]:
    """The body's object; a list is kept under an empty name, as the label routes take one."""
    if not request.body.strip() or request.method in ("GET", "HEAD"):
        return {}
    try:
        body = json_of(request.body)
    except (ValueError, RecursionError) as error:
        raise ApiFailure(400, "Problems parsing JSON") from error
    if isinstance(body, list):
        return {"": body}
    if not isinstance(body, dict):
        raise ApiFailure(400, "Body should be a JSON object")
    return body


def _rendered(request: Request, urls: Urls, reply: Reply) -> Response:
    headers = {"Content-Type": _JSON, "X-GitHub-Media-Type": "github.v3; format=json", **reply.headers}
    headers["X-GitHub-Request-Id"] = "0000:0000:STANDIN"
    if reply.status == 204:
        return Response(204, b"", {name: value for name, value in headers.items() if name != "Content-Type"})
    body = reply.body
    if reply.pages is not None:
        items, link = _page(request, urls, reply.body)
        body = [reply.pages(item) for item in items]
        if link:
            headers["Link"] = link
        body = reply.wrap(body) if reply.wrap else body
    if isinstance(body, bytes):
        return Response(reply.status, body, headers)
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return Response(reply.status, text.encode("utf-8", "replace"), headers)


def _number(query: dict[str, str], name: str, default: int) -> int:
    text = query.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else default


def _page(request: Request, urls: Urls, items: list[Any]) -> tuple[list[Any], str]:
    """The items of the page that was asked for, and the Link header (empty where all is on one page)."""
    size = max(1, min(100, _number(request.query, "per_page", 30)))
    page = max(1, _number(request.query, "page", 1))
    last = max(1, -(-len(items) // size))
    path = request.raw_path.removeprefix("/api/v3")
    wanted = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    if page >= last:
        del wanted["next"], wanted["last"]
    if page == 1:
        del wanted["prev"], wanted["first"]

    def address(number: int) -> str:
        return f"{urls.api}{path}?{urlencode({**request.query, 'page': str(number)})}"

    link = ", ".join(f'<{address(number)}>; rel="{name}"' for name, number in wanted.items())
    return items[(page - 1) * size : page * size], link


def failure_response(failure: ApiFailure) -> Response:
    """A failure in REST's shape."""
    body: dict[str, Any] = {"message": failure.message}
    if failure.details:
        body["errors"] = list(failure.details)
    body |= {"documentation_url": _DOCUMENTATION, "status": str(failure.status)}
    return Response(failure.status, json.dumps(body).encode(), {"Content-Type": _JSON, **failure.headers})
