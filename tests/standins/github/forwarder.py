"""What stands between gh and the stand-in: a Unix socket, as gh's `http_unix_socket` wants one."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Bytes one way until either end is gone; then both are."""
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def forward(path: Path, port: int) -> Iterator[None]:
    """Carry connections on the Unix socket `path` to a port of this machine."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", port))
                ends.extend((near, far))
                threads.extend(
                    threading.Thread(target=_pump, args=pair, daemon=True)
                    for pair in ((near, far), (far, near))
                )
                for thread in threads[-2:]:
                    thread.start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        acceptor.join(5)
        listener.close()
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5)
        for end in ends:
            end.close()
