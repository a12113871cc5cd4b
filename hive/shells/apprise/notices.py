"""Messages by Apprise (https://appriseit.com/services has each service's form of address)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from apprise import Apprise, AppriseAsset, LogCapture, NotifyFormat, PersistentStoreMode

from hive.decisions.redaction import redact
from hive.errors import ConfigError, Missing, Refused

_PORT = "notices"
_LONGEST = 300


class AppriseNotices:
    """Implements `ports.notices.Notices`; `urls` gives each channel's address as it is now."""

    def __init__(self, urls: Callable[[], Mapping[str, Callable[[], str]]]) -> None:
        self._urls = urls

    def send(self, channel: str, title: str, body: str) -> None:
        read = self._urls().get(channel)
        if read is None:
            raise Missing(_PORT, f"channel {channel} is not configured")
        try:
            url = read()
        except ConfigError as error:
            raise Refused(_PORT, f"channel {channel}: {error}") from error
        service = _service(url)
        if service is None:
            raise Refused(_PORT, f"channel {channel}: its address is of no service that Apprise knows")
        # Its own reason goes to its log alone.
        with _capture() as log:
            taken = service.notify(title=title, body=body, body_format=NotifyFormat.TEXT)
            said = log.getvalue()
        if not taken:
            raise Refused(_PORT, f"channel {channel} did not take it{_reason(said, url)}")

    def close(self) -> None:
        """Nothing stays open between two messages."""


def url_fault(url: str) -> str:
    """What is wrong with a channel's address; empty where Apprise knows its service. Sends nothing."""
    return "" if _service(url) is not None else "it is of no service that Apprise knows"


def _service(url: str) -> Apprise | None:
    # Nothing is kept on the disk, and escapes in the text are not turned into what they stand for.
    asset = AppriseAsset(storage_mode=PersistentStoreMode.MEMORY, interpret_escapes=False, app_id="hive")
    service = Apprise(asset=asset)
    with _capture():
        return service if service.add(url) else None


def _capture() -> LogCapture:
    """Its warnings, as bare messages."""
    return LogCapture(level=logging.WARNING, fmt="%(message)s")  # type: ignore[no-untyped-call]  # it has none


def _reason(said: str, url: str) -> str:
    lines = said.strip().splitlines()
    if not lines:
        return ""
    secrets = [url, *(part for part in url.replace("://", "/").split("/") if len(part) >= 8)]
    return f": {redact(lines[-1], secrets)[:_LONGEST]}"
