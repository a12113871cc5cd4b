"""GitHub Apps as they see themselves: `/app`, its installations, their tokens and repositories."""

from hive.standins.github import access, apps
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records_access import App, Installation
from hive.standins.github.rest.bodies import apps as bodies
from hive.standins.github.rest.bodies import repositories
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes


def _app(call: Call) -> App:
    """The App that signed this request; these routes take nothing else."""
    if call.app is None:
        raise ApiFailure(401, "A JSON web token could not be decoded")
    return call.app


def _installation(call: Call) -> Installation:
    text = call.params["installation"]
    found = call.forge.store.installations.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.app != _app(call).id:
        raise not_found()
    return found


@routes.add("GET", "/app")
def me(call: Call) -> Reply:
    """The App itself."""
    return Reply(bodies.app(call.view, _app(call)))


@routes.add("GET", "/app/installations")
def installations(call: Call) -> Reply:
    """Where it is installed."""
    app = _app(call)
    return paged(
        [each for each in call.forge.store.installations if each.app == app.id],
        lambda each: bodies.installation(call.view, each),
    )


@routes.add("GET", "/app/installations/{installation}")
def installation(call: Call) -> Reply:
    """One installation."""
    return Reply(bodies.installation(call.view, _installation(call)))


@routes.add("POST", "/app/installations/{installation}/access_tokens")
def make_token(call: Call) -> Reply:
    """A token for an hour."""
    found = _installation(call)
    ids, names = call.body.get("repository_ids"), call.body.get("repositories")
    if ids is not None:
        by_id = [call.forge.store.repositories.get(each) for each in ids]
        if None in by_id:
            raise ApiFailure(422, "There is at least one repository that does not exist")
        names = [repo.full_name for repo in by_id if repo is not None]
    made = apps.make_token(
        call.forge, found, repositories=names, permissions=call.body.get("permissions") or None
    )
    return Reply(bodies.token(call.view, made), 201)


def _of_account(call: Call, account: int, full_name: str | None) -> Reply:
    for each in call.forge.store.installations:
        listed = full_name is None or each.repositories is None or full_name in each.repositories
        if each.app == _app(call).id and each.account == account and listed:
            return Reply(bodies.installation(call.view, each))
    raise not_found()


@routes.add("GET", "/repos/{owner}/{repo}/installation")
def of_repository(call: Call) -> Reply:
    """The installation that covers a repository."""
    repo = call.forge.repository(f"{call.params['owner']}/{call.params['repo']}")
    if repo is None:
        raise not_found()
    return _of_account(call, repo.owner, repo.full_name)


@routes.add("GET", "/orgs/{login}/installation")
@routes.add("GET", "/users/{login}/installation")
def of_owner(call: Call) -> Reply:
    """The installation on an account."""
    owner = call.forge.account(call.params["login"])
    if owner is None:
        raise not_found()
    return _of_account(call, owner.id, None)


@routes.add("GET", "/installation/repositories")
def reached(call: Call) -> Reply:
    """The repositories that an installation's token reaches."""
    me = call.me()
    if me.installation is None:
        raise ApiFailure(403, "You must authenticate with an installation access token")
    found = [repo for repo in call.forge.store.repositories if repo.full_name in me.permissions]
    return paged(
        found,
        lambda repo: repositories.repository(call.view, repo),
        lambda page: {"total_count": len(found), "repositories": page},
    )


@routes.add("GET", "/user/repos")
def of_user(call: Call) -> Reply:
    """The repositories that the caller may do more in than anybody."""
    me = call.me()
    found = [repo for repo in call.forge.store.repositories if access.may(call.forge, me, repo, "triage")]
    return paged(found, lambda repo: repositories.repository(call.view, repo))


@routes.add("GET", "/orgs/{login}/repos")
@routes.add("GET", "/users/{login}/repos")
def of_account(call: Call) -> Reply:
    """An owner's repositories, as far as the caller may see them."""
    owner = call.forge.account(call.params["login"])
    if owner is None:
        raise not_found()
    found = [
        repo
        for repo in call.forge.store.repositories
        if repo.owner == owner.id and access.may(call.forge, call.actor, repo, "read")
    ]
    return paged(found, lambda repo: repositories.repository(call.view, repo))
