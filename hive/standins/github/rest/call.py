"""One REST call: what was asked by whom, and the shapes of an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hive.standins.github import access, issues, pulls
from hive.standins.github.failures import ApiFailure, invalid, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.limits import Limits
from hive.standins.github.records import Account, Issue, Pull, Repository
from hive.standins.github.records_access import App
from hive.standins.github.urls import Urls

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """Who looks, and by which addresses: what a body needs beside its record."""

    forge: Forge
    urls: Urls
    viewer: Account | None
    repositories: dict[int, Json] = field(default_factory=dict)
    """Bodies made for this answer already: each pull request shows its repository twice."""
    notes: Json = field(default_factory=dict)
    """What the service knows of the request: `rateLimit` of a GraphQL query."""


@dataclass(slots=True)
class Reply:
    """An answer; a list is cut into pages before it is sent, where `pages` says how an item is shown."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pages: Callable[[Any], Any] | None = None
    wrap: Callable[[list[Any]], Any] | None = None


def paged(
    items: list[Any], show: Callable[[Any], Any], wrap: Callable[[list[Any]], Any] | None = None
) -> Reply:
    """A list, shown item by item; `wrap` puts the page into an object."""
    return Reply(items, pages=show, wrap=wrap)


@dataclass(frozen=True, slots=True)
class Call:
    """One call on a route, with its path's parameters, query and JSON body."""

    view: View
    limits: Limits
    params: dict[str, str]
    query: dict[str, str]
    body: Json
    accept: str = ""
    app: App | None = None
    """The App that signed the call by its own key."""

    @property
    def forge(self) -> Forge:
        """What the call works on."""
        return self.view.forge

    @property
    def actor(self) -> Account | None:
        """Who calls; None without a credential."""
        return self.view.viewer

    def me(self) -> Account:
        """Who calls, or a 401."""
        return access.signed_in(self.view.viewer)

    def repo(self, needed: str = "read") -> Repository:
        """The repository of the path, if the caller has at least `needed` there."""
        repo = self.forge.repository(f"{self.params['owner']}/{self.params['repo']}")
        if repo is None:
            raise not_found()
        access.require(self.forge, self.actor, repo, needed)
        return repo

    def number(self) -> int:
        """The path's `number`, or a 404 for what is none."""
        text = self.params["number"]
        if not (text.isascii() and text.isdigit()):
            raise not_found()
        return int(text)

    def issue(self, repo: Repository) -> Issue:
        """The issue of the path."""
        return issues.get(self.forge, repo, self.number())

    def pull(self, repo: Repository) -> Pull:
        """The pull request of the path."""
        return pulls.get(self.forge, repo, self.number())

    def own(self, repo: Repository, author: int | None) -> Account:
        """Who calls, if it is the author or may write; else a 403."""
        me = self.me()
        if me.id != author:
            access.require(self.forge, me, repo, "triage")
        return me

    def text(self, name: str) -> str | None:
        """A text of the body, or None; 422 for another type."""
        value = self.body.get(name)
        if value is None or isinstance(value, str):
            return value
        raise ApiFailure(422, f"Invalid request.\n\nFor 'properties/{name}', {value!r} is not a string.")

    def needed(self, resource: str, name: str) -> str:
        """A text that has to be there."""
        value = self.text(name)
        if not value:
            raise invalid(resource, name, "missing_field")
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts of the body; empty where it is absent.  Objects give their `name`."""
        value = self.body.get(name) or []
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list):
            raise ApiFailure(422, f"Invalid request.\n\nFor 'properties/{name}', {value!r} is not an array.")
        return [
            str(item["name"]) if isinstance(item, dict) and "name" in item else str(item) for item in value
        ]
