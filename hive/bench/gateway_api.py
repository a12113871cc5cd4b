"""What the gateway adds to an API call: the same call by the same client, straight and through it, in turns.

A call whose ruling depends on what an id or a number stands for makes the gateway ask the forge first, so
a comment costs a second journey to it; that one is told without a bound.

The ruling on a write is on the disk before anything is sent, so that what one such write costs on this disk,
measured between the calls, is the least that a write can take longer.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import socket
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hive.bench import BenchRow, at_most, below
from hive.bench.gateway_server import CREDENTIAL, REPO, TOKEN, Running
from hive.standins.github.process import StandInProcess

MOST_ADDED_MS = 1.0
_READ = {"query": 'query { repository(owner: "acme", name: "widgets") { issue(number: 1) { title } } }'}


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("api.github.com", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


@dataclass(frozen=True, slots=True)
class _Way:
    """How a call goes: the connection, what stands before its path, and whose token it shows."""

    connection: http.client.HTTPConnection
    rest: str
    graphql: str
    token: str

    def call(self, method: str, path: str, value: object) -> float:
        """Milliseconds of one call. Raises `RuntimeError` when it is not answered well."""
        body = None if value is None else json.dumps(value).encode()
        target = self.graphql if path == "/graphql" else self.rest + path
        begun = time.perf_counter()
        self.connection.request(method, target, body, {"Authorization": f"token {self.token}"})
        response = self.connection.getresponse()
        data = response.read()
        spent = (time.perf_counter() - begun) * 1e3
        if response.status >= 300:
            raise RuntimeError(f"{method} {path} was answered {response.status}: {data[:200]!r}")
        return spent


def _straight(forge: StandInProcess) -> _Way:
    connection = http.client.HTTPConnection(forge.host, forge.port, timeout=60)
    return _Way(connection, "/api/v3", "/api/graphql", CREDENTIAL)


def _through(gateway: Running) -> _Way:
    return _Way(_Unix(gateway.socket), "", "/graphql", TOKEN)


Calls = Mapping[str, tuple[str, str, object]]
CALLS: Calls = {
    "REST read": ("GET", f"/repos/{REPO}/issues/1", None),
    "GraphQL read": ("POST", "/graphql", _READ),
    "issue filed": ("POST", f"/repos/{REPO}/issues", {"title": "Found", "body": "In the bench."}),
    "comment, its issue looked up first": ("POST", f"/repos/{REPO}/issues/1/comments", {"body": "I see."}),
}
_FREE = frozenset({"comment, its issue looked up first"})
_WRITES = frozenset({"issue filed"})


class _Disk:
    """Durable writes of one page each to a file beside the journal."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "durable", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self) -> float:
        """Milliseconds of one."""
        begun = time.perf_counter()
        os.write(self._file, b"-" * 4096)
        os.fdatasync(self._file)
        return (time.perf_counter() - begun) * 1e3

    def close(self) -> None:
        os.close(self._file)


def rows(forge: StandInProcess, gateway: Running, calls: int) -> list[BenchRow]:
    """Latency added to `calls` calls of each kind, and how many reads a second come through."""
    straight, through, disk = _straight(forge), _through(gateway), _Disk(gateway.socket.parent)
    found: list[BenchRow] = []
    for name, (method, path, value) in CALLS.items():
        turns = [
            (
                straight.call(method, path, one),
                through.call(method, path, one),
                disk.write() if name in _WRITES else 0.0,
            )
            for one in (_fresh(value, index) for index in range(calls + 5))
        ][5:]
        ways = [turn[0] for turn in turns], [turn[1] for turn in turns]
        found += _latency(name, *ways)
        if name in _WRITES:
            found += _durable(name, *ways, [turn[2] for turn in turns])
    for end in (straight.connection, through.connection, disk):
        end.close()
    found.append(_throughput(forge, gateway, calls))
    return found


def _fresh(value: object, index: int) -> object:
    """`value` as one that was not sent before: hive answers a repeated creation without the forge."""
    if not isinstance(value, dict) or "body" not in value:
        return value
    return {**value, "body": f"{value['body']} {index}"}


def _latency(name: str, straight: list[float], through: list[float]) -> list[BenchRow]:
    limit, took = statistics.median(straight), statistics.median(through)
    if name in _FREE:
        p50 = at_most(f"{name}: p50", took, "ms", "straight", limit, times=None)
    else:
        p50 = below(f"{name}: added, p50", max(0.0, took - limit), "ms", MOST_ADDED_MS)
    last = at_most(f"{name}: p99", _p99(through), "ms", "straight", _p99(straight), times=None)
    return [p50, last]


def _durable(name: str, straight: list[float], through: list[float], written: list[float]) -> list[BenchRow]:
    """What the disk alone takes of what is added, and what is left for hive."""
    one = statistics.median(written)
    added = max(0.0, statistics.median(through) - statistics.median(straight))
    return [
        BenchRow("one durable write on this disk: p50", one, "ms"),
        BenchRow(f"{name}: added beyond one durable write, p50", max(0.0, added - one), "ms"),
    ]


def _p99(values: list[float]) -> float:
    return sorted(values)[math.ceil(0.99 * len(values)) - 1]


def _throughput(forge: StandInProcess, gateway: Running, calls: int) -> BenchRow:
    straight = _reads_per_second(lambda: _straight(forge), calls)
    through = _reads_per_second(lambda: _through(gateway), calls)
    return at_most("REST reads by four at once", through, "1/s", "straight", straight, times=None)


def _reads_per_second(way: Callable[[], _Way], calls: int, peers: int = 4) -> float:
    method, path, value = CALLS["REST read"]
    ways = [way() for _ in range(peers)]

    def work(one: _Way) -> None:
        for _ in range(calls):
            one.call(method, path, value)

    threads = [threading.Thread(target=work, args=(one,)) for one in ways]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - begun
    for one in ways:
        one.connection.close()
    return peers * calls / spent
