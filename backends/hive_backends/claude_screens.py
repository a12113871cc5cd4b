"""What Claude Code's screen means. Measured on 2.1.197, 2.1.260 and 2.1.332.

The program's chrome stands at column 0: rules, bullets, the spinner, its prompt. What an agent says is
indented below a white bullet; the program's own errors are red behind an elbow, or yellow behind a bullet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.composers import Composer, find_composer, is_rule
from hive_backends.menus import Menu, find_menu
from hive_backends.panes import Pane, Row, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

_SPINNER = re.compile(r"[·✢✳✶✻✽*✺+] (?P<what>\S.*?…)(?: ?\(.*\))?(?: .*)?")
# Signs and verbs change with versions: what counts the seconds of a turn is a spinner whatever its sign.
_UNKNOWN_SPINNER = re.compile(
    r"[^\w\s●⏺❯>!⎿※▎│┃|╭╰─$#%] (?P<what>\S.{0,80}?(?:…|\.\.\.)) ?"
    r"\((?:esc to interrupt\b.*|(?:\d+[hms] ?)+(?: · .*)?)\)(?: .*)?"
)
_RETRYING = re.compile(r"[·✢✳✶✻✽*✺+] .+ · [Rr]etrying(?: in \d+.* · attempt \d+/\d+|….*)")
_RETRIED = re.compile(r"API Error.* · Retrying in \d+ seconds….*")
"""As older versions draw it: behind the elbow, with the spinner turning below."""
_TASKS = re.compile(r"  \d+ tasks? \(\d+ .*\)")
_TASK = re.compile(r"  [◼◻✔✓☐☒▢■□…⎿] .*| {4,}\S.*|")
_NOTICE = re.compile(r"[●⏺] Agent \".*\" failed: ")
"""Of a background agent's end; what stands below it is no tool's output."""
_ENDED = re.compile(r"[✻✢✳✶✽*·] \S+ for (?:\d+[hms] ?)+(?: · .*)?")
_ASIDE = re.compile(r"\s{30,}\S.*|※ .*|▎.*")
_UPPER_EDGE = re.compile(r"▔{20,}")
_BANNER = re.compile(r"(?:╭─── |[ ▐▛█▜▝▘]{3,16})Claude Code v\d+\.\d+\.\d+(?: ─+╮)?")
_ELBOW = "  ⎿  "
# In this order: the more exact one first. Anchored where the program's own words begin.
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile("|".join(patterns)), state)
    for state, patterns in (
        (ScreenState.LIMITED, (r"You(?:'|’)ve (?:hit|reached) your .*limit",)),
        (
            ScreenState.LIMITED,
            (r"(?:Claude(?: AI)?|Opus|Sonnet|Weekly|Session|5-hour)(?: usage)? limit reached",),
        ),
        (
            ScreenState.LIMITED,
            (r"Usage limit reached · .*continu\w+ automatically at", "Automatic continue can"),
        ),
        (ScreenState.OUT_OF_CREDIT, (r"You(?:'|’)re out of extra usage", r"Credit balance (?:is )?too low")),
        (ScreenState.OUT_OF_CREDIT, (r"API Error: 402\b", r"API Error: .*credit balance is too low")),
        (ScreenState.CONTEXT_FULL, ("Prompt is too long", "Context limit reached", "Conversation too long")),
        (
            ScreenState.CONTEXT_FULL,
            (r"API Error: .*(?:prompt is too long|context (?:limit|window))", "Error: Conversation too long"),
        ),
        (ScreenState.CONTEXT_FULL, ("Error during compaction: .*too long",)),
        (ScreenState.LOGGED_OUT, ("Please run /login", "Not logged in", "Invalid API key", "OAuth token")),
        (
            ScreenState.LOGGED_OUT,
            ("OAuth account information", ".* · Run /login", "Your organization has disabled"),
        ),
        (ScreenState.LOGGED_OUT, (r"Login expired", r"API Error: 401\b", r"API Error: .*Please run /login")),
        (ScreenState.LIMITED, (r"API Error: (?:Request rejected \(429\)|429\b)",)),
        (
            ScreenState.FAILED,
            ("API Error\\b", "There's an issue with the selected model", "Request timed out"),
        ),
        (ScreenState.FAILED, ("Unable to connect to API", "Request too large", "This organization has been")),
        (ScreenState.FAILED, (r"Claude [\w.]+ is not available with",)),
    )
)

# What begins like this is the answer to a prompt; the words of commands are behind an elbow as well.
_REFUSED = re.compile(
    r"You(?:'|’)ve (?:exceeded|used (?:up|all of|your))\b"
    r"|(?:[\w'’.-]+ ){0,4}[Ll]imit (?:has been |is )?(?:reached|exceeded)\b"
    r"|Insufficient (?:credits?|quota|balance)|Too many requests"
)


def read_claude(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    composer = find_composer(pane, footer_rows=9)
    if composer:
        return _read_composer(pane, composer, now, zone)
    return _read_dialog(pane, now, zone)


def _read_composer(pane: Pane, composer: Composer, now: datetime, zone: str) -> Screen:
    under_way = _spinning(pane, composer)
    if under_way:
        return under_way
    if not _is_footer(composer.footer):
        return Screen(ScreenState.UNKNOWN, f"a list below the composer: {pane.last_words}")
    if _is_busy(pane, composer):
        return Screen(ScreenState.WORKING)
    failure = _failure(pane, composer.top, now, zone)
    if failure:
        return failure
    if composer.prompt == "!":
        return Screen(ScreenState.UNKNOWN, "shell mode: what is sent runs as a command")
    text = composer.text
    if text.startswith("[Pasted text"):
        return Screen(ScreenState.UNKNOWN, f"a paste in the composer: {text}")
    if text and not (not pane.coloured and re.fullmatch(r'Try ".*"', text)):
        return Screen(ScreenState.UNKNOWN, f"draft in the composer: {text[:80]}")
    return Screen(ScreenState.READY)


def _is_footer(footer: tuple[Row, ...]) -> bool:
    """A list of commands or of shortcuts has more rows, or begins at column 0."""
    return len(footer) <= 4 and all(not row.text or row.indent >= 2 for row in footer)


def _spinning(pane: Pane, composer: Composer) -> Screen | None:
    """What the spinner says, which stands last above the composer: below it only its list of things to do."""
    for at in range(composer.top - 1, -1, -1):
        row = pane.rows[at]
        if _RETRYING.fullmatch(row.text):
            return Screen(ScreenState.RETRYING, row.text[2:])
        spinner = _SPINNER.fullmatch(row.text) or _UNKNOWN_SPINNER.fullmatch(row.text)
        if spinner and not _ENDED.fullmatch(row.text):
            retried = _last_said(pane, at)
            if retried is not None and retried.own and _RETRIED.match(retried.text):
                return Screen(ScreenState.RETRYING, retried.text)
            compacting = spinner["what"].startswith("Compacting")
            state = ScreenState.COMPACTING if compacting else ScreenState.WORKING
            return Screen(state, spinner["what"])
        if re.match(r"[●❯⏺]", row.text) or _ENDED.fullmatch(row.text):
            break
    return None


def _is_busy(pane: Pane, composer: Composer) -> bool:
    hints = " · ".join(row.text.strip() for row in composer.footer)
    if re.search(r"(?:^| · )esc to (?:interrupt|…|i\w*…)", hints):
        return True
    # With a draft in it the hint gives way; the prompt's sign stays grey as long as a turn runs.
    busy = pane.coloured and composer.prompt == "❯" and composer.body[0].style(0).is_grey
    return busy or composer.body[0].text == "❯ Press up to edit queued messages"


@dataclass(frozen=True, slots=True)
class _Said:
    """The last thing above the composer, as one line; `own` when it is the program's word, `sure` when that
    shows without the words themselves."""

    text: str
    own: bool
    sure: bool


def _failure(pane: Pane, top: int, now: datetime, zone: str) -> Screen | None:
    said = _last_said(pane, top)
    if said is None or not said.own:
        return None
    if _RETRIED.match(said.text):
        return Screen(ScreenState.RETRYING, said.text)
    known = next((state for pattern, state in _ERRORS if pattern.match(said.text)), None)
    if known is ScreenState.FAILED or (known is None and said.sure and _REFUSED.match(said.text)):
        known = refusal(said.text) or known
    if known is ScreenState.LIMITED:
        return _limit(pane, top, said.text, now, zone)
    return Screen(known, said.text) if known else None


def _limit(pane: Pane, top: int, said: str, now: datetime, zone: str, menu: Menu | None = None) -> Screen:
    """A limit; where a banner above names its time with a zone, that one counts."""
    at = next((at for at in range(top - 1, -1, -1) if pane.rows[at].text.startswith(_ELBOW)), None)
    if at is not None and _ERRORS[0][0].match(pane.rows[at].text[len(_ELBOW) :]):
        said = _with_wrapped(pane, at, top)
    # A zone's name may be wrapped behind its slash.
    resets_at = reset_time(re.sub(r"(?<=\w)/ (?=\w)", "/", said), now=now, zone=zone)
    if menu is None:
        return Screen(ScreenState.LIMITED, said, resets_at)
    return Screen(ScreenState.LIMITED, said, resets_at, menu.options, menu.chosen)


def _with_wrapped(pane: Pane, at: int, top: int) -> str:
    """What stands behind the elbow in row `at`, with the rows that it was wrapped into; advice below a whole
    banner is none of it."""
    words = [pane.rows[at].text[len(_ELBOW) :]]
    for row in pane.rows[at + 1 : top]:
        text = row.text.strip()
        whole = words[-1].endswith(")") or (re.search(r"[0-9] ?[ap]m$", words[-1]) and text[:1] != "(")
        if row.indent < len(_ELBOW) or text.startswith("/") or whole:
            break
        words.append(text)
    return " ".join(words)


def _above_tasks(pane: Pane, top: int) -> int:
    """The first row of the list of things to do that may stand below a turn that is over; else `top`."""
    for at in range(top - 1, max(top - 30, -1), -1):
        if _TASKS.fullmatch(pane.rows[at].text):
            return at
        if not _TASK.fullmatch(pane.rows[at].text):
            break
    return top


def _last_said(pane: Pane, top: int) -> _Said | None:
    at = _above_tasks(pane, top) - 1
    while at >= 0 and (
        not pane.rows[at].text or _ENDED.fullmatch(pane.rows[at].text) or _ASIDE.fullmatch(pane.rows[at].text)
    ):
        at -= 1
    end = at + 1
    while at >= 0 and pane.rows[at].text and not pane.rows[at].text.startswith(("●", "⏺", "❯", _ELBOW)):
        at -= 1
    if at < 0 or not pane.rows[at].text.startswith(("●", "⏺", _ELBOW)):
        return None
    text = " ".join(row.text.strip() for row in pane.rows[at:end])[1:].strip()
    return _Said(text, _is_own(pane, at), pane.coloured or pane.rows[at].text.startswith(_ELBOW))


def _is_own(pane: Pane, at: int) -> bool:
    row = pane.rows[at]
    if not row.text.startswith(_ELBOW):
        style = row.style(2)
        return not pane.coloured or style.is_tinted or style.is_grey or _is_about_the_model(row)
    if pane.coloured and not row.style(len(_ELBOW)).is_tinted:
        return False
    # An elbow right below a tool's bullet is what the tool printed.
    above = at - 1
    while above >= 0 and pane.rows[above].text.startswith("   "):
        above -= 1
    shown = pane.rows[above].text if above >= 0 else ""
    return not shown.startswith(("●", "⏺", "!")) or _NOTICE.match(shown) is not None


def _is_about_the_model(row: Row) -> bool:
    """The one error that 2.1.197 draws like an agent's words."""
    return (
        re.match(r"[●⏺] There's an issue with the selected model \(\S+\)\. It may not exist", row.text)
        is not None
    )


