"""One process of `hive.bench.github`: looks at repositories made up here, decided on as a tick decides.

What a forge answered is not part of it: `github_read` measures that, one repository at a time, as it comes.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hive.bench.github import Figures
from hive.bench.github_items import ACCOUNT, AGENTS, look_at, opened, repo_name
from hive.contracts.backend import BackendTraits
from hive.decisions.approvals import decided
from hive.decisions.doubt import settle
from hive.decisions.merge_gate import MergePolicy
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.reconcile import compare
from hive.facts.agents import AgentSighting, AgentSpec, PaneSighting, session_name
from hive.facts.autonomy import AcmmLevel
from hive.facts.events import Event
from hive.facts.forge import RepositorySnapshot
from hive.facts.screens import Screen, ScreenState
from hive.facts.world import Seen, World
from hive.kernel.ledger import Ledger
from hive.settings.acmm import load_table
from hive.shells.sqlite import SqliteJournal

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_CHANGED = 100
"""One item of so many has changed between two looks."""
_TURNS = 3


class _Clock:
    def now(self) -> datetime:
        return _NOW


def main(repos: int, items: int) -> None:
    """Print the figures as JSON."""
    with tempfile.TemporaryDirectory(prefix="hive-bench-github-", dir=Path.cwd()) as folder:
        journal = SqliteJournal(Path(folder) / "journal.db", fold="bench")
        try:
            figures = _measure(Ledger(journal, _Clock()), [repo_name(one) for one in range(repos)], items)
        finally:
            journal.close()
    sys.stdout.write(json.dumps(asdict(figures)) + "\n")


def _measure(ledger: Ledger, repos: list[str], items: int) -> Figures:
    policy = _policy(repos)
    agents = Seen(tuple(map(_sighting, policy.agents)), _NOW)
    looks = {repo: look_at(repo, items, _NOW) for repo in repos}
    ledger.record([one for look in looks.values() for one in opened(look)])
    first = _seconds(ledger, _world(agents, looks), policy)
    polls, idles = [], []
    for turn in range(1, _TURNS + 1):
        looks = {repo: look_at(repo, items, _NOW, turn=turn, changed=_CHANGED) for repo in repos}
        world = _world(agents, looks)
        polls.append(_seconds(ledger, world, policy))
        idles.append(_seconds(ledger, world, policy, is_new=False))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Figures(first, min(polls), min(idles), memory)


def _seconds(ledger: Ledger, world: World, policy: Policy, *, is_new: bool = True) -> float:
    """Of the processor, from the looks to the plan, as `kernel.tick` goes. `is_new`: the looks are."""
    began = time.process_time()
    ledger.record(settle(world, ledger.memory))
    ledger.record(notice(world, ledger.memory, policy))
    if is_new:
        ledger.record(list(_reconciled(world, ledger, policy)))
    plan(world, ledger.memory, policy)
    return time.process_time() - began


def _reconciled(world: World, ledger: Ledger, policy: Policy) -> Iterator[Event]:
    for section in world.repos.values():
        if isinstance(section, Seen):
            yield from compare(section.value, ledger.memory, policy, world.now)
            yield from decided(section.value, ledger.memory, policy, world.now)


def _world(agents: Seen[tuple[AgentSighting, ...]], looks: dict[str, RepositorySnapshot]) -> World:
    return World(_NOW, agents, {repo: Seen(look, _NOW) for repo, look in looks.items()})


def _policy(repos: Iterable[str]) -> Policy:
    named = tuple(repos)
    agents = tuple(
        AgentSpec(name=name, role="quality", backend="scripted", repos=named[place :: len(AGENTS)])
        for place, name in enumerate(AGENTS)
    )
    return Policy(
        level=AcmmLevel(6),
        agents=agents,
        table=load_table(),
        traits={"scripted": BackendTraits(programs=("scripted",))},
        account=ACCOUNT,
        merge={repo: MergePolicy() for repo in named},
    )


def _sighting(spec: AgentSpec) -> AgentSighting:
    pane = PaneSighting(
        name=session_name(spec.name),
        pid=1000,
        dead=False,
        created_at=_NOW - timedelta(hours=1),
        columns=120,
        rows=40,
        marks={"agent": spec.name, "generation": "1"},
    )
    ready = Screen(ScreenState.READY)
    return AgentSighting(spec.name, pane, alive=True, screen=ready, screen_since=_NOW, turns=())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
