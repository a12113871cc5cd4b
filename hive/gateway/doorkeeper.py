"""Who shows which token: those that are nobody's are counted, written down, and answered ever more slowly."""

from __future__ import annotations

import base64
import binascii
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from hive.decisions.requests import NotUnderstood, Request
from hive.errors import JournalError
from hive.facts.events import Event, TokenRefused
from hive.gateway.doors import Arrival, account
from hive.ports.authority import Authority, Identity

_LOG = logging.getLogger(__name__)
_MINUTE_S = 60.0
_FREE = 3
"""Wrong tokens in a row that are answered at once: a pod may be behind its token's renewal."""
_FIRST_S, _LONGEST_S = 0.1, 5.0
_MOST_KNOWN = 250
"""Addresses told apart; beyond these they are counted together."""
_OTHERS = "others"


@dataclass(slots=True)
class _Record:
    """Attributes:
    row: Refusals in a row, without a minute's rest between any two.
    unsaid: Those that the journal does not have yet.
    """

    row: int = 0
    unsaid: int = 0
    last: float = 0.0
    said: float = float("-inf")


class Doorkeeper:
    """Thread-safe. `now` counts seconds, from anywhere."""

    def __init__(
        self,
        authority: Authority,
        now: Callable[[], float] = time.monotonic,
        *,
        peer: Callable[[str], int | None] = lambda _agent: None,
        agent_of: Callable[[int], str | None] = lambda _uid: None,
    ) -> None:
        """`peer` and `agent_of` are those of the settings."""
        self._authority = authority
        self._agent_of = agent_of
        self._peer = peer
        self._now = now
        self._lock = threading.Lock()
        self._known: dict[str, _Record] = {}

    def identify(self, request: Request, header: str, arrival: Arrival) -> Identity | float:
        """Who this is; else after how many seconds to say that it is nobody.

        A token without which the door stays shut all the same is not counted: git asks without one first.
        """
        try:
            token = token_of(request.header(header) or "")
        except NotUnderstood:
            token = ""
        if not token:
            return 0.0
        identity = self._authority.identify(token)
        # Each token is good at its own door: what one leaks is of no use at the other.
        at_its_door = identity is not None and bool(identity.cluster) == arrival.from_pod
        if identity is not None and at_its_door and self.is_from(identity.agent, arrival):
            return identity
        return self.refused(arrival)

    def is_from(self, agent: str, arrival: Arrival) -> bool:
        """Whether a request came from where the agent's programs run."""
        bound = None if arrival.from_pod else self._peer(agent)
        return bound is None or arrival.peer == bound

    def refused(self, arrival: Arrival) -> float:
        """A wrong token or key was shown; after how many seconds to say so."""
        now, address = self._now(), self._name(arrival)
        with self._lock:
            if address not in self._known and len(self._known) >= _MOST_KNOWN:
                self._forget(now)
            if address not in self._known and len(self._known) >= _MOST_KNOWN:
                address = _OTHERS
            known = self._known.setdefault(address, _Record())
            known.row = known.row + 1 if now - known.last < _MINUTE_S else 1
            known.last = now
            known.unsaid += 1
            events = self._due(now)
            slower = known.row - _FREE
        self._write_down(events)
        if not address or slower <= 0:
            return 0.0
        return float(min(_FIRST_S * 2 ** min(slower, 20), _LONGEST_S))

    def _name(self, arrival: Arrival) -> str:
        known = account(arrival)
        agent = self._agent_of(arrival.peer) if known and arrival.peer is not None else None
        return known if agent is None else f"agent {agent}"

    def _due(self, now: float) -> list[Event]:
        """What the journal is to have now: each address once a minute."""
        events: list[Event] = []
        for address, known in self._known.items():
            if known.unsaid and now - known.said >= _MINUTE_S:
                events.append(TokenRefused(address=address, count=known.unsaid))
                known.unsaid, known.said = 0, now
        return events

    def _forget(self, now: float) -> None:
        for address, known in list(self._known.items()):
            if not known.unsaid and now - known.last >= _MINUTE_S:
                del self._known[address]

    def close(self) -> None:
        """Write down what is yet to be."""
        with self._lock:
            events = self._due(float("inf"))
        self._write_down(events)

    def _write_down(self, events: list[Event]) -> None:
        if not events:
            return
        try:
            self._authority.record(events)
        except JournalError as error:
            # Nobody gets in by it: the answer stays no.
            _LOG.error("refused tokens could not be written down: %s", error)


def token_of(authorization: str) -> str:
    """The hive token of an Authorization header in any of the ways that tools send it; else empty."""
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() in ("token", "bearer"):
        return value.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        pair = base64.b64decode(value.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return pair.partition(":")[2]
