"""What carries a control connection's bytes: a client process of this machine, or one in a pod."""

from __future__ import annotations

from typing import Protocol


class ChannelBroken(Exception):
    """The channel takes nothing more; the text says why, where that is known.

    Attributes:
        untouched: Whether nothing at all of what was to be written has gone out.
    """

    def __init__(self, why: str = "", *, untouched: bool = False) -> None:
        super().__init__(why)
        self.untouched = untouched


class Channel(Protocol):
    """Input and output of one control client. One thread reads, any one at a time writes."""

    def read(self) -> bytes:
        """What has come, at least a byte; ``b""`` at the end, and soon after `end`. Raises `OSError`, or
        `WorldError`, when the way to the client broke."""
        ...

    def write(self, data: bytes, deadline: float) -> None:
        """Hand over all of `data` before `deadline` (monotonic seconds). Raises `ChannelBroken`."""
        ...

    def last_words(self) -> str:
        """Why the client ended, in its own words; empty where it said nothing beside control mode."""
        ...

    def end(self) -> None:
        """Let go of the client, and wake the reader. From any thread; idempotent."""
        ...

    def release(self) -> None:
        """Give back what is left, once nobody reads any more. Idempotent."""
        ...
