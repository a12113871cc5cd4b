"""One life of hive in a soak: the real kernel, gateway, forge shell and journal, on the soak's time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hive.contracts.backend import Seat
from hive.decisions.merging import judge_here
from hive.decisions.policy import Policy
from hive.decisions.status import Surroundings, document
from hive.facts.agents import AgentSpec
from hive.facts.events import SupervisorStarted
from hive.facts.forge import PullRequest
from hive.facts.world import World
from hive.gateway import Gateway, GatewaySettings
from hive.kernel.act import Hands, record
from hive.kernel.authority import KernelAuthority
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.look_at_forge import ForgeWatcher
from hive.kernel.notifier import Notifier
from hive.kernel.terminals import Terminals
from hive.kernel.tick import Ticker
from hive.kernel.token_keeper import TokenKeeper
from hive.ports.forge import Forge
from hive.ports.seats import LocalSeats, ReadySeat
from hive.shells.github import GitHubForge
from hive.shells.sqlite import SqliteJournal
from hive.shells.system.transcripts import FileTranscripts
from tests.fakes.terminal import FakeTerminal
from tests.kernel.house import BACKENDS
from tests.soak import agents
from tests.soak.agenda import Agenda
from tests.soak.town import CREDENTIAL, Town

_POLL = timedelta(minutes=10)
_MOST_TICKS = 12
"""In one moment; what is not done by then is done in the next."""


class Clock:
    def __init__(self, agenda: Agenda) -> None:
        self.now = agenda.now


@dataclass
class Place:
    """What outlives hive: folders, the terminal with its agents, the forge.

    Attributes:
        port: Of the gateway, the same in every life.
    """

    root: Path
    town: Town
    agenda: Agenda
    policy: Policy
    terminal: FakeTerminal
    hands: dict[str, agents.Hands]
    port: int = 0

    @property
    def journal(self) -> Path:
        return self.root / "journal.db"

    @property
    def socket(self) -> Path:
        return self.root / "gate" / "gateway.sock"


@dataclass
class Seats:
    """`ports.seats.LocalSeats`: tokens go into the files of the agents' tools."""

    place: Place
    gateway: Gateway

    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        self.renew(spec, token=token)
        seat = Seat(spec, self.home(spec.name), "/nowhere", {}, generation, resume)
        return ReadySeat(launch=BACKENDS[spec.backend].launch(seat), workdir="/nowhere")

    def renew(self, spec: AgentSpec, *, token: str) -> None:
        hands = self.place.hands[spec.name]
        hands.take(spec.name, token, self.gateway.proxy_url, self.gateway.ca_file)

    def home(self, agent: str) -> str:
        return str(self.place.hands[agent].home)

    def vacate(self, agent: str) -> None: ...

    def version(self, spec: AgentSpec) -> str:
        return ""


