"""GitHub for a soak: the stand-in, served over HTTP from this process on the soak's own time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from hive.standins.github import bulk, seed
from hive.standins.github.forge import Forge, Listener
from hive.standins.github.limits import Limits
from hive.standins.github.records import Account, Event, Issue
from hive.standins.github.service import GitHubService
from hive.standins.github.wire import Server

BOT, CREDENTIAL = "hive-bot", "ghp_the-credential-of-the-soak"
PEOPLE = tuple(f"person-{number}" for number in range(8))
"""As `bulk.grow` names them."""

_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_LOST = 0.05
"""Replies lost after the write, of all writes, pushes among them."""
_ALWAYS = 10**9
"""Times: more than a soak has requests."""


@dataclass
class Told:
    """The listener of the stand-in and whoever else wants to hear, under its lock."""

    first: Listener
    ears: list[Callable[[Account | None, str, str, str], None]] = field(default_factory=list)

    def wrote(self, actor: Account | None, what: str, subject: str, detail: str) -> None:
        self.first.wrote(actor, what, subject, detail)
        for ear in self.ears:
            ear(actor, what, subject, detail)

    def happened(self, issue: Issue, event: Event) -> None:
        self.first.happened(issue, event)


class CountedLimits:
    """How near the account of hive came to the end of its quota, and how often it was turned away."""

    def __init__(self, limits: Limits) -> None:
        self.refused = 0
        self.most: dict[str, float] = {}
        self._spend = limits.spend
        self._limits = limits
        limits.spend = self.spend  # type: ignore[method-assign]  # the witness stands in its place

    def spend(self, account: Account | None, resource: str, points: int = 1) -> None:
        try:
            self._spend(account, resource, points)
        except Exception:
            self.refused += 1
            raise
        window = self._limits.window(account, resource)
        if account is not None and account.login == BOT:
            self.most[resource] = max(self.most.get(resource, 0.0), window.used / window.limit)


class Town:
    """`went_wrong`: how many requests did, known once they `go_right` again."""

    def __init__(self, root: Path, repos: int, issues: int, at: datetime, chance: int) -> None:
        root.mkdir(parents=True)
        self.forge = Forge(root)
        self.pass_to(at)
        self.service = GitHubService(self.forge, "control")
        assert self.forge.listener is not None
        self.went_wrong = 0
        self._planned = 0
        self.told = Told(self.forge.listener)
        self.forge.listener = self.told
        self.limits = CountedLimits(self.service.limits)
        self.repos = bulk.grow(self.forge, repositories=repos, issues=issues, seed=chance)
        self._accounts()
        self._server = Server(("127.0.0.1", 0), self.service.answer)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def pass_to(self, at: datetime) -> None:
        self.forge.clock.set(at.timestamp())

    def _accounts(self) -> None:
        with self.forge.transaction():
            for login, standing, permission in (
                (BOT, "MEMBER", "admin"),
                *((person, "MEMBER", "write") for person in PEOPLE),
            ):
                account = seed.ensure_account(self.forge, login)
                account.associations["*"] = standing
                account.permissions["*"] = permission
                if login == BOT:
                    account.token = CREDENTIAL
                self.forge.store.accounts.put(account)

    def go_wrong(self, chance: int) -> None:
        """5 % of replies lost after the write; servers that break down; limits that are no quota's."""
        for place, method in enumerate(_WRITES):
            self._fault("drop-after-write", method, _LOST, chance + place)
        self._fault("502", "GET", 0.01, chance + 10)
        self._fault("503", "POST", 0.01, chance + 11)
        self._fault("reset", "", 0.005, chance + 12)
        self._fault("truncate", "GET", 0.003, chance + 13)
        self._fault("secondary-limit:60", "", 0.001, chance + 14)
        self._fault("rate-limit:120", "GET", 0.0005, chance + 15)

    def _fault(self, do: str, method: str, share: float, chance: int) -> None:
        match = {"method": method, "path": ""}
        self.service.faults.add({"do": do, "match": match, "times": _ALWAYS, "share": share, "seed": chance})
        self._planned += _ALWAYS

    def go_right(self) -> None:
        """Nothing goes wrong any more."""
        self.went_wrong = self._planned - self.service.faults.remaining()
        self.service.faults.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join(10)
        self._server.server_close()
        with self.forge.lock:
            self.forge.store.close()
