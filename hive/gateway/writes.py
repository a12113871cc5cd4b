"""Writes of agents on their way to the forge: each creation once, and what came of each on record."""

from __future__ import annotations

from collections.abc import Callable

from hive.errors import InDoubt, Refused
from hive.facts.request_events import RequestDone
from hive.gateway import creations
from hive.gateway.creations import Creation
from hive.gateway.ends import Ends
from hive.gateway.repeats import Earlier, Repeats
from hive.gateway.resolver import Resolver
from hive.gateway.upstream import Reply, Upstream
from hive.ports.authority import Identity

Send = Callable[[], Reply]
Found = Callable[[str], Reply]
"""The answer for what was found made: by its address on the forge's web pages."""


class Writes:
    """Thread-safe."""

    def __init__(self, upstream: Upstream, resolver: Resolver, ends: Ends, repeats: Repeats) -> None:
        self._upstream = upstream
        self._resolver = resolver
        self._ends = ends
        self._repeats = repeats

    def knows(self, creation: Creation | None) -> bool:
        """Whether it was made already, and its answer is at hand."""
        earlier = self._repeats.earlier(creation.key) if creation is not None else None
        return earlier is not None and earlier.reply is not None

    def send(
        self, identity: Identity, request_id: str, creation: Creation | None, send: Send, found: Found | None
    ) -> Reply:
        """Have a write made by `send`, a creation only where it was not made already.

        `found` writes the answer to a creation that was made without an answer; `None`: as REST gives it.
        Raises `WorldError`, and `JournalError` before anything was sent.
        """
        if creation is None:
            return self._recorded(identity, request_id, send)[0]
        with self._repeats.alone(creation.key):
            earlier = self._repeats.earlier(creation.key)
            if earlier is not None:
                reply = self._again(identity, request_id, creation, earlier, found)
                if reply is not None:
                    return reply
            try:
                self._repeats.begin(creation.key)
            except OSError as error:
                raise Refused(
                    "gateway", f"nothing was done: its beginning cannot be kept ({error})"
                ) from error
            try:
                reply, is_done = self._recorded(identity, request_id, send)
            except InDoubt:
                begun = self._repeats.earlier(creation.key)
                reply_or_none = begun and self._again(identity, request_id, creation, begun, found)
                if not reply_or_none:
                    raise
                return reply_or_none
            if is_done:
                self._repeats.done(creation.key, reply)
            else:
                self._repeats.drop(creation.key)
            return reply

    def _again(
        self,
        identity: Identity,
        request_id: str,
        creation: Creation,
        earlier: Earlier,
        found: Found | None,
    ) -> Reply | None:
        """The first answer, or one for what the forge shows; `None` where it was never made."""
        if earlier.reply is not None:
            self._record(identity, request_id, "repeated", earlier.reply)
            return earlier.reply
        one = creations.find(self._upstream, self._resolver.account(), creation, earlier.begun)
        if one is None:
            return None
        if found is not None:
            reply = found(str(one.get("html_url") or creation.target))
        else:
            path = str(one.get("url") or "").partition("/repos/")[2]
            made = self._upstream.rest("GET", f"/repos/{path}")
            status = 200 if creation.kind == "reviews" else 201
            reply = Reply(status if made.status == 200 else made.status, made.headers, made.body)
            self._repeats.done(creation.key, reply)
        self._record(identity, request_id, "found", reply)
        return reply

    def _recorded(self, identity: Identity, request_id: str, send: Send) -> tuple[Reply, bool]:
        """What the forge said, and whether it did it."""
        try:
            reply = send()
        except InDoubt:
            # Nothing else will ever tell of it: this one is not put off.
            self._ends.write([RequestDone(agent=identity.agent, request_id=request_id, outcome="in-doubt")])
            raise
        value = _value(reply)
        is_done = _is_done(reply, value)
        self._note(identity, request_id, "done" if is_done else "refused", reply, value)
        return reply, is_done

    def _record(self, identity: Identity, request_id: str, outcome: str, reply: Reply) -> None:
        self._note(identity, request_id, outcome, reply, _value(reply))

    def _note(self, identity: Identity, request_id: str, outcome: str, reply: Reply, value: object) -> None:
        self._ends.note(
            RequestDone(
                agent=identity.agent,
                request_id=request_id,
                outcome=outcome,
                status=reply.status,
                made=_made(value),
            )
        )


def _is_done(reply: Reply, value: object) -> bool:
    """Whether the forge did it; GraphQL says so in the body, which is `value`."""
    if not 200 <= reply.status < 300:
        return False
    return not (isinstance(value, dict) and value.get("errors"))


def _made(value: object) -> str:
    url = value.get("url") if isinstance(value, dict) else None
    return url.partition("/repos/")[2][:200] if isinstance(url, str) else ""


def _value(reply: Reply) -> object:
    """The answer as JSON; `None` where it is none."""
    is_json = any(name.lower() == "content-type" and "json" in text for name, text in reply.headers)
    return reply.json() if is_json and isinstance(reply.body, bytes) and reply.body else None
