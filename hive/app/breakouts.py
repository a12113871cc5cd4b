"""Tries to break out of an agent's place: a place of the kind that agents get, with something to reach for.

Everything lies in a folder of its own that is removed again; what is hive's is looked for where it is, and
nothing of it is changed.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hive.app.isolation import AgentPlaces
from hive.app.places import Places
from hive.facts.isolation import IsolationMode, IsolationOptions
from hive.shells.isolation import attempts
from hive.shells.isolation.files import give
from hive.shells.isolation.order import PlaceOrder
from hive.shells.isolation.place import run_in_place
from hive.shells.system.files import private_folder, write_private

_PATIENCE_S = 15.0
_ELSEWHERE = (("169.254.169.254", 80), ("1.1.1.1", 443), ("1.1.1.1", 53), ("2606:4700:4700::1111", 443))
"""Of clouds' own service, and of name servers anywhere."""
_OF_ROOT = ("/etc/shadow",)
"""What only root may read: a place whose user is root has to leave it out."""
_ENDED = "end_processes"


class NotTried(Exception):
    """The place could not be made, or said nothing."""


def tried_breakouts(
    options: IsolationOptions, state: Path, secret_files: Sequence[str] = ()
) -> Mapping[str, str]:
    """What each attempt of `hive.shells.isolation.attempts` reached, by name; empty for what was in vain.

    `state` and `secret_files` are hive's own, which are not to be reached either. Raises `NotTried`,
    `Refused` and `OSError`.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hive-tried-")))
        places = Places(folder / "state")
        places.make()
        isolation = AgentPlaces(places, lambda: options, lambda: tuple(secret_files))
        stack.callback(isolation.groups.close)
        home, user = private_folder(places.agent("a")), isolation.file_user("a")
        (home / "work").mkdir()
        give(home, os.geteuid() if user is None else user)
        targets = stack.enter_context(_targets(places, state, secret_files))
        argv = (sys.executable, "-I", "-S", str(Path(attempts.__file__).resolve()))
        if isolation.mode() is IsolationMode.NONE:
            found = _run_here(argv, json.dumps(targets))
        else:
            order = isolation.order("a", argv, home / "work", "http://127.0.0.1:1", path=os.defpath)
            order = replace(order, hidden=(*order.hidden, *_hidden(state)))
            found = _run_there(order, argv, places, json.dumps(targets))
        if _is_ended(targets["pid"]):
            found[_ENDED] = "a process of this machine's"
        return found


def _hidden(state: Path) -> tuple[str, ...]:
    """Of the hive whose isolation is asked for: its agents' places leave out the same."""
    own = Places(state)
    return tuple(os.path.realpath(each) for each in (own.state, own.sockets) if each.is_dir())


def _run_there(order: PlaceOrder, argv: tuple[str, ...], places: Places, told: str) -> dict[str, str]:
    environment = {"PATH": os.defpath, "HOME": order.home}
    done = run_in_place(
        order, argv, places.order("a"), environment=environment, stdin=told, timeout=_PATIENCE_S
    )
    return _read(done.out, done.err)


def _run_here(argv: tuple[str, ...], told: str) -> dict[str, str]:
    try:
        done = subprocess.run(
            argv, input=told, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotTried("it took too long") from error
    return _read(done.stdout, done.stderr)


def _read(out: str, err: str) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(out)
    except ValueError as error:
        raise NotTried((err.strip().splitlines() or ["no answer"])[-1]) from error
    return found


@contextmanager
def _targets(places: Places, state: Path, secret_files: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Something of each kind, outside of the place."""
    marker, own = secrets.token_hex(8), Places(state)
    other = private_folder(places.agent("b")) / "token"
    with ExitStack() as stack:
        shared = Path("/dev/shm" if os.path.isdir("/dev/shm") else places.state) / f"hive-tried-{marker}"  # noqa: S108
        for path in (other, places.journal, shared):
            write_private(path, marker.encode())
        stack.callback(shared.unlink, missing_ok=True)
        abstract = f"\0hive-{marker}"
        stack.enter_context(_listening(str(places.tmux_socket)))
        stack.enter_context(_listening(abstract))
        port = stack.enter_context(socket.create_server(("", 0))).getsockname()[1]
        sleeper = stack.enter_context(_sleeper(marker))
        yield {
            "files": [str(each) for each in (other, places.journal, own.journal, *secret_files, *_OF_ROOT)],
            "sockets": [str(places.tmux_socket), abstract, str(own.tmux_socket), str(own.operator_socket)],
            "pid": sleeper,
            "marker": marker,
            "owner": os.getpid(),
            "shared_files": [str(shared), f"/proc/{os.getpid()}/root/{shared}"],
            "endpoints": [*((host, port) for host in _addresses()), *_ELSEWHERE],
        }


@contextmanager
def _listening(path: str) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        yield


@contextmanager
def _sleeper(marker: str) -> Iterator[int]:
    """A process to reach for: it has `marker` in command line and environment, and reads for ever."""
    argv = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()", marker]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env={"HIVE_MARKER": marker}) as process:
        try:
            yield process.pid
        finally:
            with suppress(OSError):
                process.kill()


def _is_ended(pid: int) -> bool:
    """Of a child that nobody has waited for yet."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _addresses() -> tuple[str, ...]:
    """Loopback, and the machine's own address on the way out, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # nothing is sent by it
            return ("127.0.0.1", str(asking.getsockname()[0]))
        except OSError:
            return ("127.0.0.1",)
