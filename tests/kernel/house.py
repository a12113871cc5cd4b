"""A kernel over fakes, wired as `hive run` wires it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from hive.contracts.backend import Backend, BackendTraits, Launch, Process, Seat, Submission
from hive.decisions.merging import judge_here
from hive.decisions.policy import Policy
from hive.errors import Refused
from hive.facts.agents import AgentSpec, Conversation, Turn
from hive.facts.events import Event
from hive.facts.forge import PullRequest
from hive.facts.screens import Screen, ScreenState
from hive.facts.usage import Usage
from hive.kernel.act import Hands
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.look_at_forge import ForgeWatcher
from hive.kernel.terminals import Terminals
from hive.kernel.tick import Ticker
from hive.ports.forge import Forge
from hive.ports.seats import LocalSeats, ReadySeat
from hive.shells.system.transcripts import FileTranscripts
from tests.decisions.worlds import NOW, REPO, look, policy
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal
from tests.fakes.terminal import FakePane, FakeTerminal, Silent
from tests.kernel.shown_forge import ShownForge

T = TypeVar("T")
E = TypeVar("E", bound=Event)


class Chat(Silent):
    """A program that is ready at once and works when a prompt is submitted."""

    def start(self, pane: FakePane) -> None:
        pane.show("ready")

    def pressed(self, pane: FakePane, key: str) -> None:
        if key == "Enter":
            pane.show("working")


@dataclass(frozen=True)
class WordBackend:
    """Reads a screen by its first word."""

    name: str = "scripted"
    traits: BackendTraits = field(
        default_factory=lambda: BackendTraits(
            programs=("agent",),
            interrupt=("Escape",),
            keeps_context=False,
            submission=Submission(settle=timedelta(), patience=timedelta(seconds=10)),
        )
    )

    def launch(self, seat: Seat) -> Launch:
        return Launch(argv=("agent",), environment=seat.environment)

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        word = screen.strip().partition(" ")[0]
        known = word in [state.value for state in ScreenState]
        return Screen(ScreenState(word) if known else ScreenState.UNKNOWN)

    def is_agent(self, process: Process) -> bool:
        return process.argv[:1] == ("agent",)

    def transcript(self, seat_home: str) -> str | None:
        return None

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        return ()

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return None

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        return ()

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return ()


BACKENDS: Mapping[str, Backend] = {"scripted": WordBackend()}


class FakeSeats:
    """`ports.seats.LocalSeats` without folders; remembers the tokens it was given.

    Attributes:
        full_disk: While true, nothing can be written.
    """

    def __init__(self) -> None:
        self.vacated: list[str] = []
        self.tokens: list[str] = []
        self.renewed: list[tuple[str, str]] = []
        self.full_disk = False
        self.says = ""

    def vacate(self, agent: str) -> None:
        self.vacated.append(agent)

    def version(self, spec: AgentSpec) -> str:
        return self.says

    def renew(self, spec: AgentSpec, *, token: str) -> None:
        if self.full_disk:
            raise Refused("seats", "the disk is full")
        self.renewed.append((spec.name, token))

    def home(self, agent: str) -> str:
        return f"/nowhere/{agent}"

    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        self.tokens.append(token)
        seat = Seat(spec, self.home(spec.name), "/nowhere", {}, generation, resume)
        return ReadySeat(launch=BACKENDS[spec.backend].launch(seat), workdir="/nowhere")


@dataclass
class StillConfiguration:
    """`kernel.configuration.Configuration` that changes when the test says so."""

    policy: Policy
    tick: timedelta = timedelta(seconds=1)
    poll: timedelta = timedelta(seconds=60)
    news: list[Event] = field(default_factory=list)
    refreshes: list[bool] = field(default_factory=list)

    @property
    def specs(self) -> Mapping[str, AgentSpec]:
        return {spec.name: spec for spec in self.policy.agents}

    def has_changed(self) -> bool:
        return bool(self.news)

    def refresh(self, *, force: bool = False) -> tuple[Event, ...]:
        self.refreshes.append(force)
        news, self.news = tuple(self.news), []
        return news


class House:
    """Everything below a tick. Use it as a context: its threads end with it."""

    def __init__(self, wishes: Policy | None = None, *, forge: ShownForge | None = None) -> None:
        self.clock = FakeClock(NOW)
        self.configuration = StillConfiguration(wishes or policy(level=5, merge={REPO: policy().merge[REPO]}))
        self.terminal = FakeTerminal(lambda order: Chat(), now=self.clock.now)
        self.github = forge or ShownForge(look().value)
        self.journal = MemoryJournal()
        self.ledger = Ledger(self.journal, self.clock)
        self.seats = FakeSeats()
        self.built: list[str] = []
        self.hands = Hands(
            terminals=Terminals(Lane("terminal", self._watcher)),
            forge=Lane("forge", self._forge),
            seats=Lane("seats", self._seats),
            journal=Lane("journal", lambda: self.ledger),
            backends=BACKENDS,
            specs=lambda: self.configuration.specs,
            merge_method=lambda repo: "squash",
            objections=self._objections,
            now=self.clock.now,
        )
        self.forge = ForgeWatcher(self.hands.forge, self.configuration.poll, self.clock.now)
        self.pokes = 0
        self.ticker = Ticker(
            hands=self.hands,
            forge=self.forge,
            ledger=self.ledger,
            policy=lambda: self.configuration.policy,
            now=self.clock.now,
            poke=self._poke,
        )

    def _objections(self, pull: PullRequest) -> tuple[str, ...]:
        judgement = judge_here(
            pull, pull.repo, self.ledger.memory, self.configuration.policy, self.clock.now()
        )
        return tuple(obstacle.because for obstacle in judgement.obstacles)

    async def __aenter__(self) -> House:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.github.let_go()
        self.ticker.cancel()
        self.hands.terminals.close(1.0)
        for lane in (self.hands.forge, self.hands.seats, self.hands.journal):
            lane.close(1.0)

    def events(self, kind: type[E]) -> list[E]:
        """Recorded events of one kind, oldest first."""
        return [one.event for one in self.journal.newest(10_000) if isinstance(one.event, kind)]

    def _poke(self) -> None:
        self.pokes += 1

    def _watcher(self) -> AgentWatcher:
        self.built.append("terminal")
        return AgentWatcher(
            self.terminal,
            self.terminal,
            FileTranscripts(Path("/nowhere")),
            BACKENDS,
            self.seats.home,
            self.clock.now,
        )

    def _forge(self) -> Forge:
        self.built.append("forge")
        return self.github

    def _seats(self) -> LocalSeats:
        return self.seats


async def until(ask: Callable[[], T | None], *, within: float = 10.0) -> T:
    """Ask until the answer is true, and return it. Fails after `within` seconds."""
    end = asyncio.get_running_loop().time() + within
    while not (answer := ask()):
        assert asyncio.get_running_loop().time() < end, "it did not come about"
        await asyncio.sleep(0.005)
    return answer
