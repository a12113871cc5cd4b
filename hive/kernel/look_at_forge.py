"""Looks at repositories: each when it is due, and at once when something happened there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from hive.errors import Throttled, WorldError
from hive.facts.forge import RepositorySnapshot
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.ports.forge import Forge

_DEADLINE = 30.0
"""Seconds for one look at one repository."""

Section = Seen[RepositorySnapshot] | Unseen


class ForgeWatcher:
    """Keeps the newest look at each repository. A failed look hides the repository at once:
    what was true a while ago is not decided on."""

    def __init__(self, lane: Lane[Forge], poll: timedelta, now: Callable[[], datetime]) -> None:
        self._lane = lane
        self.poll = poll
        self._now = now
        self._sections: dict[str, Section] = {}
        self._due: dict[str, datetime] = {}
        self.account = ""
        """Hive's own login; empty until the forge has told it, and then nobody is taken for hive."""

    async def look(self, repos: Iterable[str], *, at_once: Iterable[str] = ()) -> dict[str, Section]:
        """Look at what is due, one after the other on the forge's lane; return all sections."""
        pressing = set(at_once)
        wanted = list(repos)
        for repo in wanted:
            if repo in pressing or self._now() >= self._due.get(
                repo, datetime.min.replace(tzinfo=self._now().tzinfo)
            ):
                await self._look_at(repo)
        for repo in set(self._sections) - set(wanted):
            del self._sections[repo]
        return dict(self._sections)

    async def _look_at(self, repo: str) -> None:
        at = self._now()
        try:
            snapshot = await self._lane.call(f"look at {repo}", lambda forge: forge.look(repo), _DEADLINE)
        except Throttled as error:
            self._sections[repo] = Unseen(str(error), at)
            self._due[repo] = max(error.retry_at or at, at + self.poll)
        except WorldError as error:
            self._sections[repo] = Unseen(str(error), at)
            self._due[repo] = at + self.poll
        else:
            self._sections[repo] = Seen(snapshot, at)
            self._due[repo] = at + self.poll
