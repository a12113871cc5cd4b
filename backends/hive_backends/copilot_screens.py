"""What the GitHub Copilot CLI's screen means. Measured on 1.0.75 and 1.0.102.

Its composer stands between two rules, the folder above, one footer below; a turn under way shows in the
footer alone. Dialogs are boxes over the whole width at the very bottom. Its errors are behind a red cross.
"""

from __future__ import annotations

import re
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.boxes import find_box
from hive_backends.composers import Composer, find_composer
from hive_backends.menus import find_menu
from hive_backends.panes import Pane, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

_FOOTER = re.compile(r" (?!any key|↑/↓|[❯•] )\S.*")
# Its sign turns, and changes with versions.
_WORKING = re.compile(r" [^\w\s❯>/] (?P<what>Working|Thinking|Cancelling|Compacting)\b.*")
_LOADING = re.compile(r" ● Loading\b.*")
_BAR = re.compile(r"\s*[┃│█▐]$")
_TABS = re.compile(r" \[(?:Current|Session)\] .*Issues.*Gists")
_RETRYING = re.compile(
    r"(?:Request failed due to a transient API error|Response was interrupted due to .*)\. Retrying\.\.\."
)
_LIMIT_MENU = re.compile(r"\s*(?:You(?:'|’)ve (?:hit|reached) your|(?:Usage|Rate) limit reached)\b")
_LOGIN = re.compile(
    r"Please use /login to sign in to use Copilot|You must be logged in|Authentication token found but"
)
_CODE = r"(?:CAPIError: )?"
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile("|".join(patterns)), state)
    for state, patterns in (
        (
            ScreenState.LOGGED_OUT,
            (_CODE + r"401\b", r"Authentication failed with provider .*\(HTTP 401\)", r".*/login\b"),
        ),
        (
            ScreenState.LOGGED_OUT,
            (".*not authenticated", ".*could not be validated", "Authentication required"),
        ),
        (ScreenState.OUT_OF_CREDIT, (_CODE + r"402\b", r".*no (?:quota|AI credits) (?:left|remaining)")),
        (ScreenState.OUT_OF_CREDIT, (".*exceeded your current quota", ".*insufficient_quota")),
        (ScreenState.OUT_OF_CREDIT, (".*premium requests? .*(?:exceeded|used up)",)),
        (
            ScreenState.CONTEXT_FULL,
            (_CODE + r"4(?:00|13)\b.*(?i:maximum context|context.length|too (?:long|large))",),
        ),
        (ScreenState.CONTEXT_FULL, (r".*prompt token count of \d+ exceeds the limit",)),
        (
            ScreenState.LIMITED,
            (r".*You(?:'|’)ve hit your", ".*[Rr]ate limit", ".*rate-limited", ".*usage limit"),
        ),
        (ScreenState.LIMITED, (_CODE + r"429\b", r".*Last error: (?:CAPIError: )?429\b")),
        (ScreenState.FAILED, (_CODE + r"[45]\d\d\b", "Failed to get response", r".*\(HTTP \d+\)")),
        (
            ScreenState.FAILED,
            (
                r"(?:(?:Execution|Model call|Request) failed|\w*Error|Unable to|Response was interrupted)\b",
                r"Model \S+ is not\b",
            ),
        ),
    )
)


