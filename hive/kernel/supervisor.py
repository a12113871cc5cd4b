"""The daemon: ticks until it is told to end, and answers operators meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hive import __version__
from hive.decisions.agent_state import puzzled_for
from hive.decisions.status import Surroundings, document
from hive.errors import HiveError, JournalError, Unreachable
from hive.facts import events as e
from hive.facts.world import Unseen, World
from hive.kernel.act import Hands, record
from hive.kernel.configuration import Configuration
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_fleet import FleetWatcher
from hive.kernel.look_at_forge import ForgeWatcher
from hive.kernel.notifier import Notifier
from hive.kernel.operators import OperatorServer
from hive.kernel.requests import OperatorRequests
from hive.kernel.tick import Ticker, TickResult
from hive.kernel.token_keeper import TokenKeeper
from hive.kernel.triggers import LEAST_CALM, Trigger, calm_after
from hive.kernel.work_requests import WorkRequests
from hive.ports.journal import Journal

_LOG = logging.getLogger(__name__)
_PUZZLED = 1.0
"""Seconds until the next tick at most while a screen stands that nobody knows yet."""
_FILE = 1.0
"""Seconds between two looks at the configuration file's date."""
_PUBLISH = 10.0
"""Seconds for which a status document may be published though nothing was recorded since."""
_FAREWELL = 0.5
"""Seconds for the last record: SIGTERM ends hive within two, whatever the disk does."""
_FAULTS, _FAULTS_WITHIN = 5, 60.0
"""More faults of its own within so many seconds end hive: whoever started it decides what then."""
_RETRY = 2.0
"""Seconds until the next try after the journal refused a record."""


