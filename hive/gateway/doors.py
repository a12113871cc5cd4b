"""The ways in: a Unix socket, a proxy on loopback, and one with TLS for pods where the operator wants it."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hive.errors import ConfigError
from hive.gateway.admission import Admission

_PEER = struct.Struct("=iII")
"""Process, user and group, see unix(7)."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a request came.

    Attributes:
        host: Where a tunnel leads to; empty without one.
        address: The peer's, as `origin` has it; empty for this machine's own agents.
        from_pod: It came by the door for pods.
        peer: The user who is at the other end of a Unix socket; None where nothing says.
        descriptor: Of the connection below all layers; -1 where there is none.
    """

    host: str = ""
    address: str = ""
    from_pod: bool = False
    peer: int | None = None
    descriptor: int = -1


@dataclass(frozen=True, slots=True)
class Door:
    """Attributes:
    tunnels: What comes in asks for a tunnel first.
    for_pods: TLS first, and peers that are not of this machine.
    """

    listener: socket.socket
    admission: Admission
    tunnels: bool = False
    for_pods: bool = False


def listen_unix(path: Path, mode: int) -> socket.socket:
    """Raises `ConfigError` where that cannot be."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _closed_on_failure(listener, str(path), "choose another folder under 'state'"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Bound under another name and then moved over the old one: never missing, never half open.
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.unlink(missing_ok=True)
        listener.bind(str(part))
        part.chmod(mode)
        listener.listen(128)
        part.replace(path)
    return listener


def listen_tcp(host: str, port: int, key: str) -> socket.socket:
    """`host` may be a name of this machine; `key` is what says so in hive.yaml.

    Raises `ConfigError` where that cannot be.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ConfigError(f"{host} has no address ({error}); choose another under {key}") from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    with _closed_on_failure(listener, where, f"end what has it, or choose another under {key}"):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    return listener


@contextlib.contextmanager
def _closed_on_failure(listener: socket.socket, where: str, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        listener.close()
        said = f"the gateway cannot listen on {where}: {error.strerror or error}; {remedy}"
        raise ConfigError(said) from error


def close(listener: socket.socket) -> None:
    """Close it, waking whoever accepts on it."""
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def peer_of(connection: socket.socket) -> int | None:
    """The user at the other end of a Unix socket; None for another kind."""
    if connection.family != socket.AF_UNIX:
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(credentials)[1])


def account(arrival: Arrival) -> str:
    """Whom a connection is put down to: its address, or the user whose programs are one agent's; empty
    where nothing tells agents apart."""
    own = arrival.peer is None or arrival.peer == os.geteuid()
    return arrival.address if own else f"user {arrival.peer}"


def origin(address: object) -> str:
    """Whom to hold to account for a peer at `address` (of `accept`): one of IPv4, a /64 network of IPv6,
    which one machine has to itself."""
    if not isinstance(address, tuple):
        return ""
    host = str(address[0]).partition("%")[0]
    try:
        known = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, 64), strict=False))