def read_copilot(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    composer = find_composer(pane, footer_rows=2)
    if composer:
        return _read_composer(pane, composer, now, zone)
    return _read_dialog(pane, now, zone)


def _read_composer(pane: Pane, composer: Composer, now: datetime, zone: str) -> Screen:
    footer = composer.footer[0].text if composer.footer else ""
    rest = [row.text for row in composer.footer[1:] if row.text]
    if rest or (footer and not _FOOTER.fullmatch(footer)):
        return Screen(ScreenState.UNKNOWN, f"an unknown footer: {(rest or [footer])[-1].strip()}")
    said, own = _last_said(pane, composer.top)
    working = _WORKING.fullmatch(footer)
    if working:
        if working["what"] == "Compacting" or (own and said.startswith("Compacting")):
            return Screen(ScreenState.COMPACTING, said)
        if own and _RETRYING.match(said):
            return Screen(ScreenState.RETRYING, said)
        return Screen(ScreenState.WORKING)
    if _LOGIN.match(_above(pane, composer.top)):
        return Screen(ScreenState.LOGGED_OUT, _above(pane, composer.top))
    if _LOADING.fullmatch(footer):
        return Screen(ScreenState.STARTING, footer.strip())
    failed = _failed(said) if own else None
    if failed is not None:
        resets = reset_time(said, now=now, zone=zone) if failed is ScreenState.LIMITED else None
        return Screen(failed, said, resets_at=resets)
    return _read_text(composer)


def _failed(said: str) -> ScreenState | None:
    """What an error means; None for what is none, and for a notice."""
    if said.startswith(("●", "Compacting")) or _RETRYING.match(said):
        return None
    known = next((state for pattern, state in _ERRORS if pattern.match(said)), None)
    return (refusal(said) or known) if known in (None, ScreenState.FAILED) else known


def _read_text(composer: Composer) -> Screen:
    text = composer.text
    if composer.prompt == "!":
        return Screen(ScreenState.UNKNOWN, "shell mode: what is sent runs as a command")
    if re.match(r"\[Paste #\d+", text):
        return Screen(ScreenState.UNKNOWN, f"a paste in the composer: {text}")
    if text:
        return Screen(ScreenState.UNKNOWN, f"draft in the composer: {text[:80]}")
    return Screen(ScreenState.READY)


def _above(pane: Pane, top: int) -> str:
    """The row above the folder that stands over the composer."""
    rows = [_BAR.sub("", row.text).strip() for row in pane.rows[max(0, top - 4) : top]]
    return next((row for row in reversed(rows[:-1]) if row), "")


def _last_said(pane: Pane, top: int) -> tuple[str, bool]:
    """The last thing above the composer's folder, as one line, and whether it is the program's own word:
    behind a red cross, or a known notice of its own behind a blue bullet."""
    rows = [(row, _BAR.sub("", row.text)) for row in pane.rows[:top]]
    end = len(rows) - 1  # the folder
    while end > 0 and not rows[end - 1][1]:
        end -= 1
    at = end - 1
    while at >= 0 and rows[at][1] and not re.match(r" [●✗❯○] ", rows[at][1]):
        at -= 1
    if at < 0 or not re.match(r" [●✗] ", rows[at][1]):
        return "", False
    text = " ".join(text.strip() for _, text in rows[at:end])
    row = rows[at][0]
    if text.startswith("✗"):
        return text[1:].strip(), not pane.coloured or row.style(1).is_tinted
    own = _RETRYING.match(text[1:].strip()) or re.match(r"● Compacting", text)
    return text[1:].strip(), bool(own)


def _read_dialog(pane: Pane, now: datetime, zone: str) -> Screen:
    box = find_box(pane, indent=0)
    menu = find_menu(box, max(len(row.text) for row in box), "❯") if box else None
    if menu:
        said = " ".join(row.text.strip() for row in box or ())
        if _LIMIT_MENU.match(said) and not menu.question.startswith("Do you want"):
            resets = reset_time(said, now=now, zone=zone)
            return Screen(ScreenState.LIMITED, menu.question, resets, menu.options, menu.chosen)
        if re.search(r"What account do you want to log into|log in with|/login", said):
            return Screen(ScreenState.LOGGED_OUT, menu.question, options=menu.options)
        return Screen(ScreenState.ASKING, menu.question, options=menu.options, chosen=menu.chosen)
    if _TABS.match(pane.rows[0].text):
        if len(pane.rows) <= 14 and not any(re.match(r" [❯✗] ", row.text) for row in pane.rows):
            return Screen(ScreenState.STARTING, "the program is starting")
        return Screen(ScreenState.UNKNOWN, f"an unknown dialog: {pane.last_words}")
    return Screen(ScreenState.UNKNOWN, f"the screen is none of Copilot's: {pane.last_words}")
