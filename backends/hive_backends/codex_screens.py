"""What the Codex CLI's screen means. Measured on 0.171.0.

Its composer is a bold ``›`` at column 0 without any frame, below it a blank row and the footer. While text
streams nothing else shows that a turn runs: a turn that is over leaves ``Worked for …`` or a black square.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.menus import find_menu
from hive_backends.panes import Pane, Row, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

# Its sign turns, and changes with versions.
_WORKING = re.compile(r"[^\w\s›!■] (?P<what>\S.*?) \((?:\d+h )?(?:\d+m )?\d+s • esc to interrupt\).*")
_FOOTER = re.compile(r"  \S.*| {40,}\S.*")
_OVER = re.compile(r"  Worked for <?\d.*|─ Worked for .*")
_PLACEHOLDER = "Ask Codex to do anything"
_SIGN_IN = re.compile(r"Sign in with ChatGPT|Choose how you want to use Codex|Paste or type your API key")
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile(".*(?:" + "|".join(patterns) + ")"), state)
    for state, patterns in (
        (ScreenState.CONTEXT_FULL, ("context window", "context_length_exceeded", "ran out of room")),
        (
            ScreenState.OUT_OF_CREDIT,
            (r"\b402\b", "[Qq]uota exceeded", "exceeded your current quota", "of credits"),
        ),
        (
            ScreenState.LIMITED,
            ("You(?:'|’)ve hit your usage limit", "usage limit", r"\b429\b", "[Rr]ate limit"),
        ),
        (ScreenState.LOGGED_OUT, (r"\b401\b", "log ?in again", "sign in again", "[Ii]ncorrect API key")),
        (ScreenState.FAILED, ("",)),
    )
)
_NO_ERRORS = re.compile(r"Conversation interrupted|.*turn (?:was )?interrupted")


def read_codex(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    composer = _find_composer(pane)
    if composer:
        return _read_composer(pane, composer, now, zone)
    return _read_dialog(pane)


@dataclass(frozen=True, slots=True)
class _Composer:
    """Attributes:
    at: Its first row.
    text: Empty where only a suggestion stands in it.
    """

    at: int
    sign: str
    text: str
    footer: tuple[Row, ...]


def _find_composer(pane: Pane) -> _Composer | None:
    rows = pane.rows
    at = next((at for at in range(len(rows) - 1, -1, -1) if re.match(r"[›!](?: |$)", rows[at].text)), None)
    if at is None or re.match(r"› \d+\. ", rows[at].text):
        return None
    end, footer = _find_footer(rows, at)
    row = rows[at]
    words = [row.text[1:], *(following.text for following in rows[at + 1 : end])]
    suggests = end == at + 1 and len(row.text) > 3 and row.style(3).faint
    text = "" if suggests else " ".join(" ".join(words).split())
    # Below a draft of several rows the footer is blank; an empty composer has one.
    if not footer and (not text or any(re.match(r"\S", below.text) for below in rows[at + 1 :])):
        return None
    return _Composer(at, row.text[0], text, footer)


def _find_footer(rows: tuple[Row, ...], at: int) -> tuple[int, tuple[Row, ...]]:
    """The end of the composer that begins in row `at`, and the footer: the last block of rows, as a draft may
    have blank rows of its own."""
    blank = next((blank for blank in range(len(rows) - 1, at, -1) if not rows[blank].text), len(rows))
    footer = rows[blank + 1 :]
    if (
        not 1 <= len(footer) <= 3
        or not all(_FOOTER.fullmatch(row.text) for row in footer)
        or not any(" · " in row.text or "for shortcuts" in row.text for row in footer)
    ):
        blank, footer = len(rows), ()
    while blank > at + 1 and not rows[blank - 1].text:
        blank -= 1
    return blank, footer


def _read_composer(pane: Pane, composer: _Composer, now: datetime, zone: str) -> Screen:
    footer = " · ".join(row.text.strip() for row in composer.footer)
    if "Waiting for startup" in footer:
        return Screen(ScreenState.STARTING, "the program is starting")
    above = [row.text for row in pane.rows[max(0, composer.at - 16) : composer.at]]
    for text in reversed(above):
        working = _WORKING.fullmatch(text)
        if working:
            return _under_way(working["what"], above)
    if composer.text.startswith("/"):
        return Screen(ScreenState.UNKNOWN, f"a command in the composer: {composer.text[:80]}")
    said = _last_said(pane, composer.at)
    if said.startswith("■ ") and not _NO_ERRORS.match(said[2:]):
        return _failed(said[2:], now, zone)
    if re.match(r"[•›] ", said) and not re.match(r"• (?:Context compacted|Model changed|Permissions)", said):
        return Screen(ScreenState.WORKING)
    if composer.sign == "!" or "Shell mode" in footer:
        return Screen(ScreenState.UNKNOWN, "shell mode: what is sent runs as a command")
    if composer.text and not (not pane.coloured and composer.text == _PLACEHOLDER):
        kind = "a paste" if composer.text.startswith("[Pasted Content") else "draft"
        return Screen(ScreenState.UNKNOWN, f"{kind} in the composer: {composer.text[:80]}")
    return Screen(ScreenState.READY)


def _under_way(what: str, above: list[str]) -> Screen:
    if re.match(r"(?:Reconnecting|Retrying)", what) or any(
        re.search(r"Reconnecting\.\.\. \d+/\d+", text) for text in above
    ):
        return Screen(ScreenState.RETRYING, what)
    if what.startswith("Compacting"):
        return Screen(ScreenState.COMPACTING, what)
    return Screen(ScreenState.WORKING)


def _failed(text: str, now: datetime, zone: str) -> Screen:
    state = next(state for pattern, state in _ERRORS if pattern.match(text))
    if state is ScreenState.FAILED:
        state = refusal(text) or state
    resets = reset_time(text, now=now, zone=zone) if state is ScreenState.LIMITED else None
    return Screen(state, text, resets_at=resets)


def _last_said(pane: Pane, end: int) -> str:
    """The last entry of the conversation, as one line; empty when there is none, or its turn is over."""
    at = end - 1
    while at >= 0 and not pane.rows[at].text:
        at -= 1
    last = at
    while at >= 0 and not re.match(r"[•■›⚠] ", pane.rows[at].text):
        if _OVER.match(pane.rows[at].text) or re.match(r"  >_ ", pane.rows[at].text):
            return ""
        at -= 1
    return (
        " ".join(row.text.strip() for row in pane.rows[max(at, 0) : last + 1] if row.text) if at >= 0 else ""
    )


def _read_dialog(pane: Pane) -> Screen:
    said = " ".join(row.text.strip() for row in pane.rows)
    width = max(len(row.text) for row in pane.rows)
    menu = find_menu(pane.rows, width, "›") or find_menu(pane.rows, width, ">")
    options = menu.options if menu and menu.numbered else ()
    if options and _SIGN_IN.search(said):
        return Screen(ScreenState.LOGGED_OUT, "it asks to log in", options=options)
    hint = pane.rows[-1].text.strip()
    offered = re.match(
        r"(?:Press )?enter (?:to )?(?:select|continue|confirm)|press enter to (?:confirm|continue)",
        hint,
        re.I,
    )
    marked = any(re.match(r"›\s+\d+\. ", row.text) for row in pane.rows)
    if menu and options and offered and marked:
        return Screen(ScreenState.ASKING, menu.question, options=options, chosen=menu.chosen)
    if any(re.match(r"  >_ OpenAI Codex|╭─.*", row.text) for row in pane.rows[:4]) and len(pane.rows) < 12:
        return Screen(ScreenState.UNKNOWN, f"an unknown dialog: {pane.last_words}")
    return Screen(ScreenState.UNKNOWN, f"the screen is none of Codex's: {pane.last_words}")
