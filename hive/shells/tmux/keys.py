"""Who types in which session, from what tmux says of its clients."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

_FIELDS = (
    "client_activity",
    "client_created",
    "client_readonly",
    "client_control_mode",
    "client_user",  # tmux 3.2 knows no such name and gives nothing
    "client_session",
)
# A comma: only a session's name may hold one, and it stands last.
CLIENT_FORMAT = ",".join(f"#{{{name}}}" for name in _FIELDS)


@dataclass(frozen=True, slots=True)
class Keys:
    """The newest key in one session: when (tmux's clock, whole seconds), and whose; empty where unknown."""

    at: datetime
    by: str


def read_keys(lines: Iterable[str]) -> dict[str, Keys]:
    """By session, from lines in `CLIENT_FORMAT`.

    Programs (control mode) and onlookers (read-only) type nothing. A client is active by being there when it
    is made, so only what is newer than that is a key.
    """
    newest: dict[str, Keys] = {}
    for line in lines:
        if not line:
            continue
        active, created, readonly, control, user, session = line.split(",", 5)
        if readonly == "1" or control == "1" or int(active) <= int(created):
            continue
        at = datetime.fromtimestamp(int(active), UTC)
        if session not in newest or at > newest[session].at:
            newest[session] = Keys(at, user)
    return newest
