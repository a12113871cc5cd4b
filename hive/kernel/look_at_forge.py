"""Looks at repositories: each when it is due, and at once when something happened there.

In a task of its own: a forge that does not answer never keeps the agents from being supervised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hive.decisions.issue_claims import with_claims
from hive.errors import Missing, Refused, Throttled, WorldError
from hive.facts.forge import CommitSighting, PullRequest, RepositorySnapshot
from hive.facts.pull_details import DetailsWanted
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.ports.forge import Forge

_DEADLINE = 60.0
"""Seconds for one look at one repository (measured: 200 issues and 60 pull requests take about 1 s)."""

Section = Seen[RepositorySnapshot] | Unseen


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
        self.awaited: Mapping[str, tuple[int, ...]] = {}
        """Pull requests that are open as far as hive knows, by repository."""
        self._lane = lane
        self._now = now
        self._repos: tuple[str, ...] = ()
        self._sections: dict[str, Section] = {}
        self._due: dict[str, datetime] = {}
        self._patience: dict[str, datetime] = {}
        self._wake = asyncio.Event()

    def sections(self, repos: Iterable[str]) -> Mapping[str, Section]:
        """What is known of `repos` now; from now on these are looked at."""
        wanted = tuple(repos)
        if wanted != self._repos:
            self._repos = wanted
            self._sections = {repo: one for repo, one in self._sections.items() if repo in wanted}
            self._wake.set()
        unseen = Unseen("not looked at yet", self._now(), is_early=True)
        return {repo: self._sections.get(repo, unseen) for repo in wanted}

    def press(self, repos: Iterable[str]) -> None:
        """Have repositories looked at as soon as can be: where the forge asked for patience, after it."""
        now = self._now()
        for repo in repos:
            self._due[repo] = max(now, self._patience.get(repo, now))
            self._wake.set()

    async def run(self, seen: Callable[[], None]) -> None:
        """Look, for ever; `seen` is called after each look."""
        while True:
            self._wake.clear()
            for repo in self._repos:
                if self._due.get(repo, self._now()) <= self._now():
                    await self.look_at(repo)
                    seen()
            await self._until_due()

    async def _until_due(self) -> None:
        """Sleep until a repository is due or somebody presses."""
        next_due = min((self._due.get(repo, self._now()) for repo in self._repos), default=None)
        seconds = None if next_due is None else max((next_due - self._now()).total_seconds(), 0.05)
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    async def look_at(self, repo: str) -> None:
        """Look at one repository now. What it changes while the look goes on is seen by the next one.

        Raises only what is a fault of hive's own.
        """
        at = self._now()
        self._due[repo] = at + self.poll
        try:
            if not self.account:
                self.account = await self._lane.call("account", lambda forge: forge.account(), _DEADLINE)
            watched, awaited = self.watched.get(repo, ()), self.awaited.get(repo, ())
            snapshot = await self._lane.call(
                f"look at {repo}",
                lambda forge: _look(forge, repo, watched, self.details, awaited),
                _DEADLINE,
            )
            label = self.approval_label
            activity = await self._lane.call(
                f"activity of {repo}", lambda forge: forge.activity(repo, label), _DEADLINE
            )
        except Throttled as error:
            self._sections[repo] = Unseen(str(error), at)
            self._patience[repo] = error.retry_at or at + self.poll
            self._due[repo] = max(self._patience[repo], at + self.poll)
        except WorldError as error:
            self._sections[repo] = Unseen(str(error), at)
        except Exception as error:  # a bug: what cannot be read any more must not be decided on
            self._sections[repo] = Unseen(f"{type(error).__name__} (a fault of hive's own)", at)
            raise
        else:
            self._sections[repo] = Seen(replace(snapshot, activity=activity), at)


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
