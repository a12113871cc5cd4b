"""Apps, installations and their tokens."""

from hive.standins.github import apps
from hive.standins.github.records_access import App, Installation, InstallationToken
from hive.standins.github.rest.bodies import people, repositories
from hive.standins.github.rest.call import Json, View


def app(view: View, shown: App) -> Json:
    """`integration`."""
    page = f"{view.urls.html}/apps/{shown.slug}"
    return {
        "id": shown.id,
        "slug": shown.slug,
        "client_id": shown.client_id,
        "node_id": f"A_kw{shown.id}",
        "owner": people.of(view, shown.owner),
        "name": shown.slug,
        "description": "",
        "external_url": page,
        "html_url": page,
        "created_at": shown.created_at,
        "updated_at": shown.created_at,
        "permissions": {"metadata": "read", **shown.permissions},
        "events": shown.events,
        "installations_count": sum(each.app == shown.id for each in view.forge.store.installations),
    }


def installation(view: View, shown: Installation) -> Json:
    """`installation`."""
    owner = view.forge.store.accounts.get(shown.account)
    of_app = view.forge.store.apps.get(shown.app)
    assert owner is not None
    assert of_app is not None
    api = view.urls.api
    return {
        "id": shown.id,
        "account": people.account(view, owner),
        "repository_selection": "all" if shown.repositories is None else "selected",
        "access_tokens_url": f"{api}/app/installations/{shown.id}/access_tokens",
        "repositories_url": f"{api}/installation/repositories",
        "html_url": f"{view.urls.html}/organizations/{owner.login}/settings/installations/{shown.id}",
        "app_id": shown.app,
        "client_id": of_app.client_id,
        "app_slug": of_app.slug,
        "target_id": owner.id,
        "target_type": "Organization" if owner.kind == "organization" else "User",
        "permissions": {"metadata": "read", **shown.permissions},
        "events": of_app.events,
        "created_at": shown.created_at,
        "updated_at": shown.created_at,
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": shown.suspended_at,
    }


def token(view: View, shown: InstallationToken) -> Json:
    """`installation-token`."""
    body: Json = {
        "token": shown.token,
        "expires_at": apps.shown_expiry(shown),
        "permissions": shown.permissions,
        "repository_selection": "all" if shown.repositories is None else "selected",
    }
    if shown.repositories is not None:
        found = (view.forge.repository(name) for name in shown.repositories)
        body["repositories"] = [repositories.repository(view, repo) for repo in found if repo is not None]
    return body
