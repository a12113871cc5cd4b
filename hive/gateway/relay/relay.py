"""The relay: one request of an agent's program to its provider and back."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hive.decisions.model_answers import refused
from hive.decisions.requests import Request
from hive.decisions.requests.raw import CHUNKED, body_length
from hive.errors import InDoubt, WorldError
from hive.facts.model_events import ModelRefused
from hive.facts.models import ModelProblem, ModelStanding
from hive.facts.usage import TokenUsage, Usage, UsageSource
from hive.gateway.doorkeeper import Doorkeeper
from hive.gateway.doors import Arrival
from hive.gateway.relay.counted import Counted
from hive.gateway.relay.headers import passed_on, shown_keys, with_key
from hive.gateway.relay.passage import Answered, Passages, Sent
from hive.gateway.relay.providers import PREFIX, Provider
from hive.gateway.relay.recorder import Recorder
from hive.gateway.relay.refusals import refuse
from hive.gateway.relay.routes import Route, key_in, route
from hive.gateway.relay.tally import Tally
from hive.gateway.wire import Body, Response
from hive.ports.models import ModelAuthority, ModelCaller

_LOG = logging.getLogger(__name__)
MOST_BYTES = 64 * 1024 * 1024
"""Of a request; the largest that a provider takes (Anthropic: 32 MB) and more."""
_ERROR_BYTES = 65_536
_NEWS = timedelta(minutes=1)
"""After so long the same refusal is written down again."""
_ID_HEADERS = ("request-id", "x-request-id", "x-goog-request-id")


class Relay:
    """Thread-safe. `providers` are those of the configuration as it is now."""

    def __init__(
        self,
        providers: Callable[[], Mapping[str, Provider]],
        authority: ModelAuthority,
        keeper: Doorkeeper,
        now: Callable[[], datetime],
        passages: Passages | None = None,
    ) -> None:
        self._providers = providers
        self._authority = authority
        self._keeper = keeper
        self._now = now
        self._passages = passages or Passages()
        self._recorder = Recorder(authority.record)
        self._told: dict[str, ModelStanding] = {}
        """What was last written down of an agent, and not answered since."""
        self._lock = threading.Lock()

    def close(self, timeout: float = 2.0) -> None:
        """Write down what is yet to be."""
        self._recorder.close(timeout)
        self._passages.close()

    def answer(self, request: Request, body: Body, arrival: Arrival) -> Response:
        """Answer a request whose target begins with `PREFIX`. Raises `Malformed`, `Closed` while reading."""
        path, _, query = request.target.partition("?")
        name, _, below = path.removeprefix(PREFIX).partition("/")
        provider = self._providers().get(name)
        dialect = provider.dialect if provider is not None else None
        caller = self._caller(request, query, arrival)
        if not isinstance(caller, ModelCaller):
            return refuse(dialect, 401, "this is no key of an agent that hive runs", after_s=caller)
        if provider is None or caller.provider != name:
            return refuse(dialect, 403, f"{caller.agent} may not use the provider '{name[:40]}'")
        caller = replace(caller, account=provider.account)
        if request.method == "HEAD" and not below:
            return Response(200)  # programs look whether anybody is there
        way = route(provider.dialect, request.method, f"/{below}", query)
        if way is None:
            said = f"{request.method} /{below[:200]} is not passed on to a provider of '{provider.dialect}'"
            return refuse(dialect, 404, said)
        if way.wire is not None and (refusal := self._refusal(caller, provider)) is not None:
            return refusal
        return self._passed(request, body, provider, way, caller)

    def _caller(self, request: Request, query: str, arrival: Arrival) -> ModelCaller | float:
        """Who this is; else after how many seconds to say that it is nobody."""
        keys = [key for key in (*shown_keys(request.headers), key_in(query)) if key]
        found = [self._authority.identify(key) for key in dict.fromkeys(keys)]
        known = [
            one
            for one in found
            if one is not None
            and bool(one.cluster) == arrival.from_pod
            and self._keeper.is_from(one.agent, arrival)
        ]
        if known:
            return known[0]
        return self._keeper.refused(arrival.address) if keys else 0.0

    def _refusal(self, caller: ModelCaller, provider: Provider) -> Response | None:
        """What hive itself has against asking."""
        unwritten = self._recorder.unwritten()
        if unwritten is None:
            return refuse(provider.dialect, 503, "nothing is asked while hive cannot write its journal")
        because = self._authority.refusal(caller, unwritten)
        if because is None:
            return None
        self._tell(caller, provider, ModelProblem.OVER_BUDGET, detail=because)
        # 402 is what no program tries again by itself (measured with claude, copilot and gemini).
        return refuse(provider.dialect, 402, f"over budget: {because}")

    def _passed(
        self, request: Request, body: Body, provider: Provider, way: Route, caller: ModelCaller
    ) -> Response:
        length = body_length(request)
        counted = _Counting(body.pieces())
        try:
            headers = (*passed_on(request.headers), with_key(provider.dialect, provider.credential()))
            sent = Sent(
                request.method,
                provider.base_url + way.target,
                headers,
                counted,
                None if length == CHUNKED else length,
            )
            answered = self._passages.ask(sent)
        except InDoubt as error:
            _LOG.warning("%s's request to %s is in doubt: %s", caller.agent, provider.name, error)
            return refuse(provider.dialect, 504 if "timed out" in str(error) else 502, str(error))
        except WorldError as error:
            _LOG.warning("%s's request to %s was not sent: %s", caller.agent, provider.name, error)
            return refuse(provider.dialect, 502, str(error))
        if answered.status >= 400:
            return Response(answered.status, answered.headers, self._failed(answered, provider, caller))
        if way.wire is None:
            return Response(answered.status, answered.headers, answered.pieces)
        return Response(
            answered.status, answered.headers, self._streamed(answered, way, provider, caller, counted)
        )

    def _streamed(
        self, answered: Answered, way: Route, provider: Provider, caller: ModelCaller, asked: _Counting
    ) -> Iterator[bytes]:
        """The answer, each piece handed on before it is looked at; what it used is queued before its end.

        A reader that was told the length knows the end by itself: its last piece waits for the counting.
        """
        assert way.wire is not None
        is_stream = "event-stream" in answered.header("Content-Type")
        tally = Tally(way.wire, is_stream=is_stream, coding=answered.header("Content-Encoding"))
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
            self._spent(tally.result(asked.taken), answered, way, provider, caller)
        if has_length:
            yield held

    def _spent(
        self, found: Counted, answered: Answered, way: Route, provider: Provider, caller: ModelCaller
    ) -> None:
        message = found.message or next(filter(None, map(answered.header, _ID_HEADERS)), "")
        usage = Usage(
            model=found.model or way.model or caller.model or "unknown",
            tokens=TokenUsage(
                found.input, found.output, found.cache_read, found.cache_write, found.cache_write_hour
            ),
            key=f"{provider.name}/{message or uuid.uuid4().hex}",
            source=UsageSource.RELAY,
            at=self._now(),
        )
        with self._lock:
            self._told.pop(caller.agent, None)
        self._recorder.put(self._authority.spent(caller, usage))

    def _failed(self, answered: Answered, provider: Provider, caller: ModelCaller) -> Iterator[bytes]:
        """The provider's words, and what they mean for the supervisor."""
        kept = b""
        for piece in answered.pieces:
            kept += piece
            if len(kept) >= _ERROR_BYTES:
                break
        headers = {name.lower(): value for name, value in answered.headers}
        found = refused(answered.status, headers, kept, self._now())
        if found is not None:
            self._tell(caller, provider, found.problem, answered.status, found.until, detail=found.detail)
        yield kept
        yield from answered.pieces

    def _tell(
        self,
        caller: ModelCaller,
        provider: Provider,
        problem: ModelProblem,
        status: int = 0,
        until: datetime | None = None,
        *,
        detail: str,
    ) -> None:
        now = self._now()
        told = ModelStanding(problem, provider.name, provider.account, now, until, detail)
        with self._lock:
            before = self._told.get(caller.agent)
            if before is not None and not _is_news(before, told):
                return
            self._told[caller.agent] = told
        self._recorder.put(
            ModelRefused(
                agent=caller.agent,
                provider=provider.name,
                account=provider.account,
                problem=problem,
                status=status,
                until=until,
                detail=detail,
            )
        )


def _is_news(before: ModelStanding, now: ModelStanding) -> bool:
    if before.problem is not now.problem or now.at - before.at >= _NEWS:
        return True
    if before.until is None or now.until is None:
        return before.until is not now.until
    return abs(now.until - before.until) >= _NEWS


@dataclass(slots=True)
class _Counting:
    """Pieces of a request, and how many bytes they were."""

    pieces: Iterator[bytes]
    taken: int = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.taken += len(piece)
            yield piece
