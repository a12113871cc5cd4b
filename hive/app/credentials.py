"""Hive's own credential for the forge: one source for all who speak with its voice.

A token of a person's account, or of each installation of a GitHub App. Asked for at each use: the
configuration may be read again, a token file may change, and an App's tokens end after an hour.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from hive.app.configuration import LiveConfiguration
from hive.errors import ConfigError, Unreachable

if TYPE_CHECKING:
    from hive.shells.github.app_tokens import AppTokens


class Credentials:
    """Used by several threads. Raises `Unreachable` where there is none now: a file may come back."""

    def __init__(self, configuration: LiveConfiguration, now: Callable[[], datetime]) -> None:
        self._configuration = configuration
        self._now = now
        self._app: tuple[tuple[str, str], AppTokens] | None = None

    def app(self) -> AppTokens | None:
        """The App's tokens, where hive acts as one."""
        github = self._configuration.settings.github
        if github.app is None:
            return None
        known = (github.api_url, github.app.id)
        if self._app is None or self._app[0] != known:
            # Its HTTP client takes long to import.
            from hive.shells.github.app_tokens import AppTokens

            self._app = (known, AppTokens(github.api_url, github.app.id, self._key, self._now))
        return self._app[1]

    def token(self) -> str:
        """One for what is not about a repository: an App's is that of its first one's installation."""
        return self.token_of(next(iter(self._configuration.settings.repositories)).name)

    def token_of(self, repo: str) -> str:
        app = self.app()
        if app is not None:
            return app.token(repo)
        try:
            return self._configuration.settings.github.credential()
        except ConfigError as error:
            raise Unreachable("forge", f"no credential: {error}") from error

    def installation_of(self, repo: str) -> int:
        """The App's installation that reaches `repo`; 0 without an App: its only token reaches all.

        Raises `Refused` where none does.
        """
        app = self.app()
        return 0 if app is None else app.installation(repo)

    def refused(self, token: str) -> None:
        """The forge did not accept this one."""
        app = self.app()
        if app is not None:
            app.refused(token)

    def secrets(self) -> tuple[str, ...]:
        """What must not be written anywhere."""
        github, app = self._configuration.settings.github, self.app()
        if app is None or github.app is None:
            return (github.credential(),)
        # A key is many lines, of which none may be written.
        return (
            *app.held(),
            *(line for line in github.app.key().splitlines() if not line.startswith("-----")),
        )

    def _key(self) -> str:
        app = self._configuration.settings.github.app
        try:
            return "" if app is None else app.key()
        except ConfigError as error:
            raise Unreachable("forge", f"no credential: {error}") from error
