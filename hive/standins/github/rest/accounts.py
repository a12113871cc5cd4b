"""Accounts, limits, and the root that `gh auth status` asks."""

from hive.standins.github import access
from hive.standins.github.failures import forbidden, not_found
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Call, Reply
from hive.standins.github.rest.routing import routes


def _scopes(call: Call) -> dict[str, str]:
    """The headers that tell a classic token's scopes; other kinds of tokens have none."""
    if call.actor is None or call.actor.scopes is None or call.actor.granted is not None:
        return {}
    return {"X-OAuth-Scopes": ", ".join(call.actor.scopes), "X-Accepted-OAuth-Scopes": ""}


@routes.add("GET", "/")
def root(call: Call) -> Reply:
    """Some of the addresses, as GitHub's root lists them."""
    api = call.view.urls.api
    return Reply(
        {"current_user_url": f"{api}/user", "rate_limit_url": f"{api}/rate_limit"}, headers=_scopes(call)
    )


@routes.add("GET", "/meta")
def meta(call: Call) -> Reply:
    """What gh asks an Enterprise server for its version with."""
    return Reply({"verifiable_password_authentication": False, "installed_version": "3.17.0"})


@routes.add("GET", "/user")
def me(call: Call) -> Reply:
    """Who calls."""
    if call.me().granted is not None:
        raise forbidden("Resource not accessible by integration")
    return Reply(people.profile(call.view, call.me()), headers=_scopes(call))


@routes.add("GET", "/users/{login}")
def account(call: Call) -> Reply:
    """Somebody's profile."""
    who = call.forge.account(call.params["login"])
    if who is None:
        raise not_found()
    return Reply(people.profile(call.view, who))


@routes.add("GET", "/rate_limit")
def rate_limit(call: Call) -> Reply:
    """What is left of each limit; asking costs nothing."""
    resources = call.limits.overview(call.actor)
    return Reply({"resources": resources, "rate": resources["core"]})


@routes.add("GET", "/repos/{owner}/{repo}/collaborators/{login}/permission")
def permission(call: Call) -> Reply:
    """What somebody may do in a repository."""
    repo, who = call.repo("write"), call.forge.account(call.params["login"])
    if who is None:
        raise not_found()
    level = access.permission(call.forge, who, repo)
    coarse = {"maintain": "write", "triage": "read"}.get(level, level)
    user = {**people.account(call.view, who), "role_name": level}
    return Reply({"permission": coarse, "role_name": level, "user": user})


@routes.add("GET", "/repos/{owner}/{repo}/collaborators/{login}")
def is_collaborator(call: Call) -> Reply:
    """204 where somebody may write, else a 404."""
    repo, who = call.repo(), call.forge.account(call.params["login"])
    if who is None or not access.may(call.forge, who, repo, "triage"):
        raise not_found()
    return Reply(status=204)
