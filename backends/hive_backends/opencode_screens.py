"""What opencode's screen means. Measured on 1.18.33.

Its composer is a band behind a vertical bar that ends in ``╹▀▀▀``; the band's last row names the mode and the
model, the row below the band says what is under way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.panes import Pane, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

_EDGE = re.compile(r"(?P<left>\s*)╹▀{20,}\s*")
_BUSY = re.compile(r"\besc (?:again to )?interrupt\b")
_RETRY = re.compile(r".*\[?retrying (?:in \d+\w*|attempt)|.*attempt #\d+", re.I)
_SUGGESTION = re.compile(r"Ask anything….*|Run a command….*")
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile(".*(?:" + "|".join(patterns) + ")", re.I), state)
    for state, patterns in (
        (ScreenState.CONTEXT_FULL, ("context window", "context length", "prompt is too long")),
        (ScreenState.OUT_OF_CREDIT, ("payment required", r"\b402\b", "credit balance", "insufficient.quota")),
        (ScreenState.LOGGED_OUT, ("api key", "unauthorized", r"\b401\b", "auth login", "authentication")),
        (ScreenState.LIMITED, ("rate limit", "too many requests", "usage limit", r"\b429\b")),
        (ScreenState.FAILED, ("",)),
    )
)


@dataclass(frozen=True, slots=True)
class _Band:
    """Attributes:
    top: First row of the band.
    text: What is typed into it.
    below: The row under it.
    """

    top: int
    column: int
    rows: tuple[str, ...]
    below: str


def read_opencode(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    band = _find_band(pane)
    if band is None:
        return _read_dialog(pane)
    if "ctrl+p commands" not in band.below and not _BUSY.search(band.below):
        return Screen(ScreenState.UNKNOWN, f"an unknown footer: {band.below.strip()}")
    if _BUSY.search(band.below):
        if _RETRY.match(band.below):
            return Screen(ScreenState.RETRYING, band.below.strip())
        return Screen(ScreenState.WORKING)
    failure = _failure(pane, band, now, zone)
    if failure:
        return failure
    return _read_text(band)


def _find_band(pane: Pane) -> _Band | None:
    at = next((at for at in range(len(pane.rows) - 1, -1, -1) if _EDGE.fullmatch(pane.rows[at].text)), None)
    if at is None or sum(1 for row in pane.rows[at + 1 :] if row.text) > 5:
        return None
    column = pane.rows[at].indent
    top = at
    while top > 0 and pane.rows[top - 1].text[column : column + 1] == "┃":
        top -= 1
    rows = tuple(row.text[column + 1 :].strip() for row in pane.rows[top:at])
    below = next((row.text for row in pane.rows[at + 1 :] if row.text), "")
    return _Band(top, column, rows, below) if rows else None


def _read_text(band: _Band) -> Screen:
    words = " ".join(row for row in band.rows[:-1] if row)
    if re.match(r"Shell\b", band.rows[-1]):
        return Screen(ScreenState.UNKNOWN, "shell mode: what is sent runs as a command")
    if not words or _SUGGESTION.fullmatch(words):
        return Screen(ScreenState.READY)
    kind = "a paste" if words.startswith("[Pasted") else "draft"
    return Screen(ScreenState.UNKNOWN, f"{kind} in the composer: {words[:80]}")


def _failure(pane: Pane, band: _Band, now: datetime, zone: str) -> Screen | None:
    """An error stands last in the conversation, behind a bar of its own; what the agent says has no bar."""
    at = band.top - 1
    while at >= 0 and not pane.rows[at].text.strip():
        at -= 1
    end = at
    while at >= 0 and pane.rows[at].text.strip().startswith("┃"):
        at -= 1
    block = pane.rows[at + 1 : end + 1]
    if not block or (pane.coloured and not block[0].first.is_tinted):
        return None
    text = " ".join(row.text.strip(" ┃") for row in block).strip()
    if not text or (
        not pane.coloured and not re.match(r"(?:AI_\w+|\w*Error|Error|Unauthorized|[A-Z]\w+ ?:)", text)
    ):
        return None
    state = next(state for pattern, state in _ERRORS if pattern.match(text))
    if state is ScreenState.FAILED:
        state = refusal(text) or state
    resets = reset_time(text, now=now, zone=zone) if state is ScreenState.LIMITED else None
    return Screen(state, text, resets_at=resets)


def _read_dialog(pane: Pane) -> Screen:
    for at in range(max(0, len(pane.rows) - 4), len(pane.rows)):
        text = pane.rows[at].text.strip(" ┃")
        framed = pane.rows[at].text.lstrip().startswith("┃")
        if framed and re.search(r"Allow once\s+Allow always\s+Reject", text):
            options = tuple(re.split(r"\s{2,}", re.split(r"\s{4,}", text)[0]))
            asked = _permission(pane, at)
            if asked:
                return Screen(ScreenState.ASKING, asked, options=options)
    return Screen(ScreenState.UNKNOWN, f"the screen is none of opencode's: {pane.last_words}")


def _permission(pane: Pane, at: int) -> str:
    for above in range(at, max(-1, at - 14), -1):
        found = re.search(r"△\s+Permission required", pane.rows[above].text)
        if found:
            words = [row.text.strip(" ┃←→") for row in pane.rows[above + 1 : at]]
            return "Permission required: " + " ".join(word for word in words if word)
    return ""
