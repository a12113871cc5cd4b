"""Where the gateway listens, what it stands in front of, and how much it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hive.decisions.requests import Hosts
from hive.decisions.requests.model import DEFAULT_BOT_COMMANDS
from hive.facts.isolation import Endpoint
from hive.gateway.relay.providers import Provider


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one peer may cost.

    Attributes:
        connections, connections_each: Of this machine's agents at once, over all ways in, and of one agent
            that has a user of its own; more are answered 503 and closed.
        model_requests_each: To models at once, of one agent; of all, three quarters of `connections`.
        pod_connections, pod_connections_each: At the door for pods at once, and of one address (several pods
            behind one node have one); more are closed.
        head_bytes, body_bytes: Of an API request.
        push_bytes: Of the body of a git push.
        idle_s: How long a connection may say nothing.
        head_s: How long the head of a request may take from its first byte.
        handshake_s: How long TLS may take to begin.
        upstream_s: How long the forge may say nothing.
        passage_s: How long both sides of a tunnel that hive does not look into may say nothing.
    """

    connections: int = 1024
    connections_each: int = 128
    model_requests_each: int = 32
    pod_connections: int = 256
    pod_connections_each: int = 64
    head_bytes: int = 64 * 1024
    body_bytes: int = 8 * 1024 * 1024
    push_bytes: int = 2 * 1024 * 1024 * 1024
    idle_s: float = 60.0
    head_s: float = 30.0
    handshake_s: float = 10.0
    upstream_s: float = 60.0
    passage_s: float = 900.0


@dataclass(frozen=True, slots=True)
class PodsDoor:
    """A proxy with TLS for agents in pods.

    Attributes:
        host, port: Where it listens; 0 takes any port that is free.
        name, named_port: By which pods reach it: an address or a DNS name, which its certificate bears. A
            `named_port` of 0 is the one that it listens on.
    """

    host: str
    port: int
    name: str
    named_port: int = 0


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Attributes:
    socket_path: Of the Unix socket; `socket_mode` is its mode, its folder is made 0700.
    proxy_path: Of a Unix socket that is the proxy to agents without a network; None for none.
    peer: The user whose programs alone may show an agent's token, and over a Unix socket alone; None for
        an agent that runs as anybody.
    agent_of: The agent whose programs run as a user, if any.
    allow: Where a tunnel may lead to besides the forge, read at each use.
    port: Of the proxy on `host`; 0 takes any free one.
    state: Folder of the mirrors and of the certificate authority.
    api_url, graphql_url, git_url: The forge, without a final slash.
    credential: The forge's token, asked for at each use; never logged.
    credential_of: The one for a repository (``OWNER/NAME``); `None` where there is only one.
    installation_of: Of a GitHub App: the number of the one that reaches a repository; repositories of one
        have one credential. `None` where there is only one.
    refused: Told of a token that the forge does not accept; where there is another one then, it is tried.
    default_branches: By ``OWNER/NAME``; looked up where one is missing.
    providers: Of models, by name, as they are configured now.
    repeat_window: For how long a repeated creation gets the first one's answer.
    mirror_fresh_s: For how long a fetch may be answered from the mirror without looking upstream.
    """

    socket_path: Path
    state: Path
    credential: Callable[[], str] = field(repr=False)
    credential_of: Callable[[str], str] | None = field(default=None, repr=False)
    installation_of: Callable[[str], int] | None = None
    refused: Callable[[str], None] = field(default=lambda token: None, repr=False)
    socket_mode: int = 0o600
    host: str = "127.0.0.1"
    port: int = 0
    pods: PodsDoor | None = None
    api_url: str = "https://api.github.com"
    graphql_url: str = "https://api.github.com/graphql"
    git_url: str = "https://github.com"
    hosts: Hosts = field(default_factory=Hosts)
    default_branches: Mapping[str, str] = field(default_factory=dict)
    hold_labels: tuple[str, ...] = ("hold",)
    bot_commands: tuple[str, ...] = DEFAULT_BOT_COMMANDS
    limits: Limits = field(default_factory=Limits)
    mirror_fresh_s: float = 1.0
    proxy_path: Path | None = None
    peer: Callable[[str], int | None] = lambda _agent: None
    agent_of: Callable[[int], str | None] = lambda _uid: None
    allow: Callable[[], Sequence[Endpoint]] = tuple
    providers: Callable[[], Mapping[str, Provider]] = dict
    repeat_window: timedelta = timedelta(minutes=10)
