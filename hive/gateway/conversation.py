"""What is said on one connection: a tunnel is asked for, or not, and then one request after another."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from socket import socket
from typing import Protocol

from hive.decisions.requests import NotUnderstood, Request
from hive.facts.isolation import Endpoint
from hive.gateway import answers, passage
from hive.gateway.admission import Admission
from hive.gateway.doors import Arrival
from hive.gateway.nested_tls import NestedTls
from hive.gateway.settings import Limits
from hive.gateway.wire import Body, Malformed, Peer, Response, Stream

_STRANGERS_BYTES = 65_536
"""Of a body that came with nobody's token: read to its end, so that another request can follow."""


class Handler(Protocol):
    """Answers one request."""

    def most_bytes(self, request: Request) -> int:
        """How large the body of `request` may be."""
        ...

    def answer(self, request: Request, body: Body, arrival: Arrival) -> Response: ...

    def tunnel(self, request: Request, arrival: Arrival) -> str | Endpoint | Response:
        """The host that `request` asks for a tunnel to ("" for a request to hive itself, which needs
        none), where else it may go without hive looking into it, or what is answered instead of one."""
        ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """Attributes:
    context: A server's TLS, by the host that it speaks for.
    accepted: The connection below all layers, as `admission` knows it.
    """

    limits: Limits
    handler: Handler
    context: Callable[[str], ssl.SSLContext]
    admission: Admission
    accepted: socket
    closing: threading.Event

    def tunnel(self, stream: Stream, arrival: Arrival) -> None:
        """Answer requests in the tunnel that is asked for first. Raises `Closed`, `OSError`."""
        peer = Peer(stream, self.limits)
        try:
            head = peer.read_head()
            if head is None:
                return
            asked = self.handler.tunnel(head, arrival)
            if isinstance(asked, Response):
                self._hold_back(asked)
                peer.answer(asked, to=head.method, close=True)
                return
            if isinstance(asked, Endpoint):
                self.admission.busy(self.accepted)
                passage.lead(peer, self.accepted, asked, self.limits)
                return
            if not asked:
                self.admission.busy(self.accepted)
                if self._one(peer, head, arrival):
                    self._go_on(peer, arrival)
                return
        except Malformed as reason:
            peer.answer(answers.problem(reason.status, str(reason)), to="GET", close=True)
            return
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self._within(stream, replace(arrival, host=asked))

    def _within(self, stream: Stream, arrival: Arrival) -> None:
        context = self.context(arrival.host)
        if not isinstance(stream, socket) or isinstance(stream, ssl.SSLSocket):
            nested = NestedTls(stream, context)
            nested.do_handshake(self.limits.handshake_s)
            self.requests(nested, arrival)
            return
        stream.settimeout(self.limits.handshake_s)
        with context.wrap_socket(stream, server_side=True, do_handshake_on_connect=False) as secure:
            self.admission.layer(self.accepted, secure)
            secure.do_handshake()
            self.requests(secure, arrival)

    def _hold_back(self, response: Response) -> None:
        if response.after_s:
            # Meanwhile its place is anybody's.
            with self.admission.waits(self.accepted):
                self.closing.wait(response.after_s)

    def requests(self, stream: Stream, arrival: Arrival) -> None:
        """Answer one request after another. Raises `Closed`, `OSError`."""
        peer = Peer(stream, self.limits)
        try:
            self._go_on(peer, arrival)
        except Malformed as reason:
            peer.answer(answers.problem(reason.status, str(reason)), to="GET", close=True)

    def _go_on(self, peer: Peer, arrival: Arrival) -> None:
        while not self.closing.is_set():
            with self.admission.waits(self.accepted):
                head = peer.read_head()
            if head is None or not self._one(peer, head, arrival):
                return

    def _one(self, peer: Peer, head: Request, arrival: Arrival) -> bool:
        """Answer one request; whether the connection may go on."""
        body = peer.body(head, self.handler.most_bytes(head))
        response = self.handler.answer(head, body, arrival)
        try:
            self._hold_back(response)
            whole = self._rest(body, _STRANGERS_BYTES if response.status == 401 else None)
        except BaseException:
            response.drop()
            raise
        try:
            asked_to = (head.header("Connection") or "").lower() == "close"
        except NotUnderstood:
            asked_to = True
        close = asked_to or not whole or self.closing.is_set()
        peer.answer(response, to=head.method, close=close)
        return not close

    def _rest(self, body: Body, most: int | None) -> bool:
        """Read what was not read of `body`, at most about `most` bytes; whether that was all. It stands
        before the next request."""
        if body.is_over:
            return True
        taken = 0
        with self.admission.waits(self.accepted):
            for piece in body.pieces():
                taken += len(piece)
                if most is not None and taken > most:
                    return False
        return True
