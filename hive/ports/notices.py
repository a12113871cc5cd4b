"""Channels on which people are told what waits for them."""

from __future__ import annotations

from typing import Protocol


class Notices(Protocol):
    def send(self, channel: str, title: str, body: str) -> None:
        """Have `channel` (its name in the configuration) take one message of plain text.

        Raises `Refused` when it does not take it, `Unreachable` when it cannot be reached, and `Missing`
        for a channel that is not configured. The failure names no address: it may hold a secret.
        """
        ...

    def close(self) -> None: ...
