"""`hive attach` to an agent in a pod: a terminal over exec, without kubectl."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import termios
import threading
import tty
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hive.errors import HiveError, Missing
from hive.facts.agents import session_name
from hive.facts.kubernetes import PodRef
from hive.ports.kubernetes import ExecStream

_LOOK = 0.25
"""Seconds after which a changed size of the window is passed on."""


def attach_in_pod(config: Path, agent: str, sandbox: Mapping[str, Any]) -> int:
    """`sandbox` is the agent's in the status document. Raises `Missing` where it has no pod now."""
    from hive.app.clusters import connect
    from hive.app.fleet import context_of
    from hive.settings.fleet_section import read_fleet
    from hive.shells.kubernetes.terminal_host import SOCKET

    fleet = read_fleet(config, os.environ)
    if fleet is None or not sandbox.get("pod"):
        why = sandbox.get("message") or "none is ready"
        raise Missing("terminal", f"{agent} has no pod now: {why}")
    namespace = str(sandbox["request"]).partition("/")[0]
    cluster = connect(fleet, context_of(fleet, str(sandbox["cluster"])))
    # The pod knows few terminals; this one is in every terminfo.
    tmux = ("tmux", "-u", "-S", SOCKET, "attach", "-t", f"={session_name(agent)}")
    pod = PodRef(namespace, str(sandbox["pod"]))
    stream = cluster.exec(pod, ("env", "TERM=xterm-256color", *tmux), tty=True)
    try:
        return converse(stream)
    finally:
        stream.close()
        cluster.close()


def converse(stream: ExecStream) -> int:
    """Join this terminal and the command's until the command ends; its exit code. Raises `Unreachable`."""
    with _raw(sys.stdin.fileno()), _watching() as resized:
        threading.Thread(target=_type, args=(stream, sys.stdin.fileno()), daemon=True).start()
        while True:
            if resized.is_set():
                resized.clear()
                stream.resize(*shutil.get_terminal_size())
            piece = stream.read(_LOOK)
            if piece is None:
                continue
            if not piece[1]:
                return stream.exit_code() or 0
            _show(piece[1])


def _show(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sys.stdout.fileno(), view) :]


def _type(stream: ExecStream, source: int) -> None:
    """What is typed goes into the pod, until the stream has ended."""
    with contextlib.suppress(HiveError, OSError):
        while data := os.read(source, 4096):
            stream.write(data)


@contextlib.contextmanager
def _raw(terminal: int) -> Iterator[None]:
    """Every key goes to the pod. What is no terminal is left as it is."""
    if not os.isatty(terminal):
        yield
        return
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _watching() -> Iterator[threading.Event]:
    """An event that is set at first, and whenever the window's size changes."""
    resized = threading.Event()
    resized.set()
    before = signal.signal(signal.SIGWINCH, lambda number, frame: resized.set())
    try:
        yield resized
    finally:
        signal.signal(signal.SIGWINCH, before)
