"""A relay in front of a provider, with agents that a test names: no forge is asked."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hive.errors import JournalError
from hive.facts.events import Event
from hive.facts.model_events import ModelRefused
from hive.facts.models import Dialect
from hive.facts.recorded import AgentEvent
from hive.facts.usage import Usage
from hive.facts.usage_events import UsageRecorded
from hive.gateway import Gateway, GatewaySettings
from hive.gateway.relay.providers import Provider, path_of
from hive.gateway.settings import Limits
from hive.ports.models import ModelCaller
from hive.shells.system.clock import SystemClock
from tests.fakes.authority import FakeAuthority

KEY = "sk-ant-api03-the-real-key-of-the-operator"
AGENT_KEY = "hive_the-key-of-quality-which-is-good-at-the-relay"


@dataclass
class FakeModelAuthority:
    """Attributes:
    callers: By key.
    budget: What it says against asking; None for nothing.
    """

    callers: dict[str, ModelCaller] = field(default_factory=dict)
    budget: Callable[[ModelCaller, Sequence[AgentEvent]], str | None] = lambda caller, unwritten: None
    by_model: bool = False
    full_disk: bool = False
    events: list[Event] = field(default_factory=list)

    def identify(self, key: str) -> ModelCaller | None:
        return self.callers.get(key)

    def rules_by_model(self) -> bool:
        return self.by_model

    def refusal(self, caller: ModelCaller, unwritten: Sequence[AgentEvent] = ()) -> str | None:
        return self.budget(caller, unwritten)

    def spent(self, caller: ModelCaller, usage: Usage) -> AgentEvent:
        tokens = usage.tokens
        return UsageRecorded(
            agent=caller.agent,
            model=usage.model,
            key=usage.key,
            source=usage.source,
            input=tokens.input,
            output=tokens.output,
            cache_read=tokens.cache_read,
            cache_write=tokens.cache_write,
            account=caller.account,
            task=caller.task,
            is_estimate=usage.is_estimate,
        )

    def record(self, events: Sequence[Event]) -> None:
        if self.full_disk:
            raise JournalError("the disk is full")
        self.events.extend(events)

    def used(self) -> list[UsageRecorded]:
        return [event for event in self.events if isinstance(event, UsageRecorded)]

    def refused(self) -> list[ModelRefused]:
        return [event for event in self.events if isinstance(event, ModelRefused)]


@dataclass
class RelayPlace:
    gateway: Gateway
    authority: FakeModelAuthority
    socket_path: Path
    providers: dict[str, Provider]

    def url(self, provider: str) -> str:
        return f"{self.gateway.proxy_url}{path_of(provider, self.providers[provider].dialect)}"

    def ask(
        self,
        target: str,
        body: bytes | Iterator[bytes] | None = b"{}",
        *,
        key: str = AGENT_KEY,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        """One request on a connection of its own: status, headers in small letters, body."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=30)) as connection:
            sent = {"x-api-key": key, **(headers or {})} if key else dict(headers or {})
            chunks = "Transfer-Encoding" in sent
            connection.request(method, target, body, sent, encode_chunked=chunks)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return response.status, names, response.read()

    def settled(self, agent: str = "quality") -> None:
        """Wait until what was asked so far is on record."""
        relay = self.gateway._relay
        assert relay is not None
        assert relay._recorder.settle(agent, 10)


@contextmanager
def relay_place(
    root: Path, providers: Mapping[str, tuple[Dialect, str]], limits: Limits | None = None
) -> Iterator[RelayPlace]:
    """`providers`: dialect and base URL by name; the agent `quality` may use the first."""
    made = {
        name: Provider(name, dialect, url, name, lambda: KEY) for name, (dialect, url) in providers.items()
    }
    authority = FakeModelAuthority({AGENT_KEY: ModelCaller("quality", next(iter(made)), task="t1")})
    settings = GatewaySettings(
        socket_path=root / "gate" / "gateway.sock",
        state=root / "gateway",
        credential=lambda: "ghp_nobody-asks-the-forge-here",
        providers=lambda: made,
        limits=limits or Limits(),
    )
    gateway = Gateway(settings, FakeAuthority(), SystemClock(), authority)
    gateway.start()
    try:
        yield RelayPlace(gateway, authority, settings.socket_path, made)
    finally:
        gateway.close(0.5)


@dataclass
class RawProvider:
    """A provider that answers each request with bytes that a test gives, and keeps what it was sent.

    Attributes:
        answers: Pieces to send, one list for each request; what is callable is called in its place, with
            the connection.
    """

    answers: list[list[bytes | Callable[[socket.socket], None]]] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> RawProvider:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            one.close()
        self._thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            while request := _request(connection):
                self.requests.append(request)
                for piece in self.answers.pop(0) if self.answers else [b""]:
                    if isinstance(piece, bytes):
                        connection.sendall(piece)
                    else:
                        piece(connection)
                if not self.answers or self.answers[0] == [b""]:
                    continue
        except OSError:
            return

    def hang_up(self, _: socket.socket) -> None:
        """Cut every connection."""
        for one in self._open:
            one.shutdown(socket.SHUT_RDWR)


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
    chunked = b"transfer-encoding: chunked" in lines
    while (chunked and not body.endswith(b"0\r\n\r\n")) or (not chunked and len(body) < length):
        piece = connection.recv(65_536)
        if not piece:
            return b""
        body += piece
    return head + b"\r\n\r\n" + body


def head(status: int = 200, kind: str = "text/event-stream", *more: str) -> bytes:
    """The head of an answer in chunks."""
    lines = (f"HTTP/1.1 {status} X", f"content-type: {kind}", "transfer-encoding: chunked", *more)
    return "\r\n".join((*lines, "", "")).encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


END = b"0\r\n\r\n"


def document(status: int, value: object, *more: str) -> bytes:
    """A whole answer."""
    body = json.dumps(value).encode()
    lines = (f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {len(body)}", *more)
    return "\r\n".join((*lines, "", "")).encode() + body
