"""What waits for a person, and what people were told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NeedKind(StrEnum):
    """Why a person is needed."""

    APPROVAL = "approval"
    """An action of an agent is held."""
    HELD = "held"
    """A pull request waits for nothing but the release of hive's hold."""
    ASKING = "asking"
    BLOCKED = "blocked"
    LOGGED_OUT = "logged-out"
    OUT_OF_CREDIT = "out-of-credit"
    LIMITED = "limited"
    """An agent has been parked by a usage limit for long."""
    STUCK = "stuck"
    """Hive has given up on an agent or an issue."""
    SANDBOX = "sandbox"
    """No cluster takes an agent's pod."""
    UNREACHABLE = "unreachable"
    ISOLATION = "isolation"
    """Agents are kept apart less than was asked for, or not started for it."""
    BUDGET = "budget"
    MERGING = "merging"
    """Nothing is merged in a repository: its base went red."""
    REFUSED = "refused"
    """Hive's own gate lets nothing of some agents through any more."""
    INCIDENT = "incident"
    CONFIGURATION = "configuration"
    """The file has changed and is wrong; the old one is in force."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that waits for a person.

    Attributes:
        key: The same as long as it is the same: ``asking/quality``.
        about: An agent, ``o/r#7``, a hold, a port.
        text: One line; may hold others' words, so it is cleaned before it goes anywhere.
        command: What deals with it, to be typed in a shell.
        agent, repo: For channels that take only some; empty where it is about none.
    """

    key: str
    kind: NeedKind
    about: str
    text: str
    command: str
    agent: str = ""
    repo: str = ""


@dataclass(frozen=True, slots=True)
class NeedMemory:
    """A need as the journal has it.

    Attributes:
        since: When it was first seen; coming back soon after it went does not make it another.
        cleared_at: When it was seen gone; `None` while it stands.
        told: By channel, when it was last sent there.
    """

    need: Need
    since: datetime
    cleared_at: datetime | None = None
    told: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChannelMemory:
    """A channel of notices.

    Attributes:
        sent: When messages went out, of the last hour, oldest first.
        failures: In a row; `failed_at` is of the last.
        underway: Ids of messages begun that have no outcome.
    """

    sent: tuple[datetime, ...] = ()
    failures: int = 0
    failed_at: datetime | None = None
    failure: str = ""
    underway: tuple[str, ...] = ()
