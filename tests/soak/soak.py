"""The soak: a town with its people and CI, a troupe of agents, and hive, killed again and again."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hive.decisions.merge_gate import MergePolicy, RequiredCheck
from hive.decisions.policy import Policy
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import AcmmLevel
from hive.kernel.plugins import guardrails
from hive.ports.terminal import SessionOrder
from hive.settings.acmm import load_table
from tests.decisions.worlds import PROMPTS
from tests.fakes.terminal import FakeTerminal
from tests.kernel.house import BACKENDS
from tests.soak.agenda import Agenda
from tests.soak.agents import Actress, Hands, Troupe
from tests.soak.daemon import Daemon, Place
from tests.soak.oracle import Oracle, Rules
from tests.soak.people import CHECK, People, Robot
from tests.soak.size import Size
from tests.soak.town import BOT, Town

BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_SETTLE = timedelta(minutes=5)
_STEP = timedelta(minutes=5)
"""Hive ticks at least so often."""
_ROLES = ("quality", "ci-maintainer", "sec-check")


@dataclass
class Soak:
    """Attributes:
    counted: What happened, for the report.
    """

    root: Path
    size: Size
    counted: Counter[str] = field(default_factory=Counter)
    _dies: bool = False

    def __post_init__(self) -> None:
        size = self.size
        self.chance = random.Random(size.seed)
        self.agenda = Agenda(BEGIN, self._moved)
        self.town = Town(self.root / "forge", size.repos, size.issues, BEGIN, size.seed)
        policy = _policy(self.town.repos, size.agents)
        self.oracle = Oracle(self.town, _rules(policy))
        socket = self.root / "gate" / "gateway.sock"
        hands = {
            spec.name: Hands(self.root / "homes" / spec.name, socket, self.town) for spec in policy.agents
        }
        self.troupe = Troupe(self.agenda, random.Random(size.seed + 1), hands)
        terminal = FakeTerminal(self._program, now=self.agenda.now)
        self.place = Place(self.root, self.town, self.agenda, policy, terminal, hands)
        self.robot = Robot(self.town, self.agenda, random.Random(size.seed + 2))
        self.people = People(self.town, self.agenda, size.chores, random.Random(size.seed + 3))
        self.daemon = Daemon(self.place)
        if size.kills is not None:
            self._plan_kill()

    def _moved(self, at: datetime) -> None:
        self.town.pass_to(at)

    def _program(self, order: SessionOrder) -> Actress:
        return Actress(self.troupe, order.marks["agent"])

    async def run(self) -> None:
        """Let the time pass, then let what was begun come to its end in peace."""
        await self.daemon.begin()
        if self.size.faults:
            self.town.go_wrong(self.size.seed)
        await self._until(BEGIN + self.size.lasts)

    async def rest(self, lasts: timedelta) -> None:
        """Nothing goes wrong any more, nobody does anything, and no new work is begun."""
        self.town.go_right()
        self.people.rest()
        self.size = replace(self.size, kills=None)
        await self._until(self.agenda.now() + lasts)

    async def _until(self, end: datetime) -> None:
        while self.agenda.now() < end:
            if self._dies and self.chance.random() < 0.5:
                self._happen_while_it_dies()
            else:
                self._happen()
            if self._dies:
                await self._die()
            else:
                await self.daemon.round()
            self.counted["rounds"] += 1
            self._jump()

    def _happen(self) -> None:
        for what in self.agenda.take_due():
            what()
        self.robot.begin_runs()

    def _happen_while_it_dies(self) -> None:
        """What agents ask for is let through, and hive ends before it has written that down."""
        wait = self.chance.choice([0.002, 0.01, 0.03, 0.1])
        dying = threading.Timer(wait, self.daemon.journal.close)
        dying.start()
        self._happen()
        dying.join()

    def _jump(self) -> None:
        """To the next moment in which anything is due."""
        now = self.agenda.now()
        due = [self.daemon.due(repo) for repo in self.town.repos]
        ahead = self.agenda.next_due()
        moment = min([*due, *([ahead] if ahead else []), now + _STEP])
        self.agenda.pass_to(max(moment, now + timedelta(seconds=20)))

    def _plan_kill(self) -> None:
        assert self.size.kills is not None
        self.agenda.after(self.size.kills * self.chance.expovariate(1.0), self._let_die)

    def _let_die(self) -> None:
        self._dies = self.size.kills is not None

    async def _die(self) -> None:
        self._dies = False
        self.counted["kills"] += 1
        await self.daemon.killed_in(self.chance.choice([0.0, 0.003, 0.01, 0.03, 0.1, 0.3]))
        self.agenda.pass_to(self.agenda.now() + timedelta(seconds=5))
        self.daemon = Daemon(self.place)
        await self.daemon.begin()
        self._plan_kill()

    def told(self) -> str:
        """For a report: what happened."""
        return (
            f"{dict(self.counted)}, deeds of people {self.people.deeds}, requests gone wrong "
            f"{self.town.went_wrong}; the bot's writes {dict(self.oracle.counted)}; "
            f"turns {self.troupe.turns}; of the quota {self.town.limits.most}"
        )

    def close(self) -> None:
        self.daemon.kill()
        self.town.close()


def _policy(repos: list[str], agents: int) -> Policy:
    return Policy(
        level=AcmmLevel(6),
        agents=tuple(
            AgentSpec(
                name=f"worker-{number}",
                role=_ROLES[number % len(_ROLES)],
                backend="scripted",
                repos=_share(repos, number),
            )
            for number in range(agents)
        ),
        table=load_table(),
        traits={"scripted": BACKENDS["scripted"].traits},
        account=BOT,
        prompts=PROMPTS,
        guardrails=tuple(one for one in guardrails().values() if getattr(one, "is_on", True)),
        repo_levels={repo: AcmmLevel(5) for repo in repos[2::4]},
        merge={
            repo: MergePolicy(required=(RequiredCheck(CHECK),), settle=_SETTLE, approvals=int(place % 2))
            for place, repo in enumerate(repos)
        },
    )


def _share(repos: list[str], number: int) -> tuple[str, ...]:
    """Three repositories each, so that agents meet."""
    return tuple(dict.fromkeys(repos[(number + step) % len(repos)] for step in range(3)))


def _rules(policy: Policy) -> dict[str, Rules]:
    return {
        repo: Rules(rules.settle.total_seconds(), rules.approvals, repo not in policy.repo_levels)
        for repo, rules in policy.merge.items()
    }
