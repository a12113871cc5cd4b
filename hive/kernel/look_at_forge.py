"""Looks at repositories: each when it is due, and at once when something happened there.

In a task of its own: a forge that does not answer never keeps the agents from being supervised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from hive.decisions.forge_pace import Watched, pace, waits_until
from hive.decisions.issue_claims import with_claims
from hive.errors import Missing, Refused, Throttled, WorldError
from hive.facts.forge import CommitSighting, PullRequest, RepositorySnapshot
from hive.facts.pull_details import DetailsWanted
from hive.facts.quotas import Pace, Quota
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.ports.forge import Forge

_DEADLINE = 60.0
"""Seconds for one look at one repository (measured: 200 issues and 60 pull requests take about 1 s)."""

_FIRST = 3.0
"""What one look is taken to cost at most, of each resource, until there was a second one (chosen): the first
one asks for everything, and those after it for what has changed."""

Section = Seen[RepositorySnapshot] | Unseen

R = TypeVar("R")


class ForgeWatcher:
    """Keeps the newest look at each repository. A failed look hides the repository at once:
    what was true a while ago is not decided on.

    `account` is hive's own login; empty until the forge has told it, and then nobody is taken for hive.
    `approval_label` is the label by which persons approve; empty for none.
    """

    def __init__(self, lane: Lane[Forge], poll: timedelta, now: Callable[[], datetime]) -> None:
        self.account = ""
        self.approval_label = ""
        self.poll = poll
        self.watched: Mapping[str, tuple[str, ...]] = {}
        """Branches and commits whose checks looks have to read besides, by repository."""
        self.details: Callable[[RepositorySnapshot], Sequence[DetailsWanted]] = lambda look: ()
        """Of which pull requests of a look more is to be read."""
        self.knows: Callable[[str], bool] = lambda repo: False
        """Whether what a repository says to those who work on it is to be read."""
        self.awaited: Mapping[str, tuple[int, ...]] = {}
        """Pull requests that are open as far as hive knows, by repository."""
        self._lane = lane
        self._now = now
        self._repos: tuple[str, ...] = ()
        self._sections: dict[str, Section] = {}
        self._began = now()
        self._looked: dict[str, datetime] = {}
        self._pressed: dict[str, datetime] = {}
        self._costs: dict[str, Watched] = {}
        self._quotas: dict[tuple[str, str], Quota] = {}
        self._patience: dict[str, datetime] = {}
        self._wake = asyncio.Event()

    def sections(self, repos: Iterable[str]) -> Mapping[str, Section]:
        """What is known of `repos` now; from now on these are looked at."""
        wanted = tuple(repos)
        if wanted != self._repos:
            self._repos = wanted
            self._sections = {repo: one for repo, one in self._sections.items() if repo in wanted}
            self._looked = {repo: at for repo, at in self._looked.items() if repo in wanted}
            self._wake.set()
        unseen = Unseen("not looked at yet", self._now(), is_early=True)
        return {repo: self._sections.get(repo, unseen) for repo in wanted}

    def press(self, repos: Iterable[str]) -> None:
        """Have repositories looked at as soon as can be: where the forge asked for patience, after it."""
        now = self._now()
        for repo in repos:
            self._pressed.setdefault(repo, now)
            self._wake.set()

    def pace(self) -> Pace:
        """How often each repository is looked at now."""
        watched = {repo: self._costs.get(repo, Watched()) for repo in self._repos}
        return pace(self.poll, watched, self._quotas.values(), self._now())

    async def run(self, seen: Callable[[], None]) -> None:
        """Look, for ever; `seen` is called after each look. What is pressed for comes first, then where
        something of hive's is under way; but what has waited for long waits no longer."""
        while True:
            self._wake.clear()
            due, now = self.due(), self._now()
            first = min((repo for repo in due if due[repo] <= now), key=self._rank(due), default=None)
            if first is None:
                await self._until(min(due.values(), default=None))
            elif not self._is_kept_for_acts(first):
                await self.look_at(first)
                seen()
            else:
                seen()

    def due(self) -> dict[str, datetime]:
        """When each repository is to be looked at next."""
        intervals = self.pace().intervals
        due = {}
        for repo in self._repos:
            looked = self._looked.get(repo)
            at = self._began if looked is None else looked + intervals[repo]
            at = min(at, self._pressed.get(repo, at))
            due[repo] = max(at, self._patience.get(repo, at))
        return due

    def _rank(self, due: Mapping[str, datetime]) -> Callable[[str], tuple[timedelta, int]]:
        def rank(repo: str) -> tuple[timedelta, int]:
            waited = self._now() - due[repo]
            if repo in self._pressed:
                waited += self.poll * 4
            if self._costs.get(repo, Watched()).is_under_way:
                waited += self.poll * 2
            return -waited, self._repos.index(repo)

        return rank

    def _is_kept_for_acts(self, repo: str) -> bool:
        """Whether what is left of the forge's limits is for acts alone; if so, `repo` waits."""
        holder = self._costs.get(repo, Watched()).holder or next((key[0] for key in self._quotas), "")
        now = self._now()
        waits = waits_until((one for one in self._quotas.values() if one.holder == holder), now)
        if waits is None:
            return False
        self._patience[repo] = waits[0]
        if not isinstance(self._sections.get(repo), Seen):
            self._sections[repo] = Unseen(waits[1], now)
        return True

    async def _until(self, due: datetime | None) -> None:
        """Sleep until `due`, or until somebody presses."""
        seconds = None if due is None else max((due - self._now()).total_seconds(), 0.05)
        try:
            # Not `wait_for`: in Python 3.11 it may swallow a cancellation that meets the wake.
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def look_at(self, repo: str) -> None:
        """Look at one repository now. What it changes while the look goes on is seen by the next one.

        Raises only what is a fault of hive's own.
        """
        at = self._now()
        self._looked[repo] = at
        self._pressed.pop(repo, None)
        before = self._costs.get(repo)
        self._costs[repo] = Watched()
        try:
            watched, label = self.watched.get(repo, ()), self.approval_label
            awaited = self.awaited.get(repo, ())
            snapshot = await self._ask(
                repo, "look at", lambda forge: _look(forge, repo, watched, self.details, awaited)
            )
            if self.knows(repo):
                words = await self._ask(repo, "words of", lambda forge: forge.knowledge(repo))
                snapshot = replace(snapshot, knowledge=words)
            if not self.account:
                self.account = await self._ask(repo, "account of", lambda forge: forge.account())
            activity = await self._ask(repo, "activity of", lambda forge: forge.activity(repo, label))
        except Throttled as error:
            self._sections[repo] = Unseen(str(error), at)
            self._patience[repo] = error.retry_at or at + self.poll
        except WorldError as error:
            self._sections[repo] = Unseen(str(error), at)
        except Exception as error:  # a bug: what cannot be read any more must not be decided on
            self._sections[repo] = Unseen(f"{type(error).__name__} (a fault of hive's own)", at)
            raise
        else:
            self._sections[repo] = Seen(replace(snapshot, activity=activity), at)
            under_way = any(pull.checks is not None for pull in snapshot.pull_requests)
            self._costs[repo] = replace(self._costs[repo], is_under_way=under_way)
        finally:
            self._settle_cost(repo, before)

    def _settle_cost(self, repo: str, before: Watched | None) -> None:
        """What a look at `repo` is taken to cost from now on: one that failed says nothing new about it."""
        if before is not None and not isinstance(self._sections.get(repo), Seen):
            self._costs[repo] = before
        elif before is None:
            first = {key: min(cost, _FIRST) for key, cost in self._costs[repo].costs.items()}
            self._costs[repo] = replace(self._costs[repo], costs=first)

    async def _ask(self, repo: str, what: str, call: Callable[[Forge], R]) -> R:
        """One answer; what it cost is counted, and what is left."""

        def counted(forge: Forge) -> tuple[R, tuple[Quota, ...], tuple[Quota, ...]]:
            before = forge.quotas(repo)
            return call(forge), before, forge.quotas(repo)

        answer, before, after = await self._lane.call(f"{what} {repo}", counted, _DEADLINE)
        self._quotas |= {(one.holder, one.resource): one for one in after}
        spent = {one.resource: one.spent for one in before}
        costs = dict(self._costs[repo].costs)
        for one in after:
            cost = one.spent - spent.get(one.resource, 0)
            costs[one.resource] = costs.get(one.resource, 0.0) + cost
        holder = after[0].holder if after else ""
        self._costs[repo] = replace(self._costs[repo], holder=holder, costs=costs)
        return answer


