"""Tokens of agents on this machine, renewed in place while the agents run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime

from hive.decisions.token_renewal import TOKEN_LIFE, due
from hive.errors import WorldError
from hive.facts.agents import AgentSpec
from hive.facts.events import TokenIssued
from hive.facts.memory import AgentMemory
from hive.kernel.act import Hands, record
from hive.kernel.ledger import Ledger
from hive.kernel.tokens import digest_of, new_token
from hive.ports.seats import LocalSeats

_LOG = logging.getLogger(__name__)
_DEADLINE = 15.0


class TokenKeeper:
    """Called once a tick."""

    def __init__(self, hands: Hands, ledger: Ledger, now: Callable[[], datetime]) -> None:
        self._hands = hands
        self._ledger = ledger
        self._now = now
        self._is_first = True
        self._unwritten: dict[str, str] = {}
        """Tokens that are on record and not yet where the agent reads them."""

    async def renew(self, specs: Iterable[AgentSpec]) -> None:
        """Renew what is due. What cannot be written is tried again at the next call, and is no reason to
        stop: the token before is good meanwhile. Raises `JournalError`."""
        known = {spec.name: spec for spec in specs}
        found = due(self._ledger.memory, known.values(), self._now(), early=self._is_first)
        self._is_first = False
        for spec in found:
            if spec.name not in self._unwritten:
                self._unwritten[spec.name] = await self._issue(spec)
        for name, token in list(self._unwritten.items()):
            if name not in known or await self._written(known[name], token):
                del self._unwritten[name]

    async def _issue(self, spec: AgentSpec) -> str:
        """A token whose digest is on record."""
        token = new_token()
        issued = TokenIssued(
            agent=spec.name,
            digest=digest_of(token),
            generation=self._known(spec).generation,
            life_s=int(TOKEN_LIFE.total_seconds()),
            renews=True,
        )
        await record(self._hands.journal, [issued])
        return token

    async def _written(self, spec: AgentSpec, token: str) -> bool:
        """Write it, unless the agent was stopped or started anew meanwhile; whether that is settled.

        Asked in the lane by which starts write theirs, so that no older token comes over a newer.
        """

        def write(seats: LocalSeats) -> None:
            if self._known(spec).token_digest == digest_of(token):
                seats.renew(spec, token=token)

        try:
            await self._hands.seats.call("renew", write, _DEADLINE)
        except WorldError as error:
            _LOG.warning("the token of %s could not be renewed yet: %s", spec.name, error)
            return False
        return True

    def _known(self, spec: AgentSpec) -> AgentMemory:
        return self._ledger.memory.agents.get(spec.name, AgentMemory())
