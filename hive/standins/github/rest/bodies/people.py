"""Accounts, and the apps that act."""

from urllib.parse import quote

from hive.standins.github import checks, nodeids
from hive.standins.github.records import Account
from hive.standins.github.records_access import Team
from hive.standins.github.rest.call import Json, View

_TYPES = {"person": "User", "organization": "Organization", "bot": "Bot", "app": "Bot"}
_LINKS = {
    "events_url": "/events{/privacy}",
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "organizations_url": "/orgs",
    "received_events_url": "/received_events",
    "repos_url": "/repos",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
}


def account(view: View, who: Account) -> Json:
    """`simple-user`."""
    name = quote(who.login)
    url = f"{view.urls.api}/users/{name}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": nodeids.of(who),
        "avatar_url": f"{view.urls.html}/avatars/{who.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{view.urls.html}/{name}",
        **{link: url + suffix for link, suffix in _LINKS.items()},
        "type": _TYPES[who.kind],
        "site_admin": False,
        "user_view_type": "public",
    }


def of(view: View, number: int | None) -> Json | None:
    """`nullable-simple-user` of an account's id; null for nobody."""
    who = view.forge.store.accounts.get(number)
    return account(view, who) if who else None


def listed(view: View, numbers: list[int]) -> list[Json]:
    """The accounts with these ids."""
    found = (of(view, number) for number in numbers)
    return [body for body in found if body is not None]


def teams(view: View, numbers: list[int]) -> list[Json]:
    """The teams with these ids."""
    found = (view.forge.store.teams.get(number) for number in numbers)
    return [team(view, each) for each in found if each is not None]


def team(view: View, shown: Team) -> Json:
    """`team`."""
    organization = view.forge.login(shown.organization)
    url = f"{view.urls.api}/organizations/{shown.organization}/team/{shown.id}"
    return {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "name": shown.name,
        "slug": shown.slug,
        "description": None,
        "privacy": "closed",
        "notification_setting": "notifications_enabled",
        "permission": "pull",
        "url": url,
        "html_url": f"{view.urls.html}/orgs/{organization}/teams/{shown.slug}",
        "members_url": f"{url}/members{{/member}}",
        "repositories_url": f"{url}/repos",
        "type": "organization",
        "organization_id": shown.organization,
        "parent": None,
    }


def profile(view: View, who: Account) -> Json:
    """`public-user`, with what `private-user` adds."""
    nothing = dict.fromkeys(("company", "location", "email", "hireable", "bio", "twitter_username"))
    counts = dict.fromkeys(
        ("public_gists", "followers", "following", "private_gists", "total_private_repos"), 0
    )
    return {
        **account(view, who),
        **nothing,
        **counts,
        "name": who.name,
        "blog": "",
        "public_repos": sum(repo.owner == who.id for repo in view.forge.store.repositories),
        "owned_private_repos": 0,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": True,
        "created_at": who.created_at,
        "updated_at": who.created_at,
    }


def app(view: View, slug: str) -> Json:
    """`integration`: the app that a check run belongs to."""
    owner = next(iter(view.forge.store.accounts))
    return {
        "id": checks.app_id(view.forge, slug),
        "slug": slug,
        "node_id": f"A_{slug}",
        "owner": account(view, owner),
        "name": slug.replace("-", " ").title(),
        "description": "",
        "external_url": f"{view.urls.html}/apps/{slug}",
        "html_url": f"{view.urls.html}/apps/{slug}",
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "permissions": {},
        "events": [],
    }
