"""GitHub's rate limits: points an hour for each account by resource, and, where switched on, bursts a minute.

An installation of an App has a limit of its own, which grows with the repositories that it reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

from hive.standins.github.clock import Clock
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Account

# Documented by GitHub for a personal token; 60 without one.
_PER_HOUR = {"core": 5000, "graphql": 5000, "search": 30}
_WINDOW_S = {"core": 3600, "graphql": 3600, "search": 60}
_ANONYMOUS = 60
_FREE_REPOSITORIES, _FOR_EACH_MORE, _MOST = 20, 50, 12_500
"""An installation gets 50 requests more an hour for each repository beyond 20, up to 12,500."""
_SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass(slots=True)
class Window:
    """What was used of one limit until `reset` (epoch seconds)."""

    limit: int
    used: int
    reset: int


@dataclass(frozen=True, slots=True)
class Bursts:
    """The secondary limits, as GitHub documents them: points and new content a minute."""

    rest_points: int = 900
    graphql_points: int = 2000
    content: int = 80


Who = tuple[int | None, int | None]


def _who(account: Account | None) -> Who:
    """Whose limit it is: an account's, or that of one installation of an App."""
    return (account.id, account.installation) if account else (None, None)


class Limits:
    """Used requests, in memory: a restarted service forgives."""

    def __init__(self, clock: Clock, per_hour: int | None = None, bursts: Bursts | None = None) -> None:
        self._clock = clock
        self.per_hour = per_hour or _PER_HOUR["core"]
        self.bursts = bursts
        """None switches the secondary limits off, as a test of something else wants them."""
        self._windows: dict[tuple[Who, str], Window] = {}
        self._minutes: dict[tuple[Who, str], Window] = {}

    def window(self, account: Account | None, resource: str) -> Window:
        """The current window of an account."""
        now, key = self._clock.epoch(), (_who(account), resource)
        window = self._windows.get(key)
        if window is None or window.reset <= now:
            window = Window(self._limit(account, resource), 0, now + _WINDOW_S[resource])
            self._windows[key] = window
        return window

    def _limit(self, account: Account | None, resource: str) -> int:
        if account is None:
            return _ANONYMOUS
        if resource == "search":
            return _PER_HOUR["search"]
        if account.installation is None:
            return self.per_hour
        more = max(0, len(account.permissions) - _FREE_REPOSITORIES) * _FOR_EACH_MORE
        return min(_MOST, self.per_hour + more) if self.per_hour == _PER_HOUR[resource] else self.per_hour

    def spend(self, account: Account | None, resource: str, points: int = 1) -> None:
        """Count one request; 403 where none is left."""
        window = self.window(account, resource)
        if window.used + points > window.limit:
            who = f"user ID {account.id}" if account else "127.0.0.1"
            raise ApiFailure(
                403, f"API rate limit exceeded for {who}.", headers=self.headers(account, resource)
            )
        window.used += points

    def hurry(self, account: Account | None, resource: str, *, writes: bool) -> None:
        """Count against the secondary limits; 403 with `Retry-After` where one is reached."""
        if self.bursts is None:
            return
        graphql = resource == "graphql"
        most = self.bursts.graphql_points if graphql else self.bursts.rest_points
        self._minute(account, "graphql" if graphql else "rest", 5 if writes else 1, most)
        if writes:
            self._minute(account, "content", 1, self.bursts.content)

    def _minute(self, account: Account | None, kind: str, points: int, most: int) -> None:
        now, key = self._clock.epoch(), (_who(account), kind)
        window = self._minutes.get(key)
        if window is None or window.reset <= now:
            window = self._minutes[key] = Window(most, 0, now + 60)
        if window.used + points > most:
            raise ApiFailure(403, _SECONDARY, headers={"Retry-After": str(window.reset - now)})
        window.used += points

    def give_back(self, account: Account | None, resource: str) -> None:
        """An answer of 304 costs nothing."""
        window = self.window(account, resource)
        window.used = max(0, window.used - 1)

    def headers(self, account: Account | None, resource: str) -> dict[str, str]:
        """The `X-RateLimit-*` headers."""
        window = self.window(account, resource)
        return {
            "X-RateLimit-Limit": str(window.limit),
            "X-RateLimit-Remaining": str(window.limit - window.used),
            "X-RateLimit-Reset": str(window.reset),
            "X-RateLimit-Used": str(window.used),
            "X-RateLimit-Resource": resource,
        }

    def overview(self, account: Account | None) -> dict[str, dict[str, int]]:
        """Every resource's window, as `GET /rate_limit` shows it."""
        return {resource: self._shown(self.window(account, resource)) for resource in _PER_HOUR}

    @staticmethod
    def _shown(window: Window) -> dict[str, int]:
        remaining = window.limit - window.used
        return {"limit": window.limit, "used": window.used, "remaining": remaining, "reset": window.reset}
