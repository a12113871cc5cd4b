"""Accounts and what they may do."""

from typing import Any

from hive.standins.github import access, nodeids
from hive.standins.github.graphql.resolving import connect, fields, simple
from hive.standins.github.records import Account, Repository
from hive.standins.github.rest.call import View

_ACCOUNTS = "User Bot Organization Actor RepositoryOwner"

simple(
    _ACCOUNTS,
    id=lambda who, view: nodeids.of(who),
    login=lambda who, view: who.login.removesuffix("[bot]"),
    name=lambda who, view: who.name,
    databaseId=lambda who, view: who.id,
    url=lambda who, view: f"{view.urls.html}/{who.login}",
    resourcePath=lambda who, view: f"/{who.login}",
    createdAt=lambda who, view: who.created_at,
    updatedAt=lambda who, view: who.created_at,
    email=lambda who, view: "",
    bio=lambda who, view: None,
    company=lambda who, view: None,
    location=lambda who, view: None,
    isViewer=lambda who, view: view.viewer is not None and view.viewer.id == who.id,
    viewerCanAdminister=lambda who, view: False,
    viewerCanCreateRepositories=lambda who, view: False,
)
# Only `viewer` is a User whatever it is: of an App's installation GitHub tells `slug[bot]` there.
simple("User", login=lambda who, view: who.login)


@fields("User.avatarUrl", "Bot.avatarUrl", "Organization.avatarUrl")
def avatar(who: Account, view: View, size: int | None = None) -> str:
    """A picture's address, where there is none."""
    return f"{view.urls.html}/avatars/{who.id}"


@fields("User.repositories", "Organization.repositories")
def repositories(who: Account, view: View, **arguments: Any) -> Any:
    """An owner's repositories."""
    owned = [repo for repo in view.forge.store.repositories if repo.owner == who.id]
    return connect([repo for repo in owned if access.may(view.forge, view.viewer, repo, "read")], **arguments)


@fields("User.repository", "Organization.repository")
def repository(who: Account, view: View, name: str, **_: Any) -> Repository | None:
    """One of an owner's repositories."""
    repo = view.forge.repository(f"{who.login}/{name}")
    return repo if repo and access.may(view.forge, view.viewer, repo, "read") else None


@fields("User.organizations", "Organization.teams", "User.projectsV2", "Organization.projectsV2")
def nothing(who: Account, view: View, **arguments: Any) -> Any:
    """None of these are kept."""
    return connect([], **arguments)


def actor(view: View, number: int | None) -> Account | None:
    """The account with this id; null for a deleted one, as GitHub answers."""
    return view.forge.store.accounts.get(number)
