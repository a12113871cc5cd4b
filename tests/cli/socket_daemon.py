"""A daemon that is only an operator's socket: it answers one line with one line."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from hive.app.places import Places

Row = dict[str, Any]
Answer = Callable[[list[Row], Row], Row]
"""What is answered, by the daemon's rows and what it is asked."""


class SocketDaemon(socketserver.UnixStreamServer):
    """Remembers what it was asked."""

    asked: list[Row]
    rows: list[Row]
    answer: Answer


class _Answering(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        daemon = cast(SocketDaemon, self.server)
        request = json.loads(self.rfile.readline())
        daemon.asked.append(request)
        self.wfile.write(json.dumps(daemon.answer(daemon.rows, request)).encode() + b"\n")


@contextmanager
def serving(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[Row],
    answer: Answer,
) -> Iterator[SocketDaemon]:
    """The daemon of a hive in `folder`, which becomes the working directory; `ann` is the operator."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SUDO_USER", "ann")
    (folder / "hive.yaml").write_text("level: 4\n")
    places = Places(folder / ".hive")
    places.make()
    with SocketDaemon(str(places.operator_socket), _Answering) as server:
        server.asked, server.rows, server.answer = [], rows, answer
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
