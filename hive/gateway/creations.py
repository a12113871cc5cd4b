"""Creations among the writes, and where the forge would show that one was made though no answer came."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlencode

from hive.decisions.requests import Operation, Request
from hive.decisions.requests.address import Address
from hive.decisions.requests.graphql_document import Document
from hive.facts.autonomy import Action
from hive.gateway.published import Words
from hive.gateway.upstream import Reply, Upstream

_MUTATIONS = {
    "createIssue": "issues",
    "addComment": "comments",
    "addPullRequestReview": "reviews",
    "addPullRequestReviewComment": "pull-comments",
    "addPullRequestReviewThread": "pull-comments",
    "addPullRequestReviewThreadReply": "pull-comments",
}
_SKEW = timedelta(minutes=2)
"""By how much the forge's clock may differ from this machine's (chosen)."""


@dataclass(frozen=True, slots=True)
class Creation:
    """Something that is made at each asking.

    Attributes:
        key: The same for the same content, target and agent: a digest in hexadecimal digits.
        kind: issues, comments, reviews, or pull-comments.
        target: ``o/r`` or ``o/r#7``.
        title, body: As they would be published.
    """

    key: str
    kind: str
    target: str
    title: str
    body: str


def of_rest(
    request: Request, where: Address, operations: tuple[Operation, ...], words: Words
) -> Creation | None:
    """The creation that a request asks for; `None` where it asks for something else."""
    kind = _kind(request.method, where.segments[3:])
    if kind is None:
        return None
    fields = request.value
    if not isinstance(fields, dict):
        return None
    path = "/".join(quote(segment, safe="") for segment in where.segments)
    key = _key(words.agent, request.method, path, fields)
    return Creation(key, kind, operations[0].target, *_published(fields, kind, words))


def _kind(method: str, below: tuple[str, ...]) -> str | None:
    if method != "POST" or not below:
        return None
    match below:
        case ("issues",):
            return "issues"
        case ("issues", _, "comments"):
            return "comments"
        case ("pulls", _, "reviews"):
            return "reviews"
        case ("pulls", _, "comments") | ("pulls", _, "comments", _, "replies"):
            return "pull-comments"
        case _:
            return None


def of_graphql(document: Document, operations: tuple[Operation, ...], words: Words) -> Creation | None:
    """As `of_rest`; `None` also where one request does several things."""
    fields = document.root_fields()
    kind = _MUTATIONS.get(fields[0].name.value) if len(fields) == 1 else None
    if kind is None or not operations or operations[0].action is Action.READ:
        return None
    given = document.argument(fields[0], "input")
    told = given if isinstance(given, dict) else {}
    key = _key(words.agent, "GraphQL", document.body)
    return Creation(key, kind, operations[0].target, *_published(told, kind, words))


def _key(*what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _published(fields: Mapping[str, object], kind: str, words: Words) -> tuple[str, str]:
    title, body = fields.get("title"), fields.get("body")
    if kind == "issues" and not body:
        return words.line(title) if isinstance(title, str) else "", words.body("")
    return (
        words.line(title) if isinstance(title, str) else "",
        words.body(body) if isinstance(body, str) and body else "",
    )


def find(
    upstream: Upstream, account: str, creation: Creation, since: datetime
) -> Mapping[str, object] | None:
    """What the forge shows of `creation`, where hive's account made it since then. Raises `Unreachable`."""
    repo, _, number = creation.target.partition("#")
    after = (since - _SKEW).astimezone(UTC)
    path, query = f"/repos/{repo}/issues", {"per_page": "100"}
    match creation.kind:
        case "issues":
            query |= {"creator": account, "state": "all", "sort": "created", "direction": "desc"}
        case "comments":
            path += f"/{number}/comments"
            query |= {"since": after.strftime("%Y-%m-%dT%H:%M:%SZ")}
        case "reviews":
            path = f"/repos/{repo}/pulls/{number}/reviews"
        case _:
            path = f"/repos/{repo}/pulls/{number}/comments"
            query |= {"sort": "created", "direction": "desc"}
    value = _listed(upstream.rest("GET", f"{path}?{urlencode(query)}"))
    return next((one for one in reversed(value) if _is_it(one, creation, account, after)), None)


def _listed(reply: Reply) -> list[Mapping[str, object]]:
    value = reply.json() if reply.status == 200 else []
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_it(one: Mapping[str, object], creation: Creation, account: str, after: datetime) -> bool:
    user = one.get("user")
    login = str(user.get("login", "")) if isinstance(user, dict) else ""
    at = str(one.get("created_at") or one.get("submitted_at") or "")
    return (
        login.casefold() == account.casefold()
        and at >= after.strftime("%Y-%m-%dT%H:%M:%SZ")
        and str(one.get("body") or "") == creation.body
        and (not creation.title or one.get("title") == creation.title)
    )
