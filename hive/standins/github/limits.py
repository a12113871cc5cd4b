"""GitHub's primary rate limit: so many requests an hour for each account, by resource."""

from dataclasses import dataclass

from hive.standins.github.clock import Clock
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Account

# Documented by GitHub for a personal token; 60 without one.
_PER_HOUR = {"core": 5000, "graphql": 5000, "search": 30}
_WINDOW_S = {"core": 3600, "graphql": 3600, "search": 60}
_ANONYMOUS = 60


@dataclass(slots=True)
class Window:
    """What was used of one limit until `reset` (epoch seconds)."""

    limit: int
    used: int
    reset: int


def _who(account: Account | None) -> tuple[int | None, int | None]:
    """Whose limit it is: an account's, or that of one installation of an App."""
    return (account.id, account.installation) if account else (None, None)


class Limits:
    """Used requests, in memory: a restarted service forgives."""

    def __init__(self, clock: Clock, per_hour: int | None = None) -> None:
        self._clock = clock
        self._core = per_hour or _PER_HOUR["core"]
        self._windows: dict[tuple[tuple[int | None, int | None], str], Window] = {}

    def window(self, account: Account | None, resource: str) -> Window:
        """The current window of an account."""
        now, key = self._clock.epoch(), (_who(account), resource)
        window = self._windows.get(key)
        if window is None or window.reset <= now:
            limit = self._core if resource != "search" else _PER_HOUR["search"]
            window = Window(limit if account else _ANONYMOUS, 0, now + _WINDOW_S[resource])
            self._windows[key] = window
        return window

    def spend(self, account: Account | None, resource: str) -> None:
        """Count one request; 403 where none is left."""
        window = self.window(account, resource)
        if window.used >= window.limit:
            who = f"user ID {account.id}" if account else "127.0.0.1"
            raise ApiFailure(
                403, f"API rate limit exceeded for {who}.", headers=self.headers(account, resource)
            )
        window.used += 1

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