_MOST_ASKED = 10
"""Ended pull requests that one look asks for by number; the rest is for the next."""


def _look(
    forge: Forge,
    repo: str,
    watched: Iterable[str],
    details: Callable[[RepositorySnapshot], Sequence[DetailsWanted]],
    awaited: Iterable[int],
) -> RepositorySnapshot:
    """The look with what is watched besides; a commit that is gone is left out. Pull requests that are
    `awaited` and in no list any more have ended long ago, and are asked for by number."""
    commits: dict[str, CommitSighting] = {}
    for ref in watched:
        try:
            commits[ref] = forge.commit(repo, ref)
        except (Missing, Refused):
            continue
    seen = with_claims(forge.look(repo))
    listed = {one.number for one in (*seen.pull_requests, *seen.recent)}
    lost = [number for number in awaited if number not in listed]
    over = tuple(_ended(forge, repo, lost[:_MOST_ASKED]))
    wanted = details(seen)
    found = forge.details(repo, wanted) if wanted else {}
    if not (commits or found or over):
        return seen
    return replace(seen, commits=commits, details=found, recent=(*seen.recent, *over))


def _ended(forge: Forge, repo: str, numbers: Iterable[int]) -> Iterator[PullRequest]:
    """Those that are over. One that cannot be read, or was opened since the lists were, is left as it is."""
    for number in numbers:
        try:
            pull = forge.pull_request(repo, number)
        except (Missing, Refused):
            continue
        if pull.state != "open":
            yield pull
