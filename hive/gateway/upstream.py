"""The forge as the gateway reaches it: with the real credential, which nothing else here sees.

Connections are kept and reused. A write is sent once: where no answer comes, nobody knows whether it was
done, and the caller is told so.
"""

from __future__ import annotations

import base64
import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from hive.decisions.requests import Hosts
from hive.errors import InDoubt, Unreachable
from hive.gateway.http_answer import Answer
from hive.gateway.http_connection import HttpConnection
from hive.gateway.settings import GatewaySettings

_REPOSITORY = re.compile(r"/repos/([^/?]+/[^/?]+)")
_PIECE = 65_536
_LARGEST_JSON = 64 * 1024 * 1024
_IDLE_CONNECTIONS = 16
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_PASSED_ON = frozenset(
    {"accept", "accept-language", "if-none-match", "if-modified-since", "range", "x-github-api-version"}
)
_PASSED_ON_PREFIXES = ("graphql-features", "x-github-next-global-id")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the forge said: a body whole in memory, or in pieces."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes | Iterator[bytes]

    def json(self) -> object:
        """The body as JSON. Raises `Unreachable` when it is none: then it is not the forge that answered."""
        data = self.body if isinstance(self.body, bytes) else b"".join(self.body)
        try:
            value: object = json.loads(data)
        except ValueError:
            raise Unreachable("github", f"it answered {self.status} with something that is no JSON") from None
        return value


class Upstream:
    """Thread-safe."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._idle: list[tuple[str, HttpConnection]] = []
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context()
        self._renames = _renames(settings)

    def close(self) -> None:
        with self._lock:
            for _, connection in self._idle:
                connection.close()
            self._idle.clear()

    def pass_on(
        self,
        method: str,
        path: str,
        headers: tuple[tuple[str, str], ...],
        body: bytes | None,
        repo: str = "",
    ) -> Reply:
        """Send an agent's request on. `path` is below the API's root with its query; where it names no
        repository, the credential is that for `repo`.

        Raises `Unreachable`, `InDoubt`.
        """
        passed = {
            name: value
            for name, value in headers
            if name.lower() in _PASSED_ON or name.lower().startswith(_PASSED_ON_PREFIXES)
        }
        return self._send(method, self._settings.api_url + path, passed, body, repo=repo)

    def rest(self, method: str, path: str, value: object = None) -> Reply:
        """A request of the gateway's own. Raises `Unreachable`, `InDoubt`."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return self._send(method, self._settings.api_url + path, headers, body)

    def graphql(
        self, value: object, headers: tuple[tuple[str, str], ...] = (), *, writes: bool, repo: str = ""
    ) -> Reply:
        """A GraphQL request, with the credential for `repo`; empty: with the first one's.

        `writes` says whether an answer that does not come is in doubt.
        """
        passed = {name: value for name, value in headers if name.lower().startswith(_PASSED_ON_PREFIXES)}
        body = json.dumps(value).encode()
        return self._send("POST", self._settings.graphql_url, passed, body, writes=writes, repo=repo)

    def git_authorization(self, repo: str = "") -> str:
        """The value of git's Authorization header."""
        pair = f"x-access-token:{self._token(repo)}".encode()
        return f"Basic {base64.b64encode(pair).decode()}"

    def _token(self, repo: str) -> str:
        of = self._settings.credential_of
        return of(repo) if repo and of is not None else self._settings.credential()

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        writes: bool | None = None,
        repo: str = "",
    ) -> Reply:
        """With a token that the forge accepts: what it does not accept, it did not do.

        The credential is that for the repository in the address, else for `repo`.
        """
        named = _REPOSITORY.match(url.removeprefix(self._settings.api_url))
        repo = named[1] if named else repo
        token = self._token(repo)
        reply = self._sent(method, url, headers, body, token, writes=writes)
        if reply.status != 401:
            return reply
        self._settings.refused(token)
        another = self._token(repo)
        return reply if another == token else self._sent(method, url, headers, body, another, writes=writes)

    def _sent(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        token: str,
        *,
        writes: bool | None,
    ) -> Reply:
        parts = urlsplit(url)
        writing = method not in ("GET", "HEAD") if writes is None else writes
        sent = {"User-Agent": "hive-gateway", **headers}
        sent["Authorization"] = f"token {token}"
        if body is not None:
            sent["Content-Type"] = "application/json; charset=utf-8"
        # Bodies are read and rewritten here, so they have to come uncompressed.
        sent["Accept-Encoding"] = "identity"
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        key = f"{parts.scheme}://{parts.netloc}"
        connection = self._connection(key, parts)
        try:
            answer = connection.ask(method, target or "/", sent, body)
        except OSError as error:
            connection.close()
            kind: Callable[[str, str], Exception] = InDoubt if writing else Unreachable
            raise kind("github", f"{parts.netloc} did not answer: {error}") from error
        return self._reply(key, connection, answer)

    def _connection(self, key: str, parts: SplitResult) -> HttpConnection:
        """An idle connection that its peer has not closed meanwhile, or a new one."""
        while True:
            with self._lock:
                index = next((i for i, (name, _) in enumerate(self._idle) if name == key), None)
                found = self._idle.pop(index)[1] if index is not None else None
            if found is None:
                return HttpConnection(parts, self._tls, self._settings.limits.upstream_s)
            if found.is_open():
                return found
            found.close()

    def _reply(self, key: str, connection: HttpConnection, answer: Answer) -> Reply:
        headers = tuple(
            (name, self._renamed(value) if name.lower() in ("link", "location") else value)
            for name, value in answer.headers
            if name.lower() not in _HOP_BY_HOP
        )
        is_json = "json" in answer.header("Content-Type")
        if not is_json and (answer.length is None or answer.length > _PIECE):
            return Reply(answer.status, headers, self._pieces(key, connection, answer))
        try:
            body = answer.whole(_LARGEST_JSON)
        except OSError as error:
            connection.close()
            raise InDoubt("github", f"its answer broke off: {error}") from error
        self._give_back(key, connection, answer)
        if is_json:
            body = self._renamed_bytes(body)
            headers = tuple((n, v) for n, v in headers if n.lower() != "content-length")
        return Reply(answer.status, headers, body)

    def _pieces(self, key: str, connection: HttpConnection, answer: Answer) -> Iterator[bytes]:
        try:
            while piece := answer.read():
                yield piece
        except BaseException:
            connection.close()
            raise
        self._give_back(key, connection, answer)

    def _give_back(self, key: str, connection: HttpConnection, answer: Answer) -> None:
        with self._lock:
            if answer.keeps and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append((key, connection))
                return
        connection.close()

    def _renamed(self, text: str) -> str:
        for theirs, ours in self._renames:
            text = text.replace(theirs, ours)
        return text

    def _renamed_bytes(self, body: bytes) -> bytes:
        for theirs, ours in self._renames:
            body = body.replace(theirs.encode(), ours.encode())
        return body


def _renames(settings: GatewaySettings) -> tuple[tuple[str, str], ...]:
    """Addresses of the forge, and what the agents' tools know it by; longest first."""
    return tuple((theirs, ours) for theirs, ours in _addresses(settings, settings.hosts) if theirs != ours)


def _addresses(settings: GatewaySettings, hosts: Hosts) -> tuple[tuple[str, str], ...]:
    return (
        (settings.graphql_url, f"https://{hosts.api}/graphql"),
        (settings.api_url, f"https://{hosts.api}"),
        (settings.git_url, f"https://{hosts.web}"),
    )
