"""A tunnel that hive does not look into: to an endpoint that the operator named, and nowhere else."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading

from hive.facts.isolation import Endpoint
from hive.gateway import answers
from hive.gateway.settings import Limits
from hive.gateway.wire import Peer

_LOG = logging.getLogger(__name__)
_PIECE = 65_536
_CONNECT_S = 15.0


def lead(peer: Peer, near: socket.socket, endpoint: Endpoint, limits: Limits) -> None:
    """Carry bytes both ways until either side ends, or neither said anything for as long as a model may
    think. Raises `Closed`, `OSError` of the near side."""
    try:
        far = socket.create_connection((endpoint.host, endpoint.port), timeout=_CONNECT_S)
    except OSError as error:
        _LOG.info("%s cannot be reached: %s", endpoint, error)
        said = f"{endpoint} cannot be reached: {error.strerror or error}"
        peer.answer(answers.problem(502, said), to="CONNECT", close=True)
        return
    with far:
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        for each in (near, far):
            each.settimeout(limits.passage_s)
        far.sendall(peer.left())
        back = threading.Thread(target=_carry, args=(far, near), name="gateway-passage", daemon=True)
        back.start()
        _carry(near, far)
        back.join()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    """Until the end of `source`; a side that fails ends the other."""
    try:
        while piece := source.recv(_PIECE):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
