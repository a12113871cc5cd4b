"""One tick: observe, notice, decide, rule, record, act, record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from hive.decisions.after_merge import watched
from hive.decisions.approvals import decided, merge_on_hold
from hive.decisions.doubt import settle
from hive.decisions.gate import HIVES_OWN, rule_intent
from hive.decisions.lookup import open_pulls
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.ports_seen import port_events
from hive.decisions.reconcile import compare
from hive.decisions.rounds import details_wanted
from hive.facts.events import Event, IntentFinished, IntentRuled, IntentStarted
from hive.facts.intents import (
    FILING,
    IN_TERMINAL,
    JOURNAL_ONLY,
    LEASING,
    ON_FLEET,
    ON_FORGE,
    EnqueuePullRequest,
    Intent,
    MergePullRequest,
)
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict
from hive.facts.world import Seen, Unseen, World
from hive.kernel.act import Hands, act, record
from hive.kernel.ledger import Ledger
from hive.kernel.look_at_fleet import FleetWatcher
from hive.kernel.look_at_forge import ForgeWatcher

_CHANGES_FORGE = (*ON_FORGE, *FILING, *LEASING)
_PATIENCE = 2.0
"""Seconds that a tick waits for an act before it goes on without."""


@dataclass(slots=True)
class Ticker:
    """Everything that a tick needs. `policy` follows the configuration.

    Attributes:
        poke: Wakes the next tick; for what ends after the tick that began it.
        acting: Intents that are being carried out, by id.
    """

    hands: Hands
    forge: ForgeWatcher
    ledger: Ledger
    policy: Callable[[], Policy]
    now: Callable[[], datetime]
    poke: Callable[[], None]
    fleet: FleetWatcher | None = None
    number: int = 0
    acting: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _touched: dict[str, datetime] = field(default_factory=dict)
    """When hive itself last changed, or may have changed, something in a repository."""
    _compared: dict[str, datetime] = field(default_factory=dict)
    """Of which look at each repository the account's acts were compared with the journal."""
    _asked_fleet: datetime | None = None
    """When hive itself last asked the fleet for something."""
    _failure: BaseException | None = None

    async def tick(self) -> TickResult:
        """Raises `JournalError` when a record cannot be written; nothing was done then that it tells of."""
        self.number += 1
        self._raise_late_failure()
        world = await self._observe(self.policy())
        policy = replace(self.policy(), account=self.forge.account)
        fresh = self._fresh(world)
        memory = await self._notice(world, fresh, policy)
        decided = plan(fresh, memory, policy)
        allowed = await self._rule(decided.intents, fresh, memory, policy)
        await self._act(allowed)
        return TickResult(world=world, intents=allowed)

    async def _observe(self, policy: Policy) -> World:
        repos = sorted({repo for spec in policy.agents for repo in spec.repos} | set(policy.merge))
        self.forge.watched = watched(self.ledger.memory, repos)
        self.forge.awaited = open_pulls(self.ledger.memory)
        known = replace(policy, account=self.forge.account)
        self.forge.details = lambda look: details_wanted(look, self.ledger.memory, known)
        self.forge.knows = lambda repo: known.knowledge > 0
        fleet = self.fleet.section if self.fleet is not None else None
        look = await self.hands.terminals.look(self.hands.specs(), fleet, self.now)
        return World(
            now=self.now(),
            agents=look.agents,
            repos=self.forge.sections(repos),
            pace=self.forge.pace(),
            fleet=fleet,
            hidden=look.hidden,
        )

    def _fresh(self, world: World) -> World:
        """`world` without looks at repositories and the fleet that hive acted on after they began: what
        they show is what was before. Nothing is decided on them, and nothing in doubt is looked for."""
        repos = dict(world.repos)
        for repo, touched in self._touched.items():
            section = repos.get(repo)
            if isinstance(section, Seen) and section.at <= touched:
                repos[repo] = Unseen("hive has changed it since it was looked at", section.at)
        fleet = world.fleet
        if isinstance(fleet, Seen) and self._asked_fleet is not None and fleet.at <= self._asked_fleet:
            fleet = Unseen("hive has asked it for something since it was looked at", fleet.at)
        return replace(world, repos=repos, fleet=fleet)

    async def _notice(self, world: World, fresh: World, policy: Policy) -> Memory:
        """Record what changed since the last look, and return the memory that knows it."""
        await self._record(port_events(world, self.ledger.memory))
        await self._record(settle(fresh, self.ledger.memory, self.acting))
        await self._record(notice(world, self.ledger.memory, policy))
        await self._record(self._reconcile(world, policy))
        return self.ledger.memory

    def _reconcile(self, world: World, policy: Policy) -> Iterator[Event]:
        """What the account did without hive, and what persons told hive, as far as new looks tell."""
        for repo, section in world.repos.items():
            if isinstance(section, Seen) and self._compared.get(repo) != section.at:
                self._compared[repo] = section.at
                yield from compare(section.value, self.ledger.memory, policy, world.now)
                yield from decided(section.value, self.ledger.memory, policy, world.now)

    async def _record(self, events: Iterable[Event]) -> None:
        pending = list(events)
        if pending:
            await record(self.hands.journal, pending, self.number)

    async def _rule(
        self, intents: Iterable[Intent], world: World, memory: Memory, policy: Policy
    ) -> tuple[Intent, ...]:
        """Rule on each intent; what is not allowed is recorded once and left."""
        events: list[Event] = []
        allowed = []
        for intent in intents:
            verdict = rule_intent(intent, world, memory, policy)
            if isinstance(intent, MergePullRequest | EnqueuePullRequest) and verdict.ruling is Ruling.HOLD:
                verdict, asked = merge_on_hold(intent, verdict, memory, world.now, taken=len(events))
                events.extend(asked)
            if _is_news(intent, verdict, memory):
                events.append(_ruled(intent, verdict))
            if verdict.ruling is Ruling.ALLOW:
                allowed.append(intent)
                events.append(IntentStarted(intent_id=intent.id, body=intent))
                if isinstance(intent, JOURNAL_ONLY):
                    events.append(IntentFinished(intent_id=intent.id, about=intent.subject, outcome="done"))
        await self._record(events)
        return tuple(allowed)

    async def _act(self, intents: Iterable[Intent]) -> None:
        """Act on all at once; each outcome is recorded as it comes. What takes long goes on beside the
        next ticks, so that nothing slow keeps hive from looking."""
        begun = {
            intent.id: asyncio.create_task(self._act_on(intent))
            for intent in intents
            if not isinstance(intent, JOURNAL_ONLY)
        }
        self.acting |= begun
        if begun:
            await asyncio.wait(begun.values(), timeout=_PATIENCE)
        self._raise_late_failure()

    async def _act_on(self, intent: Intent) -> None:
        try:
            await self._record(await act(intent, self.hands))
        except Exception as error:  # told by the next tick: nobody awaits this task
            self._failure = error
        finally:
            if isinstance(intent, _CHANGES_FORGE):
                self._touched[intent.repo] = self.now()
                self.forge.press([intent.repo])
            elif isinstance(intent, IN_TERMINAL):
                self.hands.terminals.touch(intent.agent, self.now())
            elif isinstance(intent, ON_FLEET):
                self._asked_fleet = self.now()
                if self.fleet is not None:
                    self.fleet.press()
            self.acting.pop(intent.id, None)
            self.poke()

    def _raise_late_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def cancel(self) -> None:
        """Let go of everything under way; what was begun is in doubt, and the next start looks for it."""
        self.hands.terminals.cancel()
        for task in self.acting.values():
            task.cancel()


@dataclass(frozen=True, slots=True)
class TickResult:
    """What a tick saw and did. `intents` are those that were allowed, and acted on."""

    world: World
    intents: tuple[Intent, ...]

    def touched_repos(self) -> set[str]:
        """Repositories that hive itself changed, to be looked at again."""
        return {intent.repo for intent in self.intents if isinstance(intent, _CHANGES_FORGE)}


def _is_news(intent: Intent, verdict: Verdict, memory: Memory) -> bool:
    """Whether the ruling on an intent has to be recorded.

    What hive does as its own supervisor is allowed without a question, and its start is record enough;
    other rulings are recorded, a refusal once and again when it changes.
    """
    if verdict.ruling is Ruling.ALLOW:
        return verdict.rule != HIVES_OWN
    return memory.rulings.get(intent.id) != verdict


def _ruled(intent: Intent, verdict: Verdict) -> IntentRuled:
    return IntentRuled(
        intent_id=intent.id,
        about=intent.subject,
        ruling=verdict.ruling,
        rule=verdict.rule,
        because=verdict.because,
    )
