"""What the relay of models adds to the first token: one provider asked directly and by it, in turns.

The provider is a process of its own that streams at once and keeps its connections, as providers do.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

from hive.bench import BenchRow, below
from hive.bench.gateway_server import peak_mib
from hive.decisions.policy import Policy
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import AcmmLevel
from hive.facts.events import TokenIssued
from hive.facts.models import Dialect
from hive.gateway import Gateway, GatewaySettings
from hive.gateway.relay.providers import PREFIX, Provider
from hive.kernel.authority import KernelAuthority
from hive.kernel.ledger import Ledger
from hive.kernel.model_authority import KernelModelAuthority
from hive.kernel.tokens import digest_of
from hive.settings.acmm import load_table
from hive.shells.sqlite import SqliteJournal
from hive.shells.system.clock import SystemClock

_KEY = "hive_key-of-the-benchmark"
_START_S = 60.0
_MOST_MS = 2.0
"""Added to the first token, p50."""
_MOST_GROWN_MIB = 16.0
"""Of a gateway through which a long answer goes: pieces, never the whole."""
_REQUEST = b'{"model": "m", "stream": true, "messages": "' + b"x" * 100_000 + b'"}'
"""As large as a conversation with a few files in it."""
_PROVIDER = r"""
import http.server, sys

EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"word "}}\n\n'
LARGE = b'data: {"type":"content_block_delta","delta":{"text":"' + b"x" * 62_000 + b'"}}\n\n'
START = b'data: {"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":9}}}\n\n'
END = b'data: {"type":"message_delta","usage":{"output_tokens":20}}\n\n'

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        large = int(self.headers.get("x-stainless-bench-mb") or 0)
        middle = [LARGE] * (large * 1_000_000 // len(LARGE)) if large else [EVENT] * 20
        for piece in (START, *middle, END):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def rows(asks: int = 200, megabytes: int = 100) -> list[BenchRow]:
    """Ask `asks` times each way, in turns: the time to the first piece of the answer's body.

    And one answer of `megabytes` each way.
    """
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as name, _running("-c", _PROVIDER) as provider:
        target = ("127.0.0.1", int(provider))
        with _running("-m", "hive.bench.gateway_relay", name, str(target[1])) as said:
            port, pid = map(int, said.split())
            gateway = ("127.0.0.1", port)
            direct, relayed = _taken(target, gateway, asks)
            before = peak_mib(pid)
            straight = _stream(target, "/v1/messages", megabytes)
            through = _stream(gateway, f"{PREFIX}bench/v1/messages", megabytes)
            grown = peak_mib(pid) - before
    stream = f"stream of {megabytes} MB"
    added = max(0.0, statistics.median(relayed) - statistics.median(direct))
    return [
        below("first token through the relay, added, p50", added, "ms", _MOST_MS),
        BenchRow("first token asked directly, p50", statistics.median(direct), "ms"),
        BenchRow("first token through the relay, p99", _p99(relayed), "ms", "directly", _p99(direct)),
        BenchRow(f"{stream} through the relay", through, "s", "directly", straight, through / straight),
        below(f"memory grown by a {stream}", grown, "MiB", _MOST_GROWN_MIB),
    ]


def _p99(taken: Sequence[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.99)]


@contextmanager
def _running(*argv: str) -> Iterator[str]:
    """A Python program that says one line and ends with its standard input, or is ended; the line."""
    with subprocess.Popen(
        (sys.executable, *argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(_START_S)


def _taken(provider: tuple[str, int], gateway: tuple[str, int], asks: int) -> tuple[list[float], list[float]]:
    """Milliseconds to the first token, directly and through hive."""
    found: tuple[list[float], list[float]] = ([], [])
    with closing(HTTPConnection(*provider)) as direct, closing(HTTPConnection(*gateway)) as relayed:
        for turn in range(asks + 5):
            for way, connection, path in (
                (found[0], direct, "/v1/messages"),
                (found[1], relayed, f"{PREFIX}bench/v1/messages"),
            ):
                spent = _first_token(connection, path)
                if turn >= 5:  # the first ones connect and compile
                    way.append(spent)
    return found


def _stream(target: tuple[str, int], path: str, megabytes: int) -> float:
    """Seconds that an answer of so many megabytes took."""
    headers = {"x-api-key": _KEY, "x-stainless-bench-mb": str(megabytes)}
    began, taken = time.perf_counter(), 0
    with closing(HTTPConnection(*target)) as connection:
        connection.request("POST", path, b"{}", headers)
        response = connection.getresponse()
        while piece := response.read1(65_536):
            taken += len(piece)
    if taken < megabytes * 900_000:
        raise RuntimeError(f"{path}: only {taken} bytes came")
    return time.perf_counter() - began


def _first_token(connection: HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    connection.request("POST", path, _REQUEST, {"x-api-key": _KEY, "Content-Type": "application/json"})
    response = connection.getresponse()
    response.read1(1)
    spent = (time.perf_counter() - began) * 1e3
    if response.status != 200:
        raise RuntimeError(f"{path} was answered {response.status}")
    response.read()
    return spent


def _serve(folder: Path, port: int) -> None:
    """A gateway with the supervisor's own rulings and a real journal, until it is ended."""
    clock = SystemClock()
    ledger = Ledger(SqliteJournal(folder / "journal.db"), clock)
    ledger.record([TokenIssued(agent="bench", digest="", generation=1, model_digest=digest_of(_KEY))])
    spec = AgentSpec("bench", "quality", "claude", ("o/r",), provider="bench")
    policy = Policy(level=AcmmLevel.L4, agents=(spec,), table=load_table(), traits={}, account="")
    provider = Provider("bench", Dialect.ANTHROPIC, f"http://127.0.0.1:{port}", "bench", lambda: "a-key")
    settings = GatewaySettings(
        socket_path=folder / "gate" / "g.sock",
        state=folder / "gateway",
        credential=lambda: "none",
        providers=lambda: {"bench": provider},
    )
    forge = KernelAuthority(ledger, lambda: policy, clock, keeps_draft=lambda: False, poke=lambda _: None)
    models = KernelModelAuthority(ledger, lambda: policy, clock, lambda: None)
    gateway = Gateway(settings, forge, clock, models)
    gateway.start()
    sys.stdout.write(f"{gateway.port} {os.getpid()}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
