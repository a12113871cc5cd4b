"""`hive run`: the daemon, wired."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hive.app import models
from hive.app.configuration import LiveConfiguration
from hive.app.credentials import Credentials
from hive.app.fleet import FleetPlaces, fleet_lane, pod_lane, requests_lane
from hive.app.forge import forge_lane
from hive.app.forge_tokens import vet
from hive.app.gateway_ports import door, remembered
from hive.app.isolation import AgentPlaces, secret_files
from hive.app.logins import Logins
from hive.app.merging import merge_method, objections_of
from hive.app.places import Places
from hive.app.seats import FolderSeats, ModelWays
from hive.app.trees import PlacedTrees
from hive.contracts.backend import ModelWay
from hive.errors import ConfigError
from hive.facts.agents import AgentSpec
from hive.gateway.gateway import Gateway
from hive.gateway.settings import GatewaySettings, Limits
from hive.kernel.act import Hands
from hive.kernel.act_on_trees import TreeLanes
from hive.kernel.authority import KernelAuthority
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.look_at_fleet import FleetWatcher
from hive.kernel.look_at_forge import ForgeWatcher
from hive.kernel.model_authority import KernelModelAuthority
from hive.kernel.notifier import Notifier
from hive.kernel.plugins import backend_kinds, backends, guardrails
from hive.kernel.supervisor import Supervisor
from hive.kernel.terminals import Terminals
from hive.kernel.triggers import Trigger
from hive.ports.notices import Notices
from hive.ports.seats import LocalSeats
from hive.settings.settings import Settings
from hive.shells.sqlite import SqliteJournal, StateLock
from hive.shells.system.clock import SystemClock
from hive.shells.system.logs import configure_logs
from hive.shells.system.orphans import end_orphans
from hive.shells.system.processes import ProcProcesses, boot_id
from hive.shells.system.transcripts import FileTranscripts
from hive.shells.system.zone import local_zone
from hive.shells.tmux import TmuxTerminal

if TYPE_CHECKING:
    from hive.shells.webhooks import WebhookListener

_LOG = logging.getLogger(__name__)
_FOLD = "6"
"""Changes with what `decisions.recall` makes of events: an older stored memory is then not used."""


def run(path: Path, *, once: bool = False) -> int:
    """Run the daemon on the configuration at `path` until it is told to end; return the exit code.

    Raises `ConfigError`, `PluginError`, `StateLocked` and `JournalError` before anything was started.
    """
    configuration = LiveConfiguration(
        path, environ=os.environ, backends=backends(), guardrails=guardrails(), kinds=backend_kinds()
    )
    places = Places(configuration.settings.state)
    try:
        places.make()
    except OSError as error:
        raise ConfigError(
            f"the state folder {places.state} cannot be used: {error.strerror or error}",
            source=configuration.settings.source,
        ) from error
    # Nothing is started by it: it says whether tmux is there and new enough, while that is one line to say.
    TmuxTerminal(places.tmux_socket)
    with StateLock(places.state):
        credentials = Credentials(configuration, SystemClock().now)
        configure_logs(secrets=lambda: _secrets(configuration.settings, credentials))
        with _supervisor(configuration, places, credentials) as supervisor:
            asyncio.run(supervisor.run(once=once))
    return 0


@contextmanager
def _supervisor(
    configuration: LiveConfiguration, places: Places, credentials: Credentials
) -> Iterator[Supervisor]:
    """Everything wired; on leaving, everything let go (agents stay)."""
    with ExitStack() as stack:
        clock = SystemClock()
        journal = SqliteJournal(places.journal, fold=_FOLD)
        stack.callback(journal.close)
        ledger = Ledger(journal, clock)
        configuration.follow(lambda: ledger.memory.agents)
        wake = _Wake()
        isolation = _isolation(configuration, places, ledger)
        stack.callback(isolation.groups.close)
        gateway = _gateway(configuration, credentials, places, ledger, wake, isolation)
        gateway.start()
        stack.callback(gateway.close, 0.3)
        webhooks = _webhooks(configuration, wake)
        if webhooks is not None:
            stack.callback(webhooks.close)
        seats = _seats(configuration, places, gateway, isolation)
        here = _terminal_lane(places, configuration, seats, clock, wake)
        fleet = _fleet(configuration, gateway, ledger, clock, wake)
        hands = Hands(
            terminals=Terminals(here, pod_lane(fleet)) if fleet is not None else Terminals(here),
            forge=forge_lane(configuration, credentials, clock.now),
            seats=Lane[LocalSeats]("seats", lambda: seats),
            journal=Lane("journal", lambda: ledger),
            backends=configuration.backends,
            specs=lambda: configuration.specs,
            merge_method=merge_method(configuration),
            objections=objections_of(configuration, ledger, clock.now),
            now=clock.now,
            sandboxes=requests_lane(fleet) if fleet is not None else None,
            trees=TreeLanes(PlacedTrees(seats, lambda: configuration.settings.isolation)),
        )
        watcher = FleetWatcher(fleet_lane(fleet), clock.now) if fleet is not None else None
        notices = _notices_lane(configuration)
        stack.callback(hands.terminals.close, 0.1)
        looked_by = watcher.lane if watcher else None
        for lane in (hands.forge, hands.seats, hands.journal, hands.sandboxes, notices, looked_by):
            if lane is not None:
                stack.callback(lane.close, 0.1)
        yield Supervisor(
            configuration=configuration,
            ledger=ledger,
            journal=journal,
            hands=hands,
            forge=ForgeWatcher(hands.forge, configuration.poll, clock.now),
            now=clock.now,
            socket=places.operator_socket,
            state=places.state,
            attach=f"tmux -S {places.tmux_socket} attach",
            on_ready=wake.bind,
            fleet=watcher,
            boot=boot_id(),
            notifier=Notifier(hands.journal, ledger, clock.now, notices),
            deliveries=webhooks.report if webhooks is not None else lambda: None,
        )


def _fleet(
    configuration: LiveConfiguration, gateway: Gateway, ledger: Ledger, clock: SystemClock, wake: _Wake
) -> FleetPlaces | None:
    """What the clusters need of the rest. Those of the start: another section `fleet` needs another start."""
    if configuration.settings.fleet is None:
        return None
    return FleetPlaces(
        fleet=configuration.settings.fleet,
        specs=lambda: configuration.specs,
        backends=configuration.backends,
        ledger=ledger,
        clock=clock,
        pods_url=gateway.pods_url,
        ca_file=gateway.ca_file,
        poke=wake.poke,
        model=_model_ways(configuration),
    )


def _secrets(settings: Settings, credentials: Credentials) -> tuple[str, ...]:
    webhooks = settings.github.webhooks
    signing = (webhooks.secret.reveal(),) if webhooks else ()
    return (*credentials.secrets(), *signing, *models.keys(settings), *settings.notify.secrets())


def _model_ways(configuration: LiveConfiguration) -> ModelWays:
    def way(spec: AgentSpec, root: str, token: str) -> ModelWay | None:
        return models.way_of(configuration.settings, spec, root, token)

    return way


def _webhooks(configuration: LiveConfiguration, wake: _Wake) -> WebhookListener | None:
    """Let GitHub's deliveries wake looks, where the configuration wants it."""
    webhooks = configuration.settings.github.webhooks
    if webhooks is None:
        return None
    from hive.shells.webhooks import Deliveries, WebhookListener

    def secret() -> str:
        now = configuration.settings.github.webhooks
        return (now or webhooks).secret.reveal()

    def hear(repo: str) -> None:
        # Those of now: the file may have been read again since.
        for one in configuration.settings.repositories:
            if one.name.casefold() == repo.casefold():
                wake.poke(one.name)

    return WebhookListener(webhooks.host, webhooks.port, Deliveries(secret, hear))


