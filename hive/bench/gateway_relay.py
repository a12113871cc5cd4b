"""What the relay of models adds to the first token: one provider asked directly and by it, in turns.

The provider is a process of its own that streams at once and keeps its connections, as providers do.
"""

from __future__ import annotations

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
_REQUEST = b'{"model": "m", "stream": true, "messages": "' + b"x" * 100_000 + b'"}'
"""As large as a conversation with a few files in it."""
_PROVIDER = r"""
import http.server, sys

EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"word "}}\n\n'
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
        for piece in (START, *[EVENT] * 20, END):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def rows(asks: int = 200) -> list[BenchRow]:
    """Ask `asks` times each way, in turns: the time to the first piece of the answer's body."""
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as name, _running("-c", _PROVIDER) as provider:
        target = ("127.0.0.1", int(provider))
        with _running("-m", "hive.bench.gateway_relay", name, str(target[1])) as gateway:
            direct, relayed = _taken(target, ("127.0.0.1", int(gateway)), asks)
    added = statistics.median(relayed) - statistics.median(direct)
    return [
        below("first token through the relay, added, p50", added, "ms", _MOST_MS),
        BenchRow("first token asked directly, p50", statistics.median(direct), "ms"),
        BenchRow("first token through the relay, p99", _p99(relayed), "ms", "directly", _p99(direct)),
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
    sys.stdout.write(f"{gateway.port}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
