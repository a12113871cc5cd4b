"""How somebody stands to a repository, where an event names an actor and no association.

Neither REST's events nor GraphQL's tell it; the permission in the repository does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import quote

from hive.errors import Missing, Refused
from hive.facts.actors import Actor, ActorKind, Association, same_login
from hive.shells.github.calls import Calls

_FRESH = timedelta(minutes=5)
"""How long a permission is believed (chosen): for so long, one that was withdrawn still counts."""

_COLLABORATES = frozenset({"admin", "maintain", "write", "triage"})


class Standings:
    def __init__(self, calls: Calls, now: Callable[[], datetime]) -> None:
        self._calls = calls
        self._now = now
        self._known: dict[tuple[str, str], tuple[datetime, Association | None]] = {}

    def with_standing(self, repo: str, actor: Actor | None) -> Actor | None:
        """`actor` with the association to `repo`, where it is a person's and had none.

        It stays unknown where hive's account may not ask. Raises `Unreachable` and `Throttled`.
        """
        if actor is None or actor.kind is not ActorKind.PERSON or actor.association is not None:
            return actor
        key = (repo.casefold(), actor.login.casefold())
        now = self._now()
        if key not in self._known or now - self._known[key][0] > _FRESH:
            self._known = {known: one for known, one in self._known.items() if now - one[0] <= _FRESH}
            self._known[key] = (now, self._ask(repo, actor.login))
        return replace(actor, association=self._known[key][1])

    def _ask(self, repo: str, login: str) -> Association | None:
        try:
            told = self._calls.get(f"/repos/{repo}/collaborators/{quote(login, safe='')}/permission")
        except Missing:
            return Association.NONE
        except Refused:
            return None
        # `permission` has the old words, in which triage is read; a custom role has a name of its own.
        if not _COLLABORATES & {told.get("permission"), told.get("role_name")}:
            return Association.NONE
        is_owner = same_login(login, repo.partition("/")[0])
        return Association.OWNER if is_owner else Association.COLLABORATOR