class _Wake:
    """Pokes the tick once there is one; before that, pokes are of no use."""

    def __init__(self) -> None:
        self._trigger: Trigger | None = None

    def bind(self, trigger: Trigger) -> None:
        self._trigger = trigger

    def poke(self, repo: str = "") -> None:
        if self._trigger is not None:
            self._trigger.poke(repo or None)

    def stir(self) -> float:
        return self._trigger.stir() if self._trigger is not None else 0.0


def _terminal_lane(
    places: Places, configuration: LiveConfiguration, seats: FolderSeats, clock: SystemClock, wake: _Wake
) -> Lane[AgentWatcher]:
    def build() -> AgentWatcher:
        terminal = TmuxTerminal(places.tmux_socket, on_notice=_LOG.info)
        terminal.watch(wake.poke, stir=wake.stir)
        _reap(terminal, seats)
        return AgentWatcher(
            terminal,
            ProcProcesses(),
            FileTranscripts(places.state / "agents"),
            configuration.backends,
            seats.home,
            clock.now,
            zone=local_zone(),
            killed_by=seats.isolation.killed_by if seats.isolation is not None else None,
        )

    return Lane("terminal", build, close=lambda watcher: watcher.terminal.close())


def _seats(
    configuration: LiveConfiguration, places: Places, gateway: Gateway, isolation: AgentPlaces
) -> FolderSeats:
    models = _model_ways(configuration)
    logins = Logins(
        places.state / "logins", lambda: configuration.settings.logins, places.agent, isolation.file_user
    )
    return FolderSeats(
        places,
        configuration.backends,
        gateway.proxy_url,
        gateway.ca_file,
        isolation,
        models,
        logins=logins,
        vet=vet(lambda: configuration.settings.github.api_url),
    )


