"""Ports of loopback in a place, behind which hive's gateway is: nothing else can be reached from there."""

from __future__ import annotations

import _thread
import fcntl
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress

from hive.shells.isolation.order import Forward

_PIECE = 65_536
_LONGEST_HEAD = 16_384
_PATIENCE_S, _PAUSE_S = 30.0, 0.05
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1


def raise_loopback() -> None:
    """Bring up the interface of loopback. Raises `OSError`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))


def listen(forwards: Sequence[Forward]) -> list[tuple[socket.socket, Forward]]:
    """Listen for each. Raises `OSError`."""
    found = []
    for forward in forwards:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", forward.port))
        listener.listen(64)
        found.append((listener, forward))
    return found


def serve(listeners: Sequence[tuple[socket.socket, Forward]]) -> None:
    """Forward from now on, in threads that end with the process."""
    for listener, forward in listeners:
        _thread.start_new_thread(_accept, (listener, forward))


def _accept(listener: socket.socket, forward: Forward) -> None:
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            # Out of descriptors or memory: what is open has to end first.
            time.sleep(_PAUSE_S)
            continue
        try:
            _thread.start_new_thread(_converse, (near, forward))
        except RuntimeError:
            near.close()  # the place has as many threads as it may


def _converse(near: socket.socket, forward: Forward) -> None:
    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with near, far, suppress(OSError):
        far.settimeout(_PATIENCE_S)
        far.connect(forward.socket)
        if forward.tunnel and not _tunnel(far, forward.tunnel):
            return
        far.settimeout(None)
        ended = _thread.allocate_lock()
        ended.acquire()
        _thread.start_new_thread(_pump, (far, near, ended))
        _pump(near, far, None)
        ended.acquire()


def _tunnel(far: socket.socket, target: str) -> bool:
    """Ask for a tunnel; whether it is there. Nothing is read of what comes through it."""
    far.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode("ascii"))
    head = b""
    while not head.endswith(b"\r\n\r\n") and len(head) < _LONGEST_HEAD:
        byte = far.recv(1)
        if not byte:
            return False
        head += byte
    return head.split(b" ", 2)[1:2] == [b"200"]


def _pump(source: socket.socket, sink: socket.socket, ended: _thread.LockType | None) -> None:
    """Carry on until the end of `source`, and tell `sink` of it."""
    try:
        while piece := source.recv(_PIECE):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
    finally:
        if ended is not None:
            ended.release()
