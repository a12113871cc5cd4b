"""What a sandbox proves itself with, as the controller needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Credentials(Protocol):
    """Of sandboxes; `request` is ``NAMESPACE/NAME``. None of it ever reaches the hub, a log or a message.

    All methods raise `JournalError` where nothing can be recorded; then nothing changed.
    """

    def mint(self, request: str, cluster: str) -> Mapping[str, bytes]:
        """New data for the Secret of the sandbox's copy on `cluster`; what was minted before is void."""
        ...

    def is_current(self, request: str, cluster: str, data: Mapping[str, bytes]) -> bool:
        """Whether `data`, as it was found in that Secret, is still good in all its parts."""
        ...

    def revoke(self, request: str, cluster: str) -> None:
        """The copy is gone, or written off. Content when there is nothing to revoke."""
        ...
