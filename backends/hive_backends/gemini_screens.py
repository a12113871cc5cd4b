"""What the Gemini CLI's screen means. Measured on 0.45.2 and 0.61.0.

From below: a footer, the composer on a shaded band, the mode, a rule, and above the rule the spinner. What
the agent says is indented behind a star; errors stand behind a cross at column 0. A dialog is a box that
takes the composer's place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.boxes import find_box
from hive_backends.menus import find_menu
from hive_backends.panes import Pane, Row, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

_RULE = re.compile(r"─{20,}")
_BAND = re.compile(r"[▄▀]{20,}")
_PROMPT = re.compile(r" (?P<sign>[>*!]) {1,3}(?P<text>.*)")
_PLACEHOLDER = "Type your message or @path/to/file"
_SPINNER = re.compile(r" \S .*\(esc to cancel(?:, [\dhms ]+)?\).*")
_COMPRESSING = re.compile(r" ?\S? ?(?:Compressing chat history|Compressing)\b.*")
_SIGN_IN = re.compile(
    r"How would you like to authenticate|Enter Gemini API Key|Waiting for (?:auth|authentication)"
    r"|Enter the authorization code|Sign in with Google to continue|Failed to (?:login|authenticate)"
)
_CODE = r"\"code\W{2,4}"
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile(".*(?:" + "|".join(patterns) + ")"), state)
    for state, patterns in (
        (ScreenState.CONTEXT_FULL, ("exceeds the maximum number of tokens", "context window limit")),
        (
            ScreenState.OUT_OF_CREDIT,
            (_CODE + r"402\b", "credits are depleted", "prepayment", "out of credits"),
        ),
        (
            ScreenState.LOGGED_OUT,
            ("API key not valid", "API_KEY_INVALID", _CODE + r"401\b", "UNAUTHENTICATED"),
        ),
        (ScreenState.LOGGED_OUT, ("API key expired", "use /auth to", "invalid_grant", "expired or revoked")),
        (
            ScreenState.LIMITED,
            ("exhausted your", "[Uu]sage limit reached", _CODE + r"429\b", "RESOURCE_EXHAUSTED"),
        ),
        (ScreenState.LIMITED, ("[Qq]uota exceeded", "exceeded your current quota", "[Rr]ate limit")),
        (ScreenState.FAILED, ("",)),
    )
)


def read_gemini(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    composer = _find_composer(pane)
    if composer:
        return _read_composer(pane, composer, now, zone)
    return _read_dialog(pane, now, zone)


@dataclass(frozen=True, slots=True)
class _Composer:
    """Attributes:
    rule: The row of the rule above it.
    sign: ``>``, ``*`` where everything is allowed, ``!`` in the shell mode.
    """

    rule: int
    sign: str
    text: str
    below: tuple[Row, ...]


def _find_composer(pane: Pane) -> _Composer | None:
    rule = next((at for at in range(len(pane.rows) - 1, -1, -1) if _is_rule(pane.rows[at])), None)
    if rule is None:
        return None
    for at in range(rule + 1, min(rule + 5, len(pane.rows))):
        found = _PROMPT.fullmatch(pane.rows[at].text)
        if found:
            end = at + 1
            while end < len(pane.rows) and pane.rows[end].indent >= 3:
                end += 1
            text = " ".join([found["text"].strip(), *(row.text.strip() for row in pane.rows[at + 1 : end])])
            return _Composer(rule, found["sign"], text.strip(), pane.rows[end:])
    return None


def _is_rule(row: Row) -> bool:
    """Spans the pane. Where colours are many, the band of the composer has edges of half blocks besides."""
    return _RULE.fullmatch(row.text) is not None


def _read_composer(pane: Pane, composer: _Composer, now: datetime, zone: str) -> Screen:
    # Redraws leave rows of the footer behind, any number of times (seen): each counts once.
    below = {row.text for row in composer.below if row.text.strip(" ▄▀")}
    if len(below) > (3 if composer.text[:1] in ("/", "@") else 6) or any(
        not text.startswith(" ") for text in below
    ):
        return Screen(ScreenState.UNKNOWN, f"a list below the composer: {pane.last_words}")
    above = [row.text for row in pane.rows[max(0, composer.rule - 4) : composer.rule]]
    if any(_COMPRESSING.fullmatch(text) for text in above):
        return Screen(ScreenState.COMPACTING, "it compresses the conversation")
    spinner = next((text.strip() for text in above if _SPINNER.fullmatch(text)), "")
    if spinner:
        retrying = re.search(r"\bAttempt \d+/\d+", spinner)
        return (
            Screen(ScreenState.RETRYING, spinner[1:].partition("(esc")[0].strip())
            if retrying
            else Screen(ScreenState.WORKING)
        )
    failure = _failure(pane, composer.rule, now, zone)
    if failure:
        return failure
    if any(re.match(r" Shortcuts See /help", row.text) for row in pane.rows[-24:]):
        return Screen(ScreenState.UNKNOWN, "the list of shortcuts is open")
    if composer.sign == "!":
        return Screen(ScreenState.UNKNOWN, "shell mode: what is sent runs as a command")
    if composer.text == _PLACEHOLDER or not composer.text:
        return Screen(ScreenState.READY)
    kind = "a paste" if composer.text.startswith("[Pasted Text:") else "draft"
    return Screen(ScreenState.UNKNOWN, f"{kind} in the composer: {composer.text[:80]}")


def _failure(pane: Pane, rule: int, now: datetime, zone: str) -> Screen | None:
    """The error that stands last in the conversation; notes behind it explain it."""
    said = _items(pane, rule)
    while said and said[-1].startswith("ℹ") and "Request cancelled" not in said[-1]:
        said.pop()
    if not said or not said[-1].startswith("✕"):
        return None
    text = said[-1][1:].strip()
    state = next(state for pattern, state in _ERRORS if pattern.match(text))
    if state is ScreenState.FAILED:
        state = refusal(text) or state
    resets = reset_time(text, now=now, zone=zone) if state is ScreenState.LIMITED else None
    return Screen(state, text, resets_at=resets)


def _items(pane: Pane, end: int) -> list[str]:
    """The conversation, an entry for each sign at column 0, joined to one line."""
    found: list[str] = []
    for row in pane.rows[:end]:
        if _BAND.fullmatch(row.text):
            continue
        if re.match(r"[✦✕ℹ⚠╭✓] ?", row.text) or re.match(r" > ", row.text):
            found.append(row.text.strip())
        elif row.text and found and row.indent < 60:
            found[-1] += " " + row.text.strip()
    return found


def _read_dialog(pane: Pane, now: datetime, zone: str) -> Screen:
    box = find_box(pane, indent=0) or find_box(pane, indent=1)
    if box is None:
        if len(pane.rows) <= 14 and any(
            re.search(r"Gemini CLI(?: update| v\d|$)", row.text) for row in pane.rows[:8]
        ):
            return Screen(ScreenState.STARTING, "the program is starting")
        return Screen(ScreenState.UNKNOWN, f"the screen is none of Gemini's: {pane.last_words}")
    said = " ".join(row.text.strip() for row in box if row.text)
    menu = find_menu(box, max(len(row.text) for row in box), "●")
    options = menu.options if menu and menu.numbered else ()
    if _SIGN_IN.search(said):
        return Screen(ScreenState.LOGGED_OUT, "it asks to log in", options=options)
    if not options or menu is None or not any(re.match(r"\s*● \d+\. ", row.text) for row in box):
        return Screen(ScreenState.UNKNOWN, f"an unknown dialog: {pane.last_words}")
    limit = re.search(
        r"(?:Usage limit reached for |^ *You(?:'|’)ve (?:reached|hit|used up) your ).*?\.(?= |$)", said
    )
    if limit:
        return Screen(ScreenState.LIMITED, limit[0], reset_time(said, now=now, zone=zone), options)
    return Screen(ScreenState.ASKING, menu.question, options=options, chosen=menu.chosen)
