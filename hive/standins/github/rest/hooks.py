"""Webhooks of repositories and Apps, and their deliveries."""

import json
from typing import Any

from hive.standins.github import hooks
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import Repository
from hive.standins.github.records_hooks import Delivery, Hook
from hive.standins.github.rest.call import Call, Json, Reply, paged
from hive.standins.github.rest.routing import routes

_HOOKS = "/repos/{owner}/{repo}/hooks"
_HOOK = _HOOKS + "/{hook}"


def _body(call: Call, repo: Repository, shown: Hook) -> Json:
    """`hook`; the secret is shown as stars alone."""
    url = call.view.urls.repo(repo.full_name, "hooks", shown.id)
    config: Json = {"url": shown.url, "content_type": shown.content_type, "insecure_ssl": "0"}
    if shown.secret:
        config["secret"] = "********"  # noqa: S105 - what is shown in place of one
    return {
        "type": "Repository",
        "id": shown.id,
        "name": "web",
        "active": shown.active,
        "events": shown.events,
        "config": config,
        "updated_at": shown.updated_at,
        "created_at": shown.created_at,
        "url": url,
        "test_url": f"{url}/test",
        "ping_url": f"{url}/pings",
        "deliveries_url": f"{url}/deliveries",
        "last_response": {"code": None, "status": "unused", "message": None},
    }


def _hook(call: Call, repo: Repository) -> Hook:
    text = call.params["hook"]
    found = call.forge.store.hooks.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.repo != repo.id:
        raise not_found()
    return found


@routes.add("GET", _HOOKS)
def list_hooks(call: Call) -> Reply:
    """The hooks of a repository."""
    repo = call.repo("admin")
    return paged(
        [hook for hook in call.forge.store.hooks if hook.repo == repo.id],
        lambda hook: _body(call, repo, hook),
    )


@routes.add("POST", _HOOKS)
def create(call: Call) -> Reply:
    """A new hook, which gets a ping."""
    repo, config = call.repo("admin"), call.body.get("config")
    if not isinstance(config, dict) or not config.get("url"):
        raise ApiFailure(422, "Validation Failed")
    made = hooks.create(
        call.forge,
        repo,
        str(config["url"]),
        secret=config.get("secret"),
        events=call.texts("events"),
        content_type=str(config.get("content_type") or "form"),
    )
    made.active = call.body.get("active") is not False
    shown = _body(call, repo, made)
    ping: dict[str, object] = {"zen": "Keep it logically awesome.", "hook_id": made.id, "hook": shown}
    hooks.queue_delivery(call.forge, made, "ping", None, ping, repo.id)
    call.forge.record(call.me(), "hook.create", repo.full_name, made.url)
    return Reply(shown, 201)


@routes.add("GET", _HOOK)
def get(call: Call) -> Reply:
    """One hook."""
    repo = call.repo("admin")
    return Reply(_body(call, repo, _hook(call, repo)))


@routes.add("PATCH", _HOOK)
def edit(call: Call) -> Reply:
    """Change a hook."""
    repo = call.repo("admin")
    found, config = _hook(call, repo), call.body.get("config") or {}
    found.url, found.secret = str(config.get("url") or found.url), config.get("secret") or found.secret
    found.events = call.texts("events") or found.events
    found.active = bool(call.body.get("active", found.active))
    found.updated_at = call.forge.clock.now()
    call.forge.store.hooks.put(found)
    return Reply(_body(call, repo, found))


@routes.add("DELETE", _HOOK)
def delete(call: Call) -> Reply:
    """Remove a hook."""
    repo = call.repo("admin")
    call.forge.store.hooks.remove(_hook(call, repo))
    return Reply(status=204)


def _simple(shown: Delivery, installation: int | None = None) -> Json:
    """`hook-delivery-item`."""
    return {
        "id": shown.id,
        "guid": shown.guid,
        "delivered_at": shown.at,
        "redelivery": shown.redelivery,
        "duration": shown.duration_s,
        "status": shown.reason,
        "status_code": shown.status,
        "event": shown.event,
        "action": shown.action,
        "installation_id": installation,
        "repository_id": shown.repo,
    }


def _whole(call: Call, shown: Delivery) -> Json:
    """`hook-delivery`, with what was sent."""
    hook = call.forge.store.hooks.get(shown.hook)
    sent = hooks.headers(hook, shown, shown.payload.encode()) if hook else {}
    payload: Any = json.loads(shown.payload)
    return {
        **_simple(shown),
        "url": hook.url if hook else "",
        "request": {"headers": sent, "payload": payload},
        "response": {"headers": {}, "payload": None},
    }


def _delivery(call: Call, hook: Hook) -> Delivery:
    text = call.params["delivery"]
    found = call.forge.store.deliveries.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.hook != hook.id:
        raise not_found()
    return found


@routes.add("GET", _HOOK + "/deliveries")
def deliveries(call: Call) -> Reply:
    """What was sent, newest first."""
    hook = _hook(call, call.repo("admin"))
    return paged(call.forge.store.deliveries.of(hook.id)[::-1], _simple)


@routes.add("GET", _HOOK + "/deliveries/{delivery}")
def delivery(call: Call) -> Reply:
    """One delivery with its payload."""
    return Reply(_whole(call, _delivery(call, _hook(call, call.repo("admin")))))


@routes.add("POST", _HOOK + "/deliveries/{delivery}/attempts")
def redeliver(call: Call) -> Reply:
    """Send it once more."""
    hooks.redeliver(call.forge, _delivery(call, _hook(call, call.repo("admin"))))
    return Reply({}, 202)


def _app_hooks(call: Call) -> list[Hook]:
    if call.app is None:
        raise ApiFailure(401, "A JSON web token could not be decoded")
    return [hook for hook in call.forge.store.hooks if hook.app == call.app.id]


@routes.add("GET", "/app/hook/deliveries")
def app_deliveries(call: Call) -> Reply:
    """What was sent to an App, newest first."""
    found = [each for hook in _app_hooks(call) for each in call.forge.store.deliveries.of(hook.id)]
    return paged(sorted(found, key=lambda each: -each.id), _simple)


@routes.add("POST", "/app/hook/deliveries/{delivery}/attempts")
def app_redeliver(call: Call) -> Reply:
    """Send one to the App once more."""
    hooks.redeliver(call.forge, _delivery(call, _app_hooks(call)[0]))
    return Reply({}, 202)
