"""The relay: one request of an agent's program to its provider and back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from hive.decisions.requests import Request
from hive.decisions.requests.raw import CHUNKED, body_length
from hive.errors import InDoubt, WorldError
from hive.gateway.doorkeeper import Doorkeeper
from hive.gateway.doors import Arrival
from hive.gateway.relay.answering import Answers, Asking, Counting, Pieces
from hive.gateway.relay.budget_gate import BudgetGate, Halted
from hive.gateway.relay.headers import passed_on, shown_keys, with_key
from hive.gateway.relay.news import News
from hive.gateway.relay.passage import Passages, Sent
from hive.gateway.relay.places import Places
from hive.gateway.relay.providers import PREFIX, Provider
from hive.gateway.relay.recorder import Recorder
from hive.gateway.relay.refusals import refuse
from hive.gateway.relay.routes import key_in, route
from hive.gateway.wire import Body, Response
from hive.ports.models import ModelAuthority, ModelCaller

_LOG = logging.getLogger(__name__)
MOST_BYTES = 64 * 1024 * 1024
"""Of a request; the largest that a provider takes (Anthropic: 32 MB) and more."""


class Relay:
    """Thread-safe. `providers` are those of the configuration as it is now."""

    def __init__(
        self,
        providers: Callable[[], Mapping[str, Provider]],
        authority: ModelAuthority,
        keeper: Doorkeeper,
        now: Callable[[], datetime],
        places: Places,
        passages: Passages | None = None,
    ) -> None:
        self._providers = providers
        self._authority = authority
        self._keeper = keeper
        self._now = now
        self._places = places
        self._passages = passages or Passages()
        self._recorder = Recorder(authority.record)
        self._news = News(self._recorder.put, now)
        self._gate = BudgetGate(authority, self._recorder, self._news)
        self._answers = Answers(authority, self._recorder, self._news, now)

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
        if way.wire is not None:
            refusal = self._gate.refusal(caller, provider, way.model)
            if refusal is not None:
                return refusal
        if (because := self._places.take(caller.agent)) is not None:
            later = refuse(provider.dialect, 503, f"{because}; ask again")
            return replace(later, headers=(*later.headers, ("Retry-After", "2")))
        return self._in_its_place(Asking(request, body, provider, way, caller, arrival.descriptor))

    def _in_its_place(self, asking: Asking) -> Response:
        """The answer; the place is left at its end."""
        response = None
        try:
            response = self._passed(asking)
        except Halted as halted:
            return halted.response
        finally:
            if response is None or not isinstance(response.body, Pieces):
                self._places.leave(asking.caller.agent)
        return response

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
        return self._keeper.refused(arrival) if keys else 0.0

    def _passed(self, asking: Asking) -> Response:
        caller, provider = asking.caller, asking.provider
        length = body_length(asking.request)
        pieces = asking.body.pieces()
        if asking.way.wire is not None and not asking.way.model:
            pieces = self._gate.checked(pieces, caller, provider)
        counted = Counting(pieces)
        try:
            headers = (
                *passed_on(asking.request.headers),
                with_key(provider.dialect, provider.credential()),
            )
            sent = Sent(
                asking.request.method,
                provider.base_url + asking.way.target,
                headers,
                counted,
                None if length == CHUNKED else length,
            )
            answered = self._passages.ask(sent, asking.descriptor)
        except InDoubt as error:
            _LOG.warning("%s's request to %s is in doubt: %s", caller.agent, provider.name, error)
            self._answers.in_doubt(asking, counted.taken)
            return refuse(provider.dialect, 504 if "timed out" in str(error) else 502, str(error))
        except WorldError as error:
            _LOG.warning("%s's request to %s was not sent: %s", caller.agent, provider.name, error)
            return refuse(provider.dialect, 502, str(error))

        def unread() -> None:
            answered.close()
            self._answers.in_doubt(asking, counted.taken)

        over = partial(self._places.leave, caller.agent)
        pieces = Pieces(self._answers.pieces(answered, asking, counted), over, unread)
        return Response(answered.status, answered.headers, pieces)
