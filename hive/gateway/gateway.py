"""The gateway as one thing to start and to close."""

from __future__ import annotations

from pathlib import Path

from hive.gateway.carrying import HeldRequests
from hive.gateway.certificates import CertificateAuthority
from hive.gateway.desk import Desk
from hive.gateway.doorkeeper import Doorkeeper
from hive.gateway.ends import Ends
from hive.gateway.git_service import GitService
from hive.gateway.installations import Installations
from hive.gateway.mirrors import Mirrors
from hive.gateway.opening import Openings
from hive.gateway.relay.places import Places
from hive.gateway.relay.relay import Relay
from hive.gateway.repeats import Repeats
from hive.gateway.resolver import Resolver
from hive.gateway.server import Server
from hive.gateway.settings import GatewaySettings
from hive.gateway.upstream import Upstream
from hive.gateway.writes import Writes
from hive.ports.authority import Authority
from hive.ports.clock import Clock
from hive.ports.models import ModelAuthority


class Gateway:
    """The only way from an agent to the forge. Runs in threads of its own."""

    def __init__(
        self,
        settings: GatewaySettings,
        authority: Authority,
        clock: Clock,
        models: ModelAuthority | None = None,
    ) -> None:
        """Makes or reads the certificate authority; without `models` no model is reached.

        Raises `OSError`, `ValueError`."""
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._certificates = CertificateAuthority(settings.state / "ca", clock.now())
        self._upstream = Upstream(settings)
        resolver = Resolver(self._upstream, authority, Installations(settings.installation_of))
        openings = Openings(self._upstream, resolver, authority, web=settings.hosts.web)
        mirrors = Mirrors(settings, self._upstream)
        git = GitService(settings, authority, resolver, openings, mirrors)
        keeper = Doorkeeper(authority, peer=settings.peer, agent_of=settings.agent_of)
        self._relay = None
        if models is not None:
            limits = settings.limits
            places = Places(limits.connections * 3 // 4, limits.model_requests_each)
            self._relay = Relay(settings.providers, models, keeper, clock.now, places)
        repeats = Repeats(settings.state / "answers", settings.repeat_window, clock)
        self._ends = Ends(authority)
        writes = Writes(self._upstream, resolver, self._ends, repeats)
        self._held = HeldRequests(settings.state / "held", authority, clock)
        self._desk = Desk(
            settings,
            authority,
            self._upstream,
            resolver,
            openings,
            git,
            writes=writes,
            held=self._held,
            keeper=keeper,
            relay=self._relay,
        )
        self._server = Server(
            settings, self._desk, lambda host: self._certificates.context(host, clock.now())
        )
        self._host = settings.host
        self._pods = settings.pods
        self._port_file = settings.state / "port"

    def start(self) -> None:
        """Listen, and write the proxy's port to ``port`` in the state folder, for the next start.

        Raises `ConfigError` where an address is taken, or is not this machine's.
        """
        self._server.start()
        self._held.start(self._desk.carry_out)
        self._port_file.write_text(f"{self.port}\n", encoding="ascii")
        self._port_file.chmod(0o600)
        if self._pods is not None:
            # Pods that outlive this run have the port in their configuration.
            pods_file = self._port_file.with_name("pods-port")
            pods_file.write_text(f"{self.pods_port}\n", encoding="ascii")
            pods_file.chmod(0o600)

    def close(self, timeout: float = 5.0) -> None:
        """Stop listening; requests under way may end within `timeout` seconds."""
        self._server.close(timeout)
        self._held.close(timeout)
        self._ends.close(timeout)
        self._desk.close()
        self._upstream.close()
        if self._relay is not None:
            self._relay.close()

    @property
    def port(self) -> int:
        """Of the proxy, once started."""
        return self._server.port

    @property
    def proxy_url(self) -> str:
        return f"http://{self._host}:{self.port}"

    @property
    def pods_port(self) -> int:
        """Of the door for pods, once started; 0 where there is none."""
        return self._server.pods_port

    @property
    def pods_url(self) -> str | None:
        """The proxy's address for pods, once started; `None` where there is no door for them."""
        if self._pods is None:
            return None
        name = f"[{self._pods.name}]" if ":" in self._pods.name else self._pods.name
        return f"https://{name}:{self._pods.named_port or self.pods_port}"

    @property
    def ca_file(self) -> Path:
        """The certificate that agents' tools are to trust."""
        return self._certificates.certificate_path
