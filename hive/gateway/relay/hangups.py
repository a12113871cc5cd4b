"""Agents that hang up while their provider thinks: its request is ended, and what it would cost is not spent.

A thread that waits for a provider does not see its agent go. One more thread looks at the agents of all
requests under way.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import socket
import threading
from collections.abc import Iterator

_LOG = logging.getLogger(__name__)
_GONE = select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR


class Hangups:
    """Thread-safe. Only ends are looked at: what an agent sends meanwhile stays where it is."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._lock = threading.Lock()
        self._providers: dict[int, socket.socket] = {}
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._wake, select.EPOLLIN)
        self._thread = threading.Thread(target=self._work, name="relay-hangups", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def ending(self, agent: int, provider: socket.socket) -> Iterator[None]:
        """Meanwhile `provider` is shut down once the agent at the descriptor `agent` is gone."""
        if agent < 0:
            yield
            return
        with self._lock:
            # One that is there already is of an answer that nobody read.
            with contextlib.suppress(FileNotFoundError):
                self._poll.unregister(agent)
            self._poll.register(agent, _GONE | select.EPOLLONESHOT)
            self._providers[agent] = provider
        try:
            yield
        finally:
            with self._lock:
                self._providers.pop(agent, None)
                with contextlib.suppress(OSError):
                    self._poll.unregister(agent)

    def close(self) -> None:
        os.eventfd_write(self._wake, 1)
        self._thread.join(5)
        self._poll.close()
        os.close(self._wake)

    def _work(self) -> None:
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._wake:
                    return
                with self._lock:
                    provider = self._providers.get(descriptor)
                    if provider is not None:
                        _LOG.debug("an agent hung up; its request to a provider is ended")
                        with contextlib.suppress(OSError):
                            socket.socket.shutdown(provider, socket.SHUT_RDWR)
