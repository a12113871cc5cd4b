"""Requests to GitHub's REST and GraphQL interfaces, with their failures in hive's own words.

PyGithub supplies the connection, authentication and pacing; answers stay raw JSON. Its objects cost a
request where one reads an attribute that a list did not carry (`issue.pull_request`: one for each issue),
and its default retry sleeps up to an hour and repeats POST.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from github import Auth, Github, GithubException

from hive.errors import InDoubt, Missing, Moved, Refused, Throttled, Unreachable, WorldError

_PORT = "forge"
_MESSAGE = 300
"""Characters kept of GitHub's own message."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    data: Any


class Calls:
    """One client, used by one thread. `requests` counts what was sent."""

    def __init__(self, api_url: str, credential: Callable[[], str], timeout: int) -> None:
        self.requests = 0
        self._api_url = api_url
        self._credential = credential
        self._timeout = timeout
        self._token = ""
        self._github: Github | None = None
        self._cache: dict[str, Answer] = {}

    def close(self) -> None:
        if self._github is not None:
            self._github.close()

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        """One page, from the cache where GitHub says that nothing changed (304s are free of charge)."""
        return self._get(path, parameters).data

    def pages(self, path: str, parameters: Mapping[str, str] | None = None, *, key: str = "") -> list[Any]:
        """All pages of a list; `key` names it inside of an object (``check_runs``)."""
        found: list[Any] = []
        page: str | None = "1"
        while page is not None:
            answer = self._get(path, {"per_page": "100", **(parameters or {}), "page": page})
            found += answer.data[key] if key else answer.data
            page = _next_page(answer.headers.get("link", ""))
        return found

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send once. Raises `InDoubt` where no answer came or the server broke down over it."""
        try:
            answer = self._send(method, path, None, {}, body or {})
        except Unreachable as error:
            raise InDoubt(_PORT, f"{method} {path}: {error.message}") from error
        if answer.status >= 500:
            raise InDoubt(_PORT, f"{method} {path}: {_message(answer)}")
        _raise_for(answer, f"{method} {path}")
        return answer.data

    def graphql(self, query: str, variables: Mapping[str, Any]) -> Any:
        """The `data` of a query. Raises `Refused` when GitHub answers with errors and no data."""
        client = self._client().requester
        self.requests += 1
        try:
            _, answer = client.graphql_query(query, dict(variables))
        except GithubException as error:
            data = error.data if isinstance(error.data, dict) else {}
            if data.get("data"):
                return data["data"]
            raise Refused(_PORT, f"graphql: {str(data or error)[:_MESSAGE]}") from error
        except requests.RequestException as error:
            raise Unreachable(_PORT, _plainly(error)) from error
        return answer["data"]

    def _get(self, path: str, parameters: Mapping[str, str] | None) -> Answer:
        key = f"{path}?{sorted((parameters or {}).items())}"
        known = self._cache.get(key)
        etag = known.headers.get("etag") if known else None
        answer = self._send("GET", path, parameters, {"If-None-Match": etag} if etag else {}, None)
        if answer.status == 304 and known is not None:
            return known
        _raise_for(answer, f"GET {path}")
        self._cache[key] = answer
        return answer

    def _send(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, str] | None,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> Answer:
        self.requests += 1
        try:
            status, answered, text = self._client().requester.requestJson(
                method, path, parameters=dict(parameters or {}), headers=dict(headers), input=body
            )
        except requests.RequestException as error:
            raise Unreachable(_PORT, _plainly(error)) from error
        except GithubException as error:
            raise Unreachable(_PORT, f"{method} {path}: {error.status}") from error
        return Answer(status, {k.lower(): str(v) for k, v in answered.items()}, _json(text))

    def _client(self) -> Github:
        """The client; a new one when the credential has changed."""
        token = self._credential()
        if self._github is None or token != self._token:
            self._token = token
            self._github = Github(
                base_url=self._api_url,
                auth=Auth.Token(token),
                timeout=self._timeout,
                retry=None,
                user_agent="hive",
                seconds_between_requests=0,
                seconds_between_writes=0,
            )
        return self._github


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def _next_page(link: str) -> str | None:
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return parse_qs(urlsplit(address.strip(" <>")).query).get("page", [None])[0]
    return None


def _raise_for(answer: Answer, what: str) -> None:
    """Raise what an error status means; nothing for a success."""
    if answer.status < 400:
        if answer.data is None and answer.status not in (204, 304):
            raise Unreachable(_PORT, f"{what}: the answer is no JSON")
        return
    raise _failure(answer, f"{what}: {_message(answer)}")


def _failure(answer: Answer, message: str) -> WorldError:
    headers = answer.headers
    limited = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    if answer.status == 429 or (answer.status == 403 and (limited or "rate limit" in message.lower())):
        return Throttled(_PORT, message, _retry_at(headers))
    match answer.status:
        case 404 | 410:
            return Missing(_PORT, message)
        case 409:
            return Moved(_PORT, message)
        case 401:
            return Refused(_PORT, f"{message}; the token is not accepted")
        case status if status >= 500:
            return Unreachable(_PORT, message)
        case _:
            return Refused(_PORT, message)


def _retry_at(headers: Mapping[str, str]) -> datetime | None:
    """When to ask again. Seconds to wait count from GitHub's own clock, the `Date` of the answer."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if reset.isdigit() and not after.isdigit():
        return datetime.fromtimestamp(int(reset), UTC)
    if after.isdigit():
        from datetime import timedelta
        from email.utils import parsedate_to_datetime

        try:
            return parsedate_to_datetime(headers.get("date", "")).astimezone(UTC) + timedelta(
                seconds=int(after)
            )
        except ValueError:
            return None
    return None


def _message(answer: Answer) -> str:
    data = answer.data if isinstance(answer.data, dict) else {}
    details = "; ".join(
        str(one.get("message") or one.get("code") or "")
        for one in data.get("errors") or ()
        if isinstance(one, dict)
    )
    text = str(data.get("message") or answer.status)
    return f"{answer.status} {text}{f' ({details})' if details else ''}"[:_MESSAGE]


def _plainly(error: Exception) -> str:
    """The kind of failure without addresses or anything of the request."""
    return {
        "ConnectTimeout": "no connection in time",
        "ReadTimeout": "no answer in time",
        "ConnectionError": "the connection failed",
        "SSLError": "the certificate was not accepted",
    }.get(type(error).__name__, type(error).__name__)
