"""A port on loopback that leads into a pod: one WebSocket for each connection that is made to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hive.errors import WorldError
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.execution import V4
from hive.shells.kubernetes.failures import Request
from hive.shells.kubernetes.link import Link, LinkEnded
from hive.shells.kubernetes.websockets import open_link

_DATA = 0
_PIECE = 1 << 15


@contextmanager
def forwarded(connection: Connection, request: Request, path: str, port: int) -> Iterator[int]:
    """The local port, open while the context lasts; raises at once where the pod cannot be reached."""
    call = Call("GET", path, (("ports", str(port)),))
    open_link(connection, request, call, (V4,)).link.close()
    listener = socket.create_server(("127.0.0.1", 0))
    forward = _Forward(connection, request, call, listener)
    forward.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        forward.stop()


class _Forward:
    def __init__(self, connection: Connection, request: Request, call: Call, listener: socket.socket) -> None:
        self._connection = connection
        self._request = request
        self._call = call
        self._listener = listener
        self._lock = threading.Lock()
        self._stopped = False
        self._open: set[tuple[Link, socket.socket]] = set()
        self._threads: set[threading.Thread] = set()

    def start(self) -> None:
        self._spawn(self._accept)

    def stop(self) -> None:
        """No thread of it is left afterwards."""
        with self._lock:
            self._stopped = True
            pairs = tuple(self._open)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for link, client in pairs:
            _end(link, client)
        while threads := self._living():
            for thread in threads:
                thread.join()
        self._listener.close()

    def _living(self) -> tuple[threading.Thread, ...]:
        with self._lock:
            return tuple(thread for thread in self._threads if thread.is_alive())

    def _spawn(self, work: object, *arguments: object) -> None:
        assert callable(work)
        thread = threading.Thread(target=work, args=arguments, daemon=True, name="kubernetes-forward")
        with self._lock:
            self._threads = {one for one in self._threads if one.is_alive()}
            thread.start()
            self._threads.add(thread)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                link = open_link(self._connection, self._request, self._call, (V4,)).link
            except WorldError:
                return  # the client sees its connection closed
            pair = (link, client)
            with self._lock:
                self._open.add(pair)
                is_late = self._stopped
            if not is_late:
                self._spawn(_upwards, client, link)
                _downwards(link, client)
            _end(link, client)
            with self._lock:
                self._open.discard(pair)


def _upwards(client: socket.socket, link: Link) -> None:
    """From the client to the pod. There is no half-close: the end of the client's words is not told."""
    with suppress(OSError, LinkEnded):
        while data := client.recv(_PIECE):
            link.send(bytes((_DATA,)) + data)


def _downwards(link: Link, client: socket.socket) -> None:
    begun = set()
    with suppress(OSError, LinkEnded):
        while True:
            message = link.receive(None)
            if not message:
                continue
            channel = message[0]
            if channel not in begun:
                begun.add(channel)  # the first message of each channel is the port's number
            elif channel == _DATA:
                client.sendall(message[1:])
            else:
                return  # the pod's side failed; the text of it is for people


def _end(link: Link, client: socket.socket) -> None:
    link.close()
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