def _isolation(configuration: LiveConfiguration, places: Places, ledger: Ledger) -> AgentPlaces:
    """Where agents of this machine run. What is missing of it is written down before any is started."""
    isolation = AgentPlaces(
        places, lambda: configuration.settings.isolation, lambda: secret_files(configuration.settings)
    )
    if any(spec.sandbox is None for spec in configuration.specs.values()):
        ledger.record(isolation.news(ledger.memory.ports))
    return isolation


def _reap(terminal: TmuxTerminal, seats: FolderSeats) -> None:
    """End what is left of agents whose sessions are gone. Raises `Unreachable` where that is not known."""
    alive = {pane.marks.get("agent", "") for pane in terminal.look()}
    left = seats.isolation.reap(alive) if seats.isolation is not None else ()
    for agent in {*left, *end_orphans(seats.places.state / "agents", alive)}:
        _LOG.warning("ended what was left of %s, which has no session", agent)


def _notices_lane(configuration: LiveConfiguration) -> Lane[Notices]:
    def build() -> Notices:
        # In the lane's own thread, and only where something is sent: Apprise takes long to import.
        from hive.shells.apprise import AppriseNotices

        def urls() -> Mapping[str, Callable[[], str]]:
            return configuration.settings.notify.readers()

        return AppriseNotices(urls)

    return Lane("notices", build, close=lambda notices: notices.close())


def _gateway(
    configuration: LiveConfiguration,
    credentials: Credentials,
    places: Places,
    ledger: Ledger,
    wake: _Wake,
    isolation: AgentPlaces,
) -> Gateway:
    settings, clock = configuration.settings, SystemClock()
    authority = KernelAuthority(
        ledger,
        lambda: configuration.policy,
        clock,
        keeps_draft=lambda: configuration.settings.gateway.keep_draft,
        poke=wake.poke,
    )
    gateway_settings = GatewaySettings(
        socket_path=places.gateway_socket,
        state=places.gateway,
        credential=credentials.token,
        credential_of=credentials.token_of,
        installation_of=credentials.installation_of,
        refused=credentials.refused,
        host=settings.gateway.host,
        port=settings.gateway.port or remembered(places.gateway / "port"),
        api_url=settings.github.api_url,
        graphql_url=settings.github.graphql_url,
        git_url=settings.github.git_url,
        hold_labels=(settings.gateway.hold_label,),
        repeat_window=settings.gateway.repeat_window,
        limits=Limits(
            connections=settings.gateway.connections,
            body_bytes=settings.gateway.body_size * 1024 * 1024,
            model_requests_each=settings.gateway.model_requests_each,
        ),
        providers=models.relayed(lambda: configuration.settings),
        pods=door(settings.gateway.pods, places.gateway / "pods-port"),
        # Agents are other users; they see this socket's folder, and nobody else gets there.
        socket_mode=0o666,
        proxy_path=places.proxy_socket,
        peer=isolation.peer,
        agent_of=isolation.agent_of,
        allow=lambda: configuration.settings.isolation.allow,
    )
    asked = KernelModelAuthority(ledger, lambda: configuration.policy, clock, wake.poke)
    return Gateway(gateway_settings, authority, clock, asked)
