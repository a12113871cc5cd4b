"""What tmux says of a session, and how hive's marks are kept on it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlencode

from hive.facts.agents import PaneSighting
from hive.shells.tmux.keys import Keys

MARKS = "@hive_marks"

_FIELDS = (
    "pane_pid",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "session_created",
    "window_width",
    "window_height",
    "session_attached",
    "window_activity",
    "session_id",
    "pid",
    MARKS,
    "session_name",
)
# A comma: numbers and percent-encoded marks hold none, and a foreign session's name may: it stands last.
FORMAT = ",".join(f"#{{{name}}}" for name in _FIELDS)
# tmux counts sessions anew when its server starts anew: its pid and the second of the start tell them apart.
IDENTITY = "#{session_id}.#{pid}.#{session_created}"


def identity_of(session: str, server: str, created: str) -> str:
    """What `IDENTITY` gives for this session."""
    return f"{session}.{server}.{created}"


def marks_entry(marks: Mapping[str, str]) -> str:
    """Encode `marks` as an entry that is appended to those already there: later entries win.

    Appending needs no look at what is there, so a mark can be set in one step with a paste.
    """
    return "&" + urlencode(marks) if marks else ""


def read_marks(text: str) -> dict[str, str]:
    """Fold entries; an empty value takes a mark away."""
    folded = dict(parse_qsl(text, keep_blank_values=True))
    return {name: value for name, value in folded.items() if value}


def read_sighting(line: str, *, look: int, at: int, keys: Mapping[str, Keys]) -> PaneSighting:
    """Read one line in `FORMAT`, seen by hive's look number `look` at `at` (the server's clock); `keys` are
    people's newest ones, by session.

    tmux notes a window's activity in whole seconds. A stamp that is younger than two seconds may therefore
    stand for output that is still to come; such a sighting gets an activity of its own, as `git` does with
    files as young as its index.
    """
    pid, dead, status, signal, created, columns, rows, attached, active, session, server, marks, name = (
        line.split(",", 12)
    )
    is_dead = dead == "1"
    age = at - int(active or at)
    fresh = age < 2
    typed = keys.get(name)
    return PaneSighting(
        name=name,
        pid=int(pid or 0),
        dead=is_dead,
        created_at=datetime.fromtimestamp(int(created), UTC),
        columns=int(columns),
        rows=int(rows),
        exit_status=int(status) if is_dead and status and not signal else None,
        exit_signal=int(signal) if is_dead and signal else None,
        marks=read_marks(marks),
        activity=f"{active}/{look}" if fresh else active,
        attached=int(attached or 0),
        identity=identity_of(session, server, created),
        quiet=timedelta(seconds=max(0, age - 1)),  # both are seconds without their fractions
        typed_at=typed.at if typed else None,
        typed_by=typed.by if typed else "",
    )