def _read_dialog(pane: Pane, now: datetime, zone: str) -> Screen:
    edges = [at for at, row in enumerate(pane.rows) if is_rule(row) or _UPPER_EDGE.fullmatch(row.text)]
    # A question has a second rule, before its last option.
    start = next((at for at in edges if _is_top_of_dialog(pane, at)), None)
    welcome = any(
        "Welcome to Claude Code" in row.text or "Let's get started." in row.text for row in pane.rows
    )
    if start is None and not welcome:
        return _read_start(pane)
    rows = [row for row in pane.rows[(start or 0) :] if not is_rule(row)]
    menu = find_menu(rows, max(len(row.text) for row in pane.rows), "❯")
    said = " ".join(row.text for row in rows)
    if re.search(r"Select login method:|Paste code here if prompted|Browser didn't open\?", said):
        return Screen(ScreenState.LOGGED_OUT, "it asks to log in", options=menu.options if menu else ())
    if menu is None or not (welcome or _is_offered(rows, menu)):
        return Screen(ScreenState.UNKNOWN, f"an unknown dialog: {pane.last_words}")
    if any(option.startswith("Stop and wait for limit") for option in menu.options):
        return _limit(pane, start or 0, menu.question, now, zone, menu)
    return Screen(ScreenState.ASKING, menu.question, options=menu.options, chosen=menu.chosen)


def _is_offered(rows: list[Row], menu: Menu) -> bool:
    """Numbered options, or a line below that says how one is chosen: lists of settings have neither."""
    below = " ".join(row.text for row in rows[menu.end :])
    return menu.numbered or re.search(r"\bEnter to \w+", below) is not None


def _is_top_of_dialog(pane: Pane, at: int) -> bool:
    """Below the edge of a dialog nothing is said by anybody, to the end of the screen."""
    below = pane.rows[at + 1 :]
    return bool(below) and not any(re.match(r"[●⏺✻] |  ⎿  ", row.text) for row in below)


def _read_start(pane: Pane) -> Screen:
    if any(_BANNER.fullmatch(row.text) for row in pane.rows[:3]):
        if re.match(r"Resume this session with:|claude --resume ", pane.rows[-1].text):
            return Screen(ScreenState.EXITED, pane.rows[-1].text)
        if len(pane.rows) <= 16 and not any(re.match(r"[●❯⏺]", row.text) for row in pane.rows):
            return Screen(ScreenState.STARTING, "the program is starting")
    return Screen(ScreenState.UNKNOWN, f"the screen is none of Claude Code's: {pane.last_words}")
