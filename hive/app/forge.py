"""The forge's lane: GitHub under hive's token, or as an App."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from hive.app.configuration import LiveConfiguration
from hive.app.credentials import Credentials
from hive.kernel.lane import Lane
from hive.ports.forge import Forge

if TYPE_CHECKING:
    from hive.shells.github.limits import Limits


def forge_lane(
    configuration: LiveConfiguration, credentials: Credentials, now: Callable[[], datetime]
) -> Lane[Forge]:
    """What is known of limits outlives a client that was given up."""
    known: dict[int, Limits] = {}

    def up_to_date(repo: str) -> bool:
        return configuration.settings.merge_policy(repo).up_to_date

    def build() -> Forge:
        # In the lane's own thread: PyGithub takes long to import, and operators need no forge to be answered.
        from hive.shells.github import GitHubForge
        from hive.shells.github.installations import InstalledForge
        from hive.shells.github.limits import Limits

        api_url, app = configuration.settings.github.api_url, credentials.app()
        if app is not None:
            return InstalledForge(api_url, app, now=now, up_to_date=up_to_date, limits=known)
        limits = known.setdefault(0, Limits("the token", now))
        return GitHubForge(api_url, credentials.token, now=now, up_to_date=up_to_date, limits=limits)

    return Lane("forge", build, close=lambda forge: forge.close())
