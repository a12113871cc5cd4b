"""Failures, named by what to do next.

    HiveError
    ├── ConfigError          exit 2: the operator's input is wrong; the message says where and what to write
    ├── PluginError          exit 2: a plug-in is missing or broken; refuse to start
    ├── StateLocked          exit 2: another supervisor owns this state folder
    ├── JournalError         exit 3: a record could not be written; stop acting
    └── WorldError(port)     exit 3: something outside did not do what was asked
        ├── Unreachable      back off
        ├── Throttled        wait until `retry_at`
        ├── Missing          look again: it is not there
        ├── Moved            look now: it changed since it was judged
        ├── Refused          hold for a person: asking again will not help
        └── InDoubt          it may have happened: look before asking again

A "no" is a `Verdict`, never an exception. Anything else is a bug.
"""

from __future__ import annotations

# Neither typing nor datetime: both are slow to import, and every command imports this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


class HiveError(Exception):
    """Base of all failures that hive understands."""

    exit_code = 1


class ConfigError(HiveError):
    """The operator's input is wrong.

    `source` is the file (or `-`), `line` counts from 1; both may be unknown.
    """

    exit_code = 2

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.source = source
        self.line = line
        super().__init__(message)

    def __str__(self) -> str:
        where = [part for part in (self.source, str(self.line) if self.line else None) if part]
        return ": ".join([":".join(where), self.message]) if where else self.message


class PluginError(HiveError):
    """A plug-in is missing or broken."""

    exit_code = 2


class StateLocked(HiveError):
    """Another supervisor owns this state folder."""

    exit_code = 2


class JournalError(HiveError):
    """The journal could not be read or written; nothing may be done that it would not record."""

    exit_code = 3


class WorldError(HiveError):
    """Something outside did not do what was asked; `port` names which."""

    exit_code = 3

    def __init__(self, port: str, message: str) -> None:
        self.port = port
        self.message = message
        super().__init__(f"{port}: {message}")


class Unreachable(WorldError):
    """It did not answer; back off."""


class GivenUp(Unreachable):
    """The call missed its deadline and may still be going on: what it writes may yet be written."""


class Throttled(WorldError):
    """It asked for patience until `retry_at` (UTC), or for a while where it gave no time."""

    def __init__(self, port: str, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(port, message)
        self.retry_at = retry_at


class Missing(WorldError):
    """It is not there."""


class Moved(WorldError):
    """It changed since it was judged."""


class Refused(WorldError):
    """It said no; asking again will not help."""


class InDoubt(WorldError):
    """It may or may not have happened; look before asking again."""
