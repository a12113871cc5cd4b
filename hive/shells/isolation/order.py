"""What the launcher is told: one place, and the program to start in it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Forward:
    """A port of loopback in the place that leads to a Unix socket of hive's.

    Attributes:
        tunnel: ``HOST:PORT`` to ask for a tunnel to first; empty for none.
    """

    port: int
    socket: str
    tunnel: str = ""


@dataclass(frozen=True, slots=True)
class PlaceOrder:
    """A place and the program for it.

    Attributes:
        argv: The program's command line, looked up in the PATH of its environment.
        uid, gid: Of the place; the launcher's own where `own_user` is false, which takes a user namespace.
        user: Name for them, for programs that ask.
        home: Of the agent, absolute; writable in the place, as are the places for temporary files.
        workdir: Where the program starts.
        hidden: Folders that are empty in the place, but for what is shown below them.
        masked: Files that are not there in the place, nor what takes their names later; absolute, in folders
            without links.
        shown: Folders and files that stay to be seen below a hidden folder, read only.
        cgroups: Folders of control groups to join.
        own_network: A network namespace with loopback alone, and `forwards` in it.
    """

    argv: tuple[str, ...]
    uid: int
    gid: int
    own_user: bool
    user: str
    home: str
    workdir: str
    hidden: tuple[str, ...]
    masked: tuple[str, ...]
    shown: tuple[str, ...]
    cgroups: tuple[str, ...] = ()
    own_network: bool = True
    forwards: tuple[Forward, ...] = ()


def written(order: PlaceOrder) -> bytes:
    return json.dumps(asdict(order)).encode("ascii")


def read(content: bytes) -> PlaceOrder:
    told = json.loads(content)
    told["forwards"] = tuple(Forward(**each) for each in told["forwards"])
    for name in ("argv", "hidden", "masked", "shown", "cgroups"):
        told[name] = tuple(told[name])
    return PlaceOrder(**told)
