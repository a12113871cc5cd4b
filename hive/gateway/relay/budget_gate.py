"""Budgets before a provider is asked: by what is known of the agent, and by the model asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from hive.facts.models import ModelProblem
from hive.gateway.relay.asked_model import AskedModel
from hive.gateway.relay.news import News
from hive.gateway.relay.providers import Provider
from hive.gateway.relay.recorder import Recorder
from hive.gateway.relay.refusals import refuse
from hive.gateway.wire import Response
from hive.ports.models import ModelAuthority, ModelCaller


class Halted(Exception):
    """The request is not to be passed on to its end; `response` is hive's answer."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


class BudgetGate:
    """Thread-safe."""

    def __init__(self, authority: ModelAuthority, recorder: Recorder, news: News) -> None:
        self._authority = authority
        self._recorder = recorder
        self._news = news

    def refusal(self, caller: ModelCaller, provider: Provider, model: str) -> Response | None:
        """What hive has against asking; `model` is empty where the request is yet to name it."""
        unwritten = self._recorder.unwritten()
        if unwritten is None:
            return refuse(provider.dialect, 503, "nothing is asked while hive cannot write its journal")
        because = self._authority.refusal(replace(caller, model=model), unwritten)
        if because is None:
            return None
        self._news.refused(caller.agent, provider, ModelProblem.OVER_BUDGET, detail=because)
        # 402 is what no program tries again by itself (measured with claude, copilot and gemini;
        # codex asks five times more, in a few seconds).
        return refuse(provider.dialect, 402, f"over budget: {because}")

    def checked(self, pieces: Iterator[bytes], caller: ModelCaller, provider: Provider) -> Iterator[bytes]:
        """`pieces` of a request, none handed on before all of it is ruled on that it says of the model: a
        provider that gets no end of a request does not answer it. Raises `Halted`, at once where the model is
        named at the beginning."""
        if not self._authority.rules_by_model():
            return pieces
        checked = self._checked(pieces, caller, provider)
        first = next(checked, b"")
        return itertools.chain((first,), checked) if first else checked

    def _checked(self, pieces: Iterator[bytes], caller: ModelCaller, provider: Provider) -> Iterator[bytes]:
        asked, ruled = AskedModel(), ""
        for piece in pieces:
            asked.feed(piece)
            if asked.is_doubtful:
                raise Halted(refuse(provider.dialect, 400, "the request has to name one model, once"))
            if asked.model != ruled:
                ruled = asked.model
                if (refusal := self.refusal(caller, provider, ruled)) is not None:
                    raise Halted(refusal)
            yield piece
