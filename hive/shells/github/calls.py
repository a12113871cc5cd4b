"""Requests to GitHub's REST and GraphQL interfaces.

PyGithub supplies the connection, authentication and pacing; answers stay raw JSON. Its objects cost a
request where one reads an attribute that a list did not carry (`issue.pull_request`: one for each issue),
and its default retry sleeps up to an hour and repeats POST.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from github import Auth, Github, GithubException

from hive.errors import InDoubt, Refused, Unreachable
from hive.shells.github.answers import (
    PORT,
    Answer,
    QueryError,
    check_read,
    check_write,
    graphql_data,
    json_of,
    query_errors,
)
from hive.shells.github.job_logs import log_lines
from hive.shells.github.limits import Limits
from hive.shells.github.remembered import Remembered


class Calls:
    """One client, used by one thread. `requests` counts what was sent, `limits` what is left.

    `refused` is told of a token that GitHub does not accept; where `credential` has another one then, what
    was asked with the old one, and was not done, is asked once more.
    """

    def __init__(
        self,
        api_url: str,
        credential: Callable[[], str],
        timeout: int,
        remembered: Remembered | None = None,
        limits: Limits | None = None,
        refused: Callable[[str], None] = lambda token: None,
    ) -> None:
        self.requests = 0
        self.limits = limits or Limits("the token")
        self._api_url = api_url
        self._credential = credential
        self._refused = refused
        self._timeout = timeout
        self._token = ""
        self._github: Github | None = None
        self._remembered = remembered or Remembered()

    def close(self) -> None:
        if self._github is not None:
            self._github.close()

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        """One page, from memory where GitHub says that nothing changed (304s are free of charge)."""
        return self._get(path, parameters).data

    def pages(self, path: str, parameters: Mapping[str, str] | None = None) -> list[Any]:
        """All pages of a list."""
        return [one for page in self._pages(path, parameters) for one in page]

    def each_page(self, path: str, parameters: Mapping[str, str] | None = None) -> Iterator[list[Any]]:
        """The pages of a list, each asked for when it is wanted."""
        yield from self._pages(path, parameters)

    def counted_pages(
        self, path: str, key: str, parameters: Mapping[str, str] | None = None
    ) -> tuple[list[Any], int]:
        """All pages of a list inside of an object (``check_runs``), and how long GitHub says it is."""
        found: list[Any] = []
        total = 0
        for page in self._pages(path, parameters):
            found += page[key]
            total = int(page["total_count"])
        return found, total

    def lines(self, path: str) -> Iterator[str]:
        """The lines of a job's log, from wherever the forge keeps it."""
        self.requests += 1
        return log_lines(self._api_url, path, self._credential(), self._timeout)

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send once. Raises `InDoubt` where no answer came or the server broke down over it."""
        answer = self._send_write(method, path, body or {})
        check_write(answer, f"{method} {path}")
        return answer.data

    def query(self, query: str, variables: Mapping[str, Any]) -> Any:
        """The `data` of a GraphQL query, without what had errors. Raises `Refused` when there is none."""
        return self.ask(query, variables)[0]

    def ask(
        self, query: str, variables: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], tuple[QueryError, ...]]:
        """As `query`, with the errors: what has one is null in the data."""
        body = {"query": query, "variables": dict(variables)}
        answer = self._send("POST", self._graphql_url(), None, {}, body)
        return graphql_data(answer, is_mutation=False), query_errors(answer)

    def mutate(self, mutation: str, variables: Mapping[str, Any]) -> Any:
        """The `data` of a GraphQL mutation, sent once; failures as `write` has them."""
        body = {"query": mutation, "variables": dict(variables)}
        return graphql_data(self._send_write("POST", self._graphql_url(), body), is_mutation=True)

    def forget_commits(self, repo: str, but: Iterable[str]) -> None:
        """Drop what is remembered of commits of `repo` that are no head any more."""
        root, kept = f"/repos/{repo}/commits/", frozenset(but)
        self._remembered.forget(
            lambda key: key.startswith(root) and key.removeprefix(root).partition("/")[0] not in kept
        )

    def _pages(self, path: str, parameters: Mapping[str, str] | None) -> Iterable[Any]:
        page: str | None = "1"
        while page is not None:
            answer = self._get(path, {"per_page": "100", **(parameters or {}), "page": page})
            yield answer.data
            page = _next_page(answer.headers.get("link", ""))

    def _get(self, path: str, parameters: Mapping[str, str] | None) -> Answer:
        key = f"{path}?{sorted((parameters or {}).items())}"
        etag = self._remembered.etag(key)
        answer = self._send("GET", path, parameters, {"If-None-Match": etag} if etag else {}, None)
        if answer.status == 304 and etag:
            return self._remembered.answer(key)
        check_read(answer, f"GET {path}")
        self._remembered.keep(key, answer)
        return answer

    def _send_write(self, method: str, path: str, body: Mapping[str, Any]) -> Answer:
        try:
            return self._send(method, path, None, {}, body)
        except Unreachable as error:
            raise InDoubt(PORT, f"{method} {path}: {error.message}") from error

    def _send(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, str] | None,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> Answer:
        client, token = self._client(), self._token
        answer = self._sent(client, method, path, parameters, headers, body)
        if answer.status == 401:
            self._refused(token)
            client = self._client()
            if token != self._token:
                answer = self._sent(client, method, path, parameters, headers, body)
        return answer

    def _sent(
        self,
        client: Github,
        method: str,
        path: str,
        parameters: Mapping[str, str] | None,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> Answer:
        resource = "core" if path.startswith("/") else "graphql"
        self.limits.check(resource)
        self.requests += 1
        try:
            status, answered, text = client.requester.requestJson(
                method, path, parameters=dict(parameters or {}), headers=dict(headers), input=body
            )
        except requests.RequestException as error:
            raise Unreachable(PORT, _plainly(error)) from error
        except GithubException as error:
            raise Unreachable(PORT, f"{method} {path}: {error.status}") from error
        except RuntimeError as error:
            # PyGithub's only word for a redirection to another host, protocol or in a ring.
            raise Refused(PORT, f"{method} {path}: it is redirected to another address") from error
        answer = Answer(status, {k.lower(): str(v) for k, v in answered.items()}, json_of(text))
        self.limits.heard(resource, answer)
        return answer

    def _graphql_url(self) -> str:
        return self._client().requester.graphql_url

    def _client(self) -> Github:
        """The client; a new one when the credential has changed."""
        token = self._credential()
        if self._github is None or token != self._token:
            self.close()
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


def _next_page(link: str) -> str | None:
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return parse_qs(urlsplit(address.strip(" <>")).query).get("page", [None])[0]
    return None


def _plainly(error: Exception) -> str:
    """The kind of failure without addresses or anything of the request."""
    return {
        "ConnectTimeout": "no connection in time",
        "ReadTimeout": "no answer in time",
        "ConnectionError": "the connection failed",
        "ChunkedEncodingError": "the connection broke off in the middle of an answer",
        "SSLError": "the certificate was not accepted",
    }.get(type(error).__name__, type(error).__name__)
