"""A provider's answer on its way to the agent, and what of it goes on record."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from hive.decisions.model_answers import broken_off, refused
from hive.decisions.requests import Request
from hive.facts.usage import TokenUsage, Usage, UsageSource
from hive.gateway.relay.counted import Counted
from hive.gateway.relay.news import News
from hive.gateway.relay.passage import Answered
from hive.gateway.relay.providers import Provider
from hive.gateway.relay.recorder import Recorder
from hive.gateway.relay.routes import Route
from hive.gateway.relay.tally import Tally
from hive.gateway.wire import Body
from hive.ports.models import ModelAuthority, ModelCaller

_ERROR_BYTES = 65_536
_ID_HEADERS = ("request-id", "x-request-id", "x-goog-request-id")


@dataclass(frozen=True, slots=True)
class Asking:
    """One request that may be passed on. `descriptor`: of the connection to who asks."""

    request: Request
    body: Body
    provider: Provider
    way: Route
    caller: ModelCaller
    descriptor: int = -1


@dataclass(slots=True)
class Counting:
    """Pieces of a request, and how many bytes they were."""

    pieces: Iterator[bytes]
    taken: int = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.taken += len(piece)
            yield piece


class Pieces:
    """An answer's body that says when it is over, and before that where nobody began to read it."""

    def __init__(self, pieces: Iterator[bytes], over: Callable[[], None], unread: Callable[[], None]) -> None:
        self._pieces = pieces
        self._over: Callable[[], None] | None = over
        self._unread: Callable[[], None] | None = unread

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._unread = None
        return next(self._pieces)

    def close(self) -> None:
        over, self._over = self._over, None
        unread, self._unread = self._unread, None
        try:
            if unread is not None:
                unread()
            close = getattr(self._pieces, "close", None)
            if close is not None:
                close()
        finally:
            if over is not None:
                over()


class Answers:
    """Thread-safe."""

    def __init__(
        self, authority: ModelAuthority, recorder: Recorder, news: News, now: Callable[[], datetime]
    ) -> None:
        self._authority = authority
        self._recorder = recorder
        self._news = news
        self._now = now

    def pieces(self, answered: Answered, asking: Asking, asked: Counting) -> Iterator[bytes]:
        """The answer's body, byte for byte; what it says is told beside."""
        if answered.status >= 400:
            return self._failed(answered, asking)
        if asking.way.wire is None:
            return answered.pieces
        return self._streamed(answered, asking, asked)

    def in_doubt(self, asking: Asking, asked_bytes: int) -> None:
        """The request was sent, and no answer came: its provider may have read it and count it."""
        if asking.way.wire is not None and asked_bytes:
            tally = Tally(asking.way.wire, is_stream=False)
            self._spent(tally.result(asked_bytes), "", asking)

    def _streamed(self, answered: Answered, asking: Asking, asked: Counting) -> Iterator[bytes]:
        """Each piece is handed on before it is looked at; what the answer used is queued before its end.

        A reader that was told the length knows the end by itself: its last piece waits for the counting.
        """
        assert asking.way.wire is not None
        is_stream = "event-stream" in answered.header("Content-Type")
        tally = Tally(asking.way.wire, is_stream=is_stream, coding=answered.header("Content-Encoding"))
        has_length = bool(answered.header("Content-Length"))
        held = b""
        try:
            for piece in answered.pieces:
                try:
                    yield held if has_length else piece
                finally:  # the agent may have hung up on it
                    tally.feed(piece)
                held = piece
        finally:
            self._ended(tally.result(asked.taken), answered, asking)
        if has_length:
            yield held

    def _ended(self, found: Counted, answered: Answered, asking: Asking) -> None:
        request_id = next(filter(None, map(answered.header, _ID_HEADERS)), "")
        if found.fault is None or found.message or found.output:  # else there was no answer before the error
            self._spent(found, request_id, asking)
        if found.fault is not None and (told := broken_off(*found.fault)) is not None:
            agent, provider = asking.caller.agent, asking.provider
            self._news.refused(agent, provider, told.problem, answered.status, detail=told.detail)
        elif found.fault is None:
            self._news.answered(asking.caller.agent)

    def _spent(self, found: Counted, request_id: str, asking: Asking) -> None:
        key = found.message or request_id or uuid.uuid4().hex
        usage = Usage(
            model=found.model or asking.way.model or asking.caller.model or "unknown",
            tokens=TokenUsage(
                found.input, found.output, found.cache_read, found.cache_write, found.cache_write_hour
            ),
            key=f"{asking.provider.name}/{key}",
            source=UsageSource.RELAY,
            at=self._now(),
            is_estimate=not found.is_final,
        )
        self._recorder.put(self._authority.spent(asking.caller, usage))

    def _failed(self, answered: Answered, asking: Asking) -> Iterator[bytes]:
        """The provider's words, and what they mean for the supervisor."""
        kept = b""
        for piece in answered.pieces:
            kept += piece
            if len(kept) >= _ERROR_BYTES:
                break
        headers = {name.lower(): value for name, value in answered.headers}
        found = refused(answered.status, headers, kept, self._now())
        if found is not None:
            agent, provider = asking.caller.agent, asking.provider
            self._news.refused(
                agent, provider, found.problem, answered.status, found.until, detail=found.detail
            )
        yield kept
        yield from answered.pieces
