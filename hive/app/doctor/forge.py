"""The forge, asked as hive's account: a few reads, one after the other, over one connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING

import requests

from hive.app.doctor.examination import Check
from hive.decisions.doctor.agents_token import COPILOT_TOKEN, agents_token_finding
from hive.decisions.doctor.finding import Finding, problem
from hive.decisions.doctor.forge import (
    Reply,
    account_findings,
    app_finding,
    clock_finding,
    limit_findings,
    token_findings,
)
from hive.decisions.doctor.repositories import Wanted, repository_findings
from hive.errors import Refused, Unreachable
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import Mode
from hive.settings.check import check_document
from hive.settings.github import GithubSettings
from hive.settings.settings import Settings

if TYPE_CHECKING:
    from hive.shells.github.app_tokens import AppTokens

_TIMEOUT = 8.0
"""Seconds for one answer."""


class ForgeReader:
    """Reads as the holder of `token`."""

    def __init__(self, api_url: str, token: str) -> None:
        self.token = token
        self._api_url = api_url
        self._session = requests.Session()
        self._session.auth = self._authorized

    def _authorized(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # As `auth`, so that neither ~/.netrc takes its place nor a redirection takes it elsewhere.
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request

    def get(self, path: str) -> Reply:
        """Raises `Unreachable`; whatever the forge answers is an answer."""
        try:
            answer = self._session.get(
                f"{self._api_url}{path}",
                headers={"Accept": "application/vnd.github+json", "User-Agent": "hive"},
                timeout=_TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            # Its own words hold the address and the request.
            raise Unreachable("forge", f"{self._api_url} does not answer ({type(error).__name__})") from error
        try:
            data = answer.json()
        except ValueError:
            data = None
        return Reply(answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, data)

    def close(self) -> None:
        self._session.close()


def forge_checks(settings: Settings, now: Callable[[], datetime]) -> list[Check]:
    """One check for the account, one for each token of an agent, and one for each repository."""
    github = settings.github
    tokens = _app(github, now)
    account = [Check("github token", lambda: _account(settings, now))]
    if tokens is not None:
        account = [
            Check(f"github app in {one.name}", partial(_app_in, tokens, one.name))
            for one in settings.repositories
        ]
    return [
        *account,
        *(
            Check(f"agent {spec.name}: forge token", partial(agents_token, github.api_url, spec.name, token))
            for spec, token in _agents_tokens(settings)
        ),
        *(
            Check(f"repository {each.repository}", partial(_repository, github, tokens, each))
            for each in wanted(settings)
        ),
    ]


def _app(github: GithubSettings, now: Callable[[], datetime]) -> AppTokens | None:
    if github.app is None:
        return None
    from hive.shells.github.app_tokens import AppTokens

    return AppTokens(github.api_url, github.app.id, github.app.key, now)


def _app_in(tokens: AppTokens, repo: str) -> Iterator[Finding]:
    try:
        yield app_finding(repo, tokens.login(), tokens.granted(repo))
    except Refused as error:
        yield problem(f"github app in {repo}", error.message, "see the App's settings on the forge")


def wanted(settings: Settings) -> list[Wanted]:
    """What the agents that are started need in each repository."""
    modes: dict[str, set[Mode]] = {one.name: set() for one in settings.repositories}
    for agent in check_document(settings)["agents"]:
        for place in agent["repositories"]:
            if place["mode"]:
                modes[settings.repository(place["name"]).name].add(Mode(place["mode"]))
    return [Wanted(one.name, frozenset(modes[one.name]), one.merge_method) for one in settings.repositories]


def _account(settings: Settings, now: Callable[[], datetime]) -> Iterator[Finding]:
    github = settings.github
    owners = {one.name.partition("/")[0] for one in settings.repositories}
    reader = ForgeReader(github.api_url, github.credential())
    try:
        user = reader.get("/user")
        at = now()
        yield from token_findings(reader.token, user)
        yield from account_findings(user, owners, shared=settings.incidents.shared_account)
        yield clock_finding(_date(user), at)
        if user.status != 401:
            yield from limit_findings(reader.get("/rate_limit"))
    finally:
        reader.close()


def _agents_tokens(settings: Settings) -> Iterator[tuple[AgentSpec, str]]:
    """Tokens of the forge that a program needs for itself, since its models are behind the same account."""
    for spec in settings.agents:
        token = dict(spec.environment).get(COPILOT_TOKEN, "")
        if token:
            yield spec, token


def agents_token(api_url: str, agent: str, token: str) -> Iterator[Finding]:
    """What such a token reaches, in one finding. Raises `Unreachable`."""
    reader = ForgeReader(api_url, token)
    try:
        private = reader.get("/user/repos?visibility=private&per_page=1")
        yield agents_token_finding(agent, reader.get("/user"), private)
    finally:
        reader.close()


def _repository(github: GithubSettings, tokens: AppTokens | None, each: Wanted) -> Iterator[Finding]:
    try:
        token = github.credential() if tokens is None else tokens.token(each.repository)
    except Refused:
        # Told by the App's own check.
        return
    reader = ForgeReader(github.api_url, token)
    try:
        yield from repository_findings(each, reader.get(f"/repos/{each.repository}"))
    finally:
        reader.close()


def _date(reply: Reply) -> datetime | None:
    try:
        return parsedate_to_datetime(reply.headers.get("date", "")).astimezone(UTC)
    except ValueError:
        return None
