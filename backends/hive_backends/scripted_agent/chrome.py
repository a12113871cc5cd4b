"""The chrome at the bottom of the screen, from what the program is doing just now."""

from __future__ import annotations

from collections.abc import Callable

from hive_backends.scripted_agent import drawing
from hive_backends.scripted_agent.activity import Activity, Box

SPIN_SECONDS = 0.25

_READY = "enter to send · ctrl-d to exit"
_LEAVING = "ctrl-c again to exit"
_CHOICE = "↑/↓ to move · enter to choose"


def box(asked: Box, columns: int, redact: Callable[[str], str]) -> list[str]:
    """A box that waits for a choice, in the composer's place."""
    if asked.strange:
        return ["", redact(asked.question), "", "  ".join(f"[{option}]" for option in asked.options)]
    framed = drawing.choice(redact(asked.question), asked.options, asked.selected, columns)
    return ["", *framed, drawing.footer(_CHOICE, columns)]


def composer(status: str, draft: str, hint: str, columns: int) -> list[str]:
    """The composer below its status, if there is one."""
    rows = drawing.status_rows(status, columns, _colour(status)) if status else []
    return ["", *rows, *drawing.composer(draft, columns), drawing.footer(hint, columns)]


def hint(*, leaving: bool, queued: int) -> str:
    """What the footer says."""
    if leaving:
        return _LEAVING
    return f"{queued} queued" if queued else _READY


def working(activity: Activity, now: float) -> str:
    """The status of a turn under way."""
    if activity.status.startswith("↻"):
        left = max(0, round((activity.wake_at or now) - now))
        return f"{activity.status} · retrying in {left}s"
    passed = now - activity.began
    glyph = drawing.SPINNER[int(passed / SPIN_SECONDS) % len(drawing.SPINNER)]
    what = activity.status.lstrip("✻ ") or "Working…"
    return f"{glyph} {what} ({int(passed)}s · esc to interrupt)"


def _colour(status: str) -> str:
    if status[0] == "✗":
        return drawing.RED
    return drawing.YELLOW if status[0] in "■↻" else drawing.CYAN
