"""The fleet, wired: the controller, the requests, and the way into each agent's pod."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hive.app.clusters import connect
from hive.contracts.backend import Backend, ModelWay
from hive.decisions.sandbox import GatewayAddress, gateway_address
from hive.facts.agents import AgentSpec
from hive.facts.fleet_sighting import SandboxSighting
from hive.facts.kubernetes import PodRef
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.sandbox_tokens import SandboxTokens
from hive.ports.clock import Clock
from hive.ports.fleet import Fleet, SandboxRequests
from hive.ports.kubernetes import ExecStream, Kubernetes
from hive.settings.fleet import FleetSettings
from hive.settings.sandbox_templates import load_templates

if TYPE_CHECKING:
    from hive.shells.kubernetes.seats import PodClient

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FleetPlaces:
    """What a fleet needs of the rest of hive.

    Attributes:
        specs: The agents as they are configured now.
        pods_url: Where pods reach the gateway (`Gateway.pods_url`); None where there is no door for them.
        ca_file: The certificate that they trust.
        poke: Wakes the next tick.
        model: As of `app.seats.FolderSeats`.
    """

    fleet: FleetSettings
    specs: Callable[[], Mapping[str, AgentSpec]]
    backends: Mapping[str, Backend]
    ledger: Ledger
    clock: Clock
    pods_url: str | None
    ca_file: Path
    poke: Callable[[], None]
    model: Callable[[AgentSpec, str, str], ModelWay | None] = lambda spec, root, token: None


@dataclass(frozen=True, slots=True)
class SandboxCredentials:
    """Implements `fleet.credentials.Credentials`: the agent's token on that cluster, and hive's certificate.

    A request that stands for no agent of this hive gets no token: its pod is nobody to the gateway.
    """

    tokens: SandboxTokens
    specs: Callable[[], Mapping[str, AgentSpec]]
    ca_file: Path
    namespace: str

    def mint(self, request: str, cluster: str) -> Mapping[str, bytes]:
        agent = self._agent(request)
        token = self.tokens.mint(agent, cluster).encode() if agent else b""
        return {"token": token, "ca.pem": self.ca_file.read_bytes()}

    def is_current(self, request: str, cluster: str, data: Mapping[str, bytes]) -> bool:
        if data.get("ca.pem") != self.ca_file.read_bytes():
            return False
        agent, token = self._agent(request), data.get("token", b"")
        if not agent:
            return token == b""
        return self.tokens.is_current(agent, cluster, token.decode(errors="replace"))

    def revoke(self, request: str, cluster: str) -> None:
        # The agent may be out of the configuration by now: its token is to be void all the more.
        namespace, _, agent = request.partition("/")
        if namespace == self.namespace:
            self.tokens.revoke(agent, cluster)

    def _agent(self, request: str) -> str:
        name = request.partition("/")[2]
        spec = self.specs().get(name)
        known = spec is not None and spec.sandbox is not None and spec.sandbox.request.key == request
        return name if known else ""


def fleet_lane(places: FleetPlaces) -> Lane[Fleet]:
    """Everything of it is made in the lane's own thread: the official client takes long to import."""

    def build() -> Fleet:
        from hive.app.fleet_controller import controller

        return controller(
            places.fleet,
            templates=load_templates(places.fleet.templates),
            gateway=address(places.pods_url),
            credentials=SandboxCredentials(
                SandboxTokens(places.ledger), places.specs, places.ca_file, places.fleet.namespace
            ),
        )

    return Lane("fleet", build, close=lambda fleet: fleet.close())


def requests_lane(places: FleetPlaces) -> Lane[SandboxRequests]:
    def build() -> SandboxRequests:
        from hive.fleet.requests import HubRequests

        return HubRequests(connect(places.fleet, places.fleet.hub))

    return Lane("sandboxes", build, close=lambda requests: requests.close())


def pod_lane(places: FleetPlaces) -> Callable[[SandboxSighting], Lane[AgentWatcher]]:
    """Makes the lane to a sandbox's pod: its terminal, its processes and its files."""

    def lane(sandbox: SandboxSighting) -> Lane[AgentWatcher]:
        assert sandbox.pod is not None
        pod = sandbox.pod
        connections: dict[int, Kubernetes] = {}  # a lane that was given up has another client than the next

        def build() -> AgentWatcher:
            cluster = connect(places.fleet, context_of(places.fleet, sandbox.cluster))
            watcher = _watcher(places, cluster, pod)
            connections[id(watcher)] = cluster
            return watcher

        def close(watcher: AgentWatcher) -> None:
            watcher.terminal.close()
            connections.pop(id(watcher)).close()

        return Lane(f"pod {sandbox.agent}", build, close=close)

    return lane


def _watcher(places: FleetPlaces, cluster: Kubernetes, pod: PodRef) -> AgentWatcher:
    from hive.shells.kubernetes.seats import HOME, PodSeats
    from hive.shells.kubernetes.terminal import PodTerminal
    from hive.shells.kubernetes.terminal_processes import PodProcesses
    from hive.shells.kubernetes.terminal_transcripts import PodTranscripts

    def open_stream(command: Sequence[str]) -> ExecStream:
        return cluster.exec(pod, command)

    terminal = PodTerminal(open_stream, on_notice=_LOG.info)
    terminal.watch(places.poke)
    return AgentWatcher(
        terminal,
        PodProcesses(terminal.run_script),
        PodTranscripts(terminal.run_script),
        places.backends,
        lambda agent: HOME,
        places.clock.now,
        seats=PodSeats(lambda spec: (cluster, pod), places.backends, lambda spec: _client(places, spec)),
    )


def _client(places: FleetPlaces, spec: AgentSpec) -> PodClient:
    from hive.gateway.pod_files import pod_client_files
    from hive.shells.kubernetes.seats import HOME, PodClient

    url = places.pods_url or "https://gateway.invalid"
    files, environment = pod_client_files(proxy_url=url, agent=spec.name, repos=spec.repos)
    return PodClient(
        files=files,
        environment=environment,
        launcher=f"{HOME}/.config/hive/launch",
        model=places.model(spec, url, ""),
    )


def context_of(fleet: FleetSettings, cluster: str) -> str:
    """The kubeconfig's context of a member."""
    return next((one.context for one in fleet.members if one.name == cluster), cluster)


def address(pods_url: str | None) -> GatewayAddress | None:
    """Where pods may connect to; None: to nothing at all."""
    return gateway_address(pods_url.removeprefix("https://")) if pods_url else None
