"""Opening a WebSocket to a pod through the API server."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import websocket
from kubernetes.client.rest import should_bypass_proxies

from hive.shells.kubernetes.connection import CONNECT_SECONDS, Call, Connection, Session
from hive.shells.kubernetes.failures import Request, broken_connection, pod_failure
from hive.shells.kubernetes.kubeconfig import tls_of
from hive.shells.kubernetes.link import Link

_OPTIONS = [
    (socket.SOL_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
]


@dataclass(frozen=True, slots=True)
class Opened:
    link: Link
    protocol: str
    """What the server chose."""


def open_link(
    connection: Connection,
    request: Request,
    call: Call,
    protocols: tuple[str, ...],
    *,
    last: int | None = None,
) -> Opened:
    """`last`: see `Link`. Raises what the server says; `Missing` where the pod is absent or does not run."""
    answer = connection.with_login(
        lambda session: _attempt(request, call, protocols, session, connection.timeout), _is_401
    )
    if isinstance(answer, websocket.WebSocket):
        assert answer.sock is not None
        return Opened(Link(answer.sock, last=last), answer.subprotocol or "")
    raise pod_failure(request, answer.status_code, dict(answer.resp_headers or {}), answer.resp_body or b"")


def _attempt(
    request: Request, call: Call, protocols: tuple[str, ...], session: Session, timeout: float
) -> websocket.WebSocket | websocket.WebSocketBadStatusException:
    address = urlsplit(session.host)
    url = f"ws{session.host.removeprefix('http')}{call.path}?{urlencode(call.query)}"
    opened = websocket.WebSocket(sslopt=_tls(session, address.hostname or ""), sockopt=_OPTIONS)
    try:
        opened.connect(  # type: ignore[no-untyped-call]  # it has no types here
            url,
            header=[f"{name}: {value}" for name, value in session.headers().items()],
            subprotocols=list(protocols),
            suppress_origin=True,
            timeout=min(CONNECT_SECONDS * 2, timeout),
            **_proxy(session),
        )
    except websocket.WebSocketBadStatusException as refusal:
        opened.shutdown()  # type: ignore[no-untyped-call]  # likewise
        return refusal
    except (websocket.WebSocketException, OSError) as error:
        opened.shutdown()  # type: ignore[no-untyped-call]  # likewise
        raise broken_connection(request, error) from error
    return opened


def _tls(session: Session, hostname: str) -> dict[str, object]:
    if not session.host.startswith("https"):
        return {}
    return {
        "context": tls_of(session.settings),
        "server_hostname": session.settings.tls_server_name or hostname,
    }


def _proxy(session: Session) -> dict[str, object]:
    """As the pool has it, which asks no environment of its own."""
    settings = session.settings
    proxy = urlsplit(settings.proxy or "")
    if not proxy.hostname or should_bypass_proxies(session.host, settings.no_proxy or ""):
        return {"http_no_proxy": ["*"]}
    options = {"http_proxy_host": proxy.hostname, "http_proxy_port": proxy.port, "proxy_type": proxy.scheme}
    login = (proxy.username, proxy.password) if proxy.username else None
    return {**options, "http_proxy_auth": login, "http_no_proxy": ["hive.invalid"]}


def _is_401(answer: websocket.WebSocket | websocket.WebSocketBadStatusException) -> bool:
    return isinstance(answer, websocket.WebSocketBadStatusException) and answer.status_code == 401
