"""What goose's screen means, from its published source and documentation: it could not be run here.

goose is a line-by-line program: a prompt ``( O)>`` as the last row, a spinner or a list of choices in its
place, and everything said above. While it streams nothing marks a turn but that the prompt has not come back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from hive.facts.screens import Screen, ScreenState
from hive_backends.panes import Row, read_pane
from hive_backends.refusals import refusal
from hive_backends.reset_times import reset_time

_PROMPT = re.compile(r"(?:\( O\)>|🪿)(?: (?P<text>.*))?")
_SPINNER = re.compile(r"[◒◐◓◑]\s+(?P<what>\S.*?)(?:\s+\(Ctrl\+C to interrupt\))?")
_STATUS_BAR = re.compile(
    r"  🪿 .*|  ⏵ \w+ mode\b.*|Context: [○●◌]+ .*|  [━╌]+ \d+% .*|\s*⏱️?.*Elapsed time: .*"
)
_BANNER = re.compile(
    r"(?:starting|resuming) session \| provider: .*|.*● (?:new session|resuming|ephemeral) · .*"
    r"|\s+(?:L L\s+)?[Gg]oose is (?:ready|running).*|[Gg]oose is running! .*"
    r"|\s+(?:session id|logging to|working directory): .*"
)
_TOOL = re.compile(r"─── \S.* \| \S+ ─+|  ▸ \S+.*|  ─{20,}")
_ASKS = re.compile(r"◆\s+(?P<question>\S.*)")
_CHOICE = re.compile(r"│\s+[●○] (?P<label>.+)")
_ERROR = re.compile(r"(?:Ran into this error|  error): (?P<text>.*)")
_ERRORS: tuple[tuple[re.Pattern[str], ScreenState], ...] = tuple(
    (re.compile(".*(?:" + "|".join(patterns) + ")", re.I), state)
    for state, patterns in (
        (ScreenState.CONTEXT_FULL, ("context length", "context limit", "context window")),
        (
            ScreenState.OUT_OF_CREDIT,
            (r"\b402\b", "credits? (?:exhausted|balance)", "insufficient[ _](?:quota|f)"),
        ),
        (ScreenState.LOGGED_OUT, ("authentication", r"\b401\b", "invalid api key", "goose configure")),
        (ScreenState.LIMITED, ("rate limit", r"\b429\b", "usage limit", "quota")),
        (ScreenState.FAILED, ("",)),
    )
)


def read_goose(capture: str, *, now: datetime, zone: str) -> Screen:
    pane = read_pane(capture)
    unread = pane.without_program
    if unread is not None:
        return unread
    rows = list(pane.rows)
    while rows and (not rows[-1].text or _STATUS_BAR.fullmatch(rows[-1].text)):
        rows.pop()
    if not rows:
        return Screen(ScreenState.UNKNOWN, pane.last_words)
    prompt = _PROMPT.fullmatch(rows[-1].text)
    if prompt:
        return _read_prompt(rows[:-1], (prompt["text"] or "").strip(), now, zone)
    return _read_choices(rows) or _read_turn(rows)


def _read_prompt(above: Sequence[Row], text: str, now: datetime, zone: str) -> Screen:
    if text:
        return Screen(ScreenState.UNKNOWN, f"draft in the composer: {text[:80]}")
    return _failure(above, now, zone) or Screen(ScreenState.READY)


def _failure(above: Sequence[Row], now: datetime, zone: str) -> Screen | None:
    """An error that is the last thing said; it may be followed by the advice to try again."""
    said: list[str] = []
    for row in reversed(above):
        if _STATUS_BAR.fullmatch(row.text) or (not row.text and not said):
            continue
        if _PROMPT.match(row.text) or _TOOL.fullmatch(row.text):
            return None
        said.insert(0, row.text.strip())
        error = _ERROR.fullmatch(row.text)
        if error:
            text = " ".join([error["text"], *filter(None, said[1:])])
            state = next(state for pattern, state in _ERRORS if pattern.match(error["text"]))
            if state is ScreenState.FAILED:
                state = refusal(error["text"]) or state
            resets = reset_time(text, now=now, zone=zone) if state is ScreenState.LIMITED else None
            return Screen(state, error["text"], resets_at=resets)
        if len([each for each in said if each]) > 4:
            return None
    return None


def _read_choices(rows: Sequence[Row]) -> Screen | None:
    """A question with its choices at the very bottom: ``◆`` and a bar down to ``└``."""
    at = next((at for at in range(len(rows) - 1, -1, -1) if _ASKS.fullmatch(rows[at].text)), None)
    if at is None or not all(re.match(r"[│└]", row.text) for row in rows[at + 1 :]):
        return None
    question = _ASKS.fullmatch(rows[at].text)
    assert question is not None
    options: list[str] = []
    for row in rows[at + 1 :]:
        choice = _CHOICE.fullmatch(row.text)
        if choice:
            options += [_label(each) for each in re.split(r"\s+/ [●○] ", choice["label"])]
    if len(options) < 2:
        return Screen(ScreenState.UNKNOWN, f"an unknown dialog: {question['question']}")
    configuring = any(re.search(r"goose-configure", row.text) for row in rows)
    state = ScreenState.LOGGED_OUT if configuring else ScreenState.ASKING
    return Screen(state, question["question"], options=tuple(options))


def _label(text: str) -> str:
    """Without the explanation that stands beside the chosen one."""
    return re.sub(r"\s+\(.*\)\s*$|\s{2,}.*$", "", text).strip()


def _read_turn(rows: Sequence[Row]) -> Screen:
    last = rows[-1].text
    spinner = _SPINNER.fullmatch(last)
    if spinner:
        compacting = re.search(r"(?i)compact|summariz", spinner["what"])
        return Screen(ScreenState.COMPACTING if compacting else ScreenState.WORKING, spinner["what"])
    if re.search(r"run `?goose configure`?", last, re.I):
        return Screen(ScreenState.LOGGED_OUT, last.strip())
    if _BANNER.fullmatch(last):
        return Screen(ScreenState.STARTING, "the program is starting")
    sent = next((at for at in range(len(rows) - 1, -1, -1) if _PROMPT.match(rows[at].text)), None)
    if sent is not None and any(not row.text or _TOOL.fullmatch(row.text) for row in rows[sent + 1 :]):
        return Screen(ScreenState.WORKING)
    if sent is not None:
        return Screen(ScreenState.UNKNOWN, "draft in the composer, of several lines")
    if any(_TOOL.fullmatch(row.text) and " | " in row.text for row in rows):
        return Screen(ScreenState.WORKING)
    return Screen(ScreenState.UNKNOWN, f"the screen is none of goose's: {last.strip()}")
