"""Where agents may go besides the forge, and who tried to go elsewhere."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from hive.errors import JournalError
from hive.facts.events import Noticed
from hive.facts.isolation import Endpoint
from hive.gateway.settings import GatewaySettings
from hive.ports.authority import Authority

_LOG = logging.getLogger(__name__)
_MINUTE_S = 60.0
_MOST_KNOWN = 500
_LONGEST = 200
"""Characters of a target that are written down."""


class WaysOut:
    """Thread-safe. `now` counts seconds, from anywhere."""

    def __init__(
        self, settings: GatewaySettings, authority: Authority, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._authority = authority
        self._now = now
        self._lock = threading.Lock()
        self._told: dict[tuple[str, str], float] = {}

    def endpoint(self, target: str) -> Endpoint | None:
        """The named endpoint that ``HOST:PORT`` means, if any."""
        host, _, port = target.rpartition(":")
        wanted = f"{host.rstrip('.').lower()}:{port}"
        return next((each for each in self._settings.allow() if str(each) == wanted), None)

    def refused(self, peer: int | None, target: str) -> None:
        """Write down that the programs of user `peer` asked for `target`; the same once a minute."""
        who = (self._settings.agent_of(peer) if peer is not None else None) or "somebody on this machine"
        asked = target[:_LONGEST]
        if not self._is_news((who, asked)):
            return
        try:
            self._authority.record(
                [Noticed(about=who, message=f"tried to reach {asked}, which is not allowed")]
            )
        except JournalError as error:
            # Nobody gets out by it: the answer stays no.
            _LOG.error("a refused way out could not be written down: %s", error)

    def _is_news(self, attempt: tuple[str, str]) -> bool:
        now = self._now()
        with self._lock:
            if now - self._told.get(attempt, float("-inf")) < _MINUTE_S:
                return False
            if len(self._told) >= _MOST_KNOWN:
                self._told = {one: at for one, at in self._told.items() if now - at < _MINUTE_S}
            if len(self._told) >= _MOST_KNOWN:
                return False
            self._told[attempt] = now
            return True
