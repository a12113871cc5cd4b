"""Ports that nobody listens on, below those that the kernel hands out by itself.

A server of these tests keeps its port over a restart. A port from the kernel's own range would not do: while
the server is away, any connection on the machine may be given it as its source.
"""

from __future__ import annotations

import random
import socket
from itertools import count

SERVERS = range(20000, 32000)
"""Linux itself hands out 32768 to 60999 (net.ipv4.ip_local_port_range)."""
API_LINKS = range(19000, 20000)
"""Apart, so that one rule of a node's firewall can name them all."""
_given: set[int] = set()


def free_port(address: str = "127.0.0.1", among: range = SERVERS) -> int:
    """Nobody listens on it now, and this process was not told of it before.

    Another process may still take it first; who starts a server there tries again with the next.
    """
    chosen = random.SystemRandom()
    for _ in count():
        port = chosen.choice(among)
        if port not in _given and _can_be_bound(address, port):
            _given.add(port)
            return port
    raise AssertionError("unreachable")


def _can_be_bound(address: str, port: int) -> bool:
    with socket.socket() as probe:
        # A child that another thread is starting holds a copy of this socket until it becomes its program;
        # without this, whoever binds the port meanwhile is refused it.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