@dataclass
class Daemon:
    place: Place
    world: World | None = None
    _pressed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        place, now = self.place, self.place.agenda.now
        clock = Clock(place.agenda)
        self.journal = SqliteJournal(place.journal, fold="soak")
        self.ledger = Ledger(self.journal, clock)
        authority = KernelAuthority(
            self.ledger, lambda: place.policy, clock, keeps_draft=lambda: False, poke=self._poke
        )
        self.gateway = Gateway(_settings(place), authority, clock)
        self.gateway.start()
        place.port = self.gateway.port
        seats: LocalSeats = Seats(place, self.gateway)
        self.hands = Hands(
            terminals=Terminals(Lane("terminal", lambda: self._watcher(seats))),
            forge=Lane("forge", self._forge, close=lambda forge: forge.close()),
            seats=Lane("seats", lambda: seats),
            journal=Lane("journal", lambda: self.ledger),
            backends=BACKENDS,
            specs=self._specs,
            merge_method=lambda repo: "squash",
            objections=self._objections,
            now=now,
        )
        self.forge = ForgeWatcher(self.hands.forge, _POLL, now)
        self.notifier = Notifier(self.hands.journal, self.ledger, now)
        self.tokens = TokenKeeper(self.hands, self.ledger, now)
        self.ticker = Ticker(
            hands=self.hands,
            forge=self.forge,
            ledger=self.ledger,
            policy=lambda: place.policy,
            now=now,
            poke=lambda: None,
        )

    def _specs(self) -> Mapping[str, AgentSpec]:
        return {spec.name: spec for spec in self.place.policy.agents}

    def _poke(self, repo: str) -> None:
        if repo:
            self._pressed.add(repo)

    def _watcher(self, seats: LocalSeats) -> AgentWatcher:
        terminal = self.place.terminal
        transcripts = FileTranscripts(self.place.root / "nowhere")
        return AgentWatcher(terminal, terminal, transcripts, BACKENDS, seats.home, self.place.agenda.now)

    def _forge(self) -> Forge:
        return GitHubForge(f"{self.place.town.url}/api/v3", lambda: CREDENTIAL, now=self.place.agenda.now)

    def _objections(self, pull: PullRequest) -> tuple[str, ...]:
        now = self.place.agenda.now()
        judgement = judge_here(pull, pull.repo, self.ledger.memory, self.place.policy, now)
        return tuple(obstacle.because for obstacle in judgement.obstacles)

    async def begin(self) -> None:
        await record(self.hands.journal, [SupervisorStarted(pid=1, version="soak", boot="soak")])

    async def round(self) -> None:
        """Look where it is due, and tick until nothing is to be done at this moment."""
        for _ in range(_MOST_TICKS):
            pressed, self._pressed = self._pressed, set()
            self.forge.press(pressed)
            await self._look()
            result = await self.ticker.tick()
            self.world = result.world
            await self.notifier.turn(result.world, self.place.policy)
            await self.tokens.renew(self.place.policy.agents)
            self.ledger.store_snapshot()
            self.forge.press(result.touched_repos())
            if not result.intents and not self.ticker.acting:
                return
            self.place.agenda.pass_to(self.place.agenda.now() + timedelta(seconds=3))

    async def _look(self) -> None:
        now = self.place.agenda.now()
        for repo in self.place.town.repos:
            if self.due(repo) <= now:
                await self.forge.look_at(repo)

    def due(self, repo: str) -> datetime:
        """When a repository is to be looked at: what `ForgeWatcher.run` waits for, on the machine's time."""
        return self.forge.due().get(repo, self.place.agenda.now())

    def status(self) -> dict[str, Any]:
        assert self.world is not None
        surroundings = Surroundings(1, self.ticker.number, 0.0, "", "", {})
        return document(self.world, self.ledger.memory, self.place.policy, surroundings)

    def kill(self) -> None:
        """As SIGKILL does: nothing is said or written any more. What a thread has sent, it has sent."""
        self.journal.close()
        self.ticker.cancel()
        self.notifier.cancel()
        self.gateway.close(0.5)
        self.hands.terminals.close(5.0)
        for lane in (self.hands.forge, self.hands.seats, self.hands.journal):
            lane.close(10.0)

    async def killed_in(self, seconds: float) -> None:
        """Killed so long after it began a round."""
        going = asyncio.create_task(self.round())
        await asyncio.wait({going}, timeout=seconds)
        self.journal.close()
        going.cancel()
        with contextlib.suppress(BaseException):
            await going
        self.kill()


def _settings(place: Place) -> GatewaySettings:
    url = place.town.url
    return GatewaySettings(
        socket_path=place.socket,
        state=place.root / "gateway",
        credential=lambda: CREDENTIAL,
        port=place.port,
        api_url=f"{url}/api/v3",
        graphql_url=f"{url}/api/graphql",
        git_url=url,
        # Agents of a soak file the same again hours later.
        repeat_window=timedelta(days=1),
    )