@dataclass(slots=True)
class Supervisor:
    """Wired by the composition root.

    Attributes:
        on_ready: Called once the first tick may begin, with the trigger that wakes it from any thread.
    """

    configuration: Configuration
    ledger: Ledger
    journal: Journal
    hands: Hands
    forge: ForgeWatcher
    now: Callable[[], datetime]
    socket: Path
    state: Path
    attach: str
    on_ready: Callable[[Trigger], None] = lambda trigger: None
    fleet: FleetWatcher | None = None
    boot: str = ""
    notifier: Notifier | None = None
    deliveries: Callable[[], Mapping[str, str | int] | None] = lambda: None
    world: World | None = None
    trouble: str = ""
    """Why hive is not acting, for operators; empty when it is."""
    _ticker: Ticker | None = None
    _tokens: TokenKeeper = field(init=False)
    _stopping: bool = False
    _reload: bool = False
    _published_seq: int = -1
    _published_at: float = 0.0
    _tick_seconds: float = 0.0
    _faults: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = TokenKeeper(self.hands, self.ledger, self.now)

    async def run(self, *, once: bool = False) -> None:
        """Tick until SIGTERM or SIGINT; agents are left running. With `once`, one tick."""
        trigger = Trigger()
        self._signals(trigger)
        self._ticker = Ticker(
            hands=self.hands,
            forge=self.forge,
            ledger=self.ledger,
            policy=lambda: self.configuration.policy,
            now=self.now,
            poke=trigger.poke,
            fleet=self.fleet,
        )
        await record(
            self.hands.journal,
            [
                e.SupervisorStarted(pid=os.getpid(), version=__version__, boot=self.boot),
                *self.configuration.refresh(force=True),
            ],
        )
        requests = OperatorRequests(
            configuration=self.configuration,
            terminal=self.hands.terminal,
            journal=self.hands.journal,
            status=self.status,
            holds=lambda: self.ledger.memory.holds,
            incidents=lambda: self.ledger.memory.incidents,
            merging=lambda: self.ledger.memory.merging,
            findings=lambda: self.ledger.memory.findings,
            memory=lambda: self.ledger.memory,
            backends=self.hands.backends,
            now=self.now,
            poke=trigger.poke,
        )
        work = WorkRequests(
            world=lambda: self.world,
            memory=lambda: self.ledger.memory,
            policy=lambda: replace(self.configuration.policy, account=self.forge.account),
            record=requests.recorded,
        )
        server = OperatorServer(self.socket, {**requests.handlers(), **work.handlers()})
        await server.start()
        self.on_ready(trigger)
        looking = asyncio.create_task(self._look_once() if once else self._look_at_forge(trigger))
        watching = asyncio.create_task(self._watch_configuration(trigger))
        keeping = asyncio.create_task(self._keep_fleet(trigger, once=once))
        try:
            if once:
                await looking
                await keeping
            await self._loop(trigger, looking, once=once)
        finally:
            looking.cancel()
            watching.cancel()
            keeping.cancel()
            self._ticker.cancel()
            if self.notifier is not None:
                self.notifier.cancel()
            await server.close()
            await self._farewell("one tick was asked for" if once else "asked to stop")

    async def _watch_configuration(self, trigger: Trigger) -> None:
        """Wake the tick when the file changes. Asked rather than told by the system: editors and mounted
        ConfigMaps replace files by renames that watches on the file itself do not see."""
        while True:
            await asyncio.sleep(_FILE)
            if self.configuration.has_changed():
                trigger.poke()

    async def _look_once(self) -> None:
        """A look at every repository, before the only tick."""
        for repo in self.forge.sections(sorted(self.configuration.policy.merge)):
            await self.forge.look_at(repo)

    async def _look_at_forge(self, trigger: Trigger) -> None:
        """Look for ever; a fault of hive's own costs a pause, and too many of them end hive."""
        while True:
            try:
                await self.forge.run(trigger.poke)
            except Exception as error:
                trigger.poke()
                self._bug(error)
                await asyncio.sleep(_RETRY)

    async def _keep_fleet(self, trigger: Trigger, *, once: bool) -> None:
        """Keep the clusters in order for ever; with `once`, look at them before the only tick."""
        if once and self.fleet is not None:
            await self.fleet.look()
            return
        while self.fleet is not None:
            try:
                await self.fleet.run(trigger.poke)
            except Exception as error:
                trigger.poke()
                self._bug(error)
                await asyncio.sleep(_RETRY)

    def _signals(self, trigger: Trigger) -> None:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self._stopping = True
            trigger.poke()

        def reload() -> None:
            self._reload = True
            trigger.poke()

        loop.add_signal_handler(signal.SIGTERM, stop)
        loop.add_signal_handler(signal.SIGINT, stop)
        loop.add_signal_handler(signal.SIGHUP, reload)

    async def _loop(self, trigger: Trigger, looking: asyncio.Task[None], *, once: bool) -> None:
        loop = asyncio.get_running_loop()
        cost = 0.0
        while not self._stopping:
            if looking.done():
                looking.result()  # raises what ended it
            started, spent = loop.time(), time.process_time()
            ticking = asyncio.create_task(self._tick(trigger))
            result = await self._unless_stopped(ticking, trigger)
            if once or self._stopping:
                return
            before, cost = cost, time.process_time() - spent
            trigger.calm = calm_after(before, cost)
            wait = 0.0 if result is not None and result.intents else self._pause(result)
            await trigger.wait(wait, calm=trigger.calm - (loop.time() - started))
            left = LEAST_CALM - (loop.time() - started)
            if left > 0 and not self._stopping:
                await asyncio.sleep(left)

    async def _unless_stopped(
        self, ticking: asyncio.Task[TickResult | None], trigger: Trigger
    ) -> TickResult | None:
        """Wait for the tick; when told to stop meanwhile, give it half a second and then let go."""
        while not ticking.done():
            await asyncio.wait({ticking}, timeout=0.1)
            if self._stopping:
                await asyncio.wait({ticking}, timeout=0.5)
                if not ticking.done():
                    ticking.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await ticking
                    return None
        return ticking.result()

    def _pause(self, result: TickResult | None) -> float:
        if self.trouble:
            return _RETRY
        tick = self.configuration.tick.total_seconds()
        puzzled = puzzled_for(result.world) if result is not None else None
        return tick if puzzled is None else min(tick, _PUZZLED, puzzled.total_seconds())

    async def _tick(self, trigger: Trigger) -> TickResult | None:
        """One tick; a journal that takes no record stops hive's acting, not hive."""
        assert self._ticker is not None
        began = asyncio.get_running_loop().time()
        self.forge.press(trigger.take_repos())
        try:
            await self._refresh()
            result = await self._ticker.tick()
            self.world = result.world
            if self.notifier is not None:
                await self.notifier.turn(result.world, self.configuration.policy)
            await self._tokens.renew(self.configuration.specs.values())
            await self._keep()
        except JournalError as error:
            if not self.trouble:
                _LOG.error("not acting: %s", error)
            self.trouble = str(error)
            return None
        except Exception as error:  # a bug: look again from the start, but not for ever
            self._bug(error)
            return None
        self.trouble = ""
        self.forge.press(result.touched_repos())
        self._tick_seconds = asyncio.get_running_loop().time() - began
        return result

    def _bug(self, error: Exception) -> None:
        """Log a fault of hive's own; after too many in a row of time, give up.

        The next tick starts from the journal and a new look, so one bad moment costs one tick.
        """
        _LOG.exception("a fault of hive's own; looking again")
        at = asyncio.get_running_loop().time()
        self._faults = [*(one for one in self._faults if at - one < _FAULTS_WITHIN), at]
        self.trouble = f"{type(error).__name__}: {error} (a fault of hive's own; see its log)"
        if len(self._faults) > _FAULTS:
            raise error

    async def _refresh(self) -> None:
        force, self._reload = self._reload, False
        events = self.configuration.refresh(force=force)
        if events:
            await record(self.hands.journal, events)
        self.forge.poll = self.configuration.poll
        self.forge.approval_label = self.configuration.policy.approval_label

    async def _keep(self) -> None:
        """Store what readers and the next start want: the status document and, now and then, the memory.

        Where nothing was recorded the document stays for a while: it is the dearest part of an idle tick.
        """
        now, seq = asyncio.get_running_loop().time(), self.ledger.memory.seq
        if seq == self._published_seq and now - self._published_at < _PUBLISH:
            return
        status = json.dumps(self.status()).encode()

        def keep(ledger: Ledger) -> None:
            self.journal.publish(status)
            ledger.store_snapshot()

        try:
            await self.hands.journal.call("publish", keep, 20.0)
        except Unreachable as error:
            raise JournalError(f"the journal does not answer: {error.message}") from error
        self._published_seq, self._published_at = seq, now

    async def _farewell(self, reason: str) -> None:
        try:
            await self.hands.journal.call(
                "farewell",
                lambda ledger: ledger.record([e.SupervisorStopped(reason=reason)]),
                _FAREWELL,
            )
        except HiveError as error:
            _LOG.error("the end is not on record: %s", error)

    def status(self) -> dict[str, Any]:
        """The status document of now; before the first look, what is known without one."""
        assert self._ticker is not None
        surroundings = Surroundings(
            pid=os.getpid(),
            tick=self._ticker.number,
            tick_seconds=round(self._tick_seconds, 3),
            state=str(self.state),
            attach=self.attach,
            abandoned={lane.name: lane.count for lane in self.lanes()},
            refused=self.ledger.refusals(),
            deliveries=self.deliveries(),
        )
        world = self.world or World(
            now=self.now(), agents=Unseen("not looked at yet", self.now(), is_early=True), repos={}
        )
        policy = replace(self.configuration.policy, account=self.forge.account)
        found = document(world, self.ledger.memory, policy, surroundings)
        if self.trouble:
            found["verdict"] = f"not acting: {self.trouble}"
            found["settled"] = False
        return found

    def lanes(self) -> tuple[Lane[Any], ...]:
        others = (self.hands.forge, self.hands.seats, self.hands.journal, self.hands.sandboxes)
        fleet = (self.fleet.lane,) if self.fleet is not None else ()
        return (*self.hands.terminals.lanes(), *(lane for lane in others if lane is not None), *fleet)
