"""Webhooks: what is said to whom when something was written, signed as GitHub signs.

Deliveries are made from the audit: every write has its event.  They are sent by one thread, in order, after
the write is on disk; a receiver that fails is not tried again, as on GitHub, and may ask for a redelivery.
"""

import hashlib
import hmac
import http.client
import json
import queue
import threading
import time
import uuid
from urllib.parse import quote, urlsplit

from hive.standins.github.failures import invalid
from hive.standins.github.forge import Forge
from hive.standins.github.records import Repository
from hive.standins.github.records_hooks import Delivery, Hook

_TIMEOUT_S = 10
"""By GitHub's documentation; what answers later counts as failed."""


def create(
    forge: Forge,
    repo: Repository | None,
    url: str,
    *,
    secret: str | None,
    events: list[str],
    content_type: str = "json",
    app: int = 0,
) -> Hook:
    """A new hook; the receiver gets a `ping` at once.  It has to be on this machine."""
    host = urlsplit(url).hostname
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise invalid("Hook", "url", message="the stand-in sends to loopback addresses alone")
    table, now = forge.store.hooks, forge.clock.now()
    hook = Hook(
        id=table.next_id(),
        repo=repo.id if repo else 0,
        url=url,
        secret=secret,
        events=events or ["push"],
        content_type=content_type,
        created_at=now,
        updated_at=now,
        app=app,
    )
    return table.put(hook)


def wanted(forge: Forge, repo: Repository, event: str) -> list[Hook]:
    """The hooks that an event of a repository goes to: its own, and those of the Apps on its owner."""
    apps = {
        each.app
        for each in forge.store.installations
        if each.account == repo.owner and (each.repositories is None or repo.full_name in each.repositories)
    }
    return [
        hook
        for hook in forge.store.hooks
        if hook.active
        and (hook.repo == repo.id or (hook.app and hook.app in apps))
        and ("*" in hook.events or event in hook.events)
    ]


def queue_delivery(
    forge: Forge, hook: Hook, event: str, action: str | None, payload: dict[str, object], repo: int
) -> Delivery:
    """Put one delivery in the way; it is sent once the present request is on disk."""
    table = forge.store.deliveries
    text = json.dumps({"action": action, **payload} if action else payload)
    return table.put(
        Delivery(table.next_id(), hook.id, str(uuid.uuid4()), event, action, text, forge.clock.now(), repo)
    )


def redeliver(forge: Forge, old: Delivery) -> Delivery:
    """The same once more: the same id and payload, as GitHub does."""
    table = forge.store.deliveries
    return table.put(
        Delivery(
            id=table.next_id(),
            hook=old.hook,
            guid=old.guid,
            event=old.event,
            action=old.action,
            payload=old.payload,
            at=forge.clock.now(),
            repo=old.repo,
            redelivery=True,
        )
    )


def headers(hook: Hook, delivery: Delivery, body: bytes) -> dict[str, str]:
    """The headers of a delivery, with the signature where the hook has a secret."""
    form = hook.content_type == "form"
    sent = {
        "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
        "User-Agent": "GitHub-Hookshot/standin",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(hook.id),
        "X-GitHub-Hook-Installation-Target-ID": str(hook.app or hook.repo),
        "X-GitHub-Hook-Installation-Target-Type": "integration" if hook.app else "repository",
    }
    if hook.secret:
        for name, how in (("X-Hub-Signature", "sha1"), ("X-Hub-Signature-256", "sha256")):
            sent[name] = f"{how}={hmac.new(hook.secret.encode(), body, getattr(hashlib, how)).hexdigest()}"
    return sent


class Sender:
    """The thread that sends; `close` ends it after what it is at."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._sent = 0

    def take(self) -> None:
        """Send what waits; called with the lock held, after a commit."""
        table = self._forge.store.deliveries
        for number in range(self._sent + 1, table.next_id()):
            delivery = table.get(number)
            if delivery is not None and delivery.reason == "pending":
                self._begin()
                self._waiting.put(number)
        self._sent = table.next_id() - 1

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Send no more."""
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(_TIMEOUT_S)

    def _work(self) -> None:
        while (number := self._waiting.get()) is not None:
            with self._forge.lock:
                delivery = self._forge.store.deliveries.get(number)
                hook = self._forge.store.hooks.get(delivery.hook) if delivery else None
            if delivery is None or hook is None:
                continue
            started = time.monotonic()
            status, reason = _send(hook, delivery)
            with self._forge.lock:
                delivery.status, delivery.reason = status, reason
                delivery.duration_s = round(time.monotonic() - started, 3)
                self._forge.store.deliveries.put(delivery)


def _send(hook: Hook, delivery: Delivery) -> tuple[int, str]:
    """Status and reason of one sending."""
    form = hook.content_type == "form"
    body = (f"payload={quote(delivery.payload)}" if form else delivery.payload).encode()
    to = urlsplit(hook.url)
    connection = http.client.HTTPConnection(to.hostname or "", to.port or 80, timeout=_TIMEOUT_S)
    try:
        path = f"{to.path or '/'}?{to.query}" if to.query else to.path or "/"
        connection.request("POST", path, body, headers(hook, delivery, body))
        response = connection.getresponse()
        response.read()
        return response.status, "OK" if response.status < 400 else response.reason
    except (OSError, http.client.HTTPException) as error:
        return 0, f"failed to connect: {type(error).__name__}"
    finally:
        connection.close()
