"""The scripted agent as a backend: `hive demo` runs it, and tests drive odd behaviour with it.

Its chrome stands at the bottom: an empty row, a status at column 0, a frame, a footer. Only what stands
there counts; what the agent itself says is indented, and stands above the empty row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from hive.contracts.backend import BackendTraits, Launch, Process, Seat, Submission
from hive.facts.agents import LOST_TURN, Conversation, Turn
from hive.facts.screens import Screen, ScreenState
from hive.facts.usage import Usage
from hive_backends.captures import is_dead_pane, is_shell_prompt, rows
from hive_backends.reset_times import reset_time
from hive_backends.token_logs import scripted_usage, usage_of

PROGRAM = "hive_backends.scripted_agent"

_BANNER = re.compile(r"\* Scripted agent is starting…")
_TOP = re.compile(r"╭─+╮")
_MIDDLE = re.compile(r"│ (.*) │")
_BOTTOM = re.compile(r"╰─+╯")
_OPTION = re.compile(r"[❯ ] \d+\. (.+)")
_FOOTER = re.compile(
    r"  (?:enter to send · ctrl-d to exit|ctrl-c again to exit|\d+ queued|↑/↓ to move · enter to choose)"
)
# Any glyph and any verb: programs change both. The seconds and the hint are the structure.
_WORKING = re.compile(r"\S \S.*… ?\(\d+s · esc to interrupt\)")
_STATUSES: tuple[tuple[re.Pattern[str], ScreenState], ...] = (
    (re.compile(r"\S Compacting conversation… ?\(\d+s · .*\)"), ScreenState.COMPACTING),
    (_WORKING, ScreenState.WORKING),
    (re.compile(r"↻ Cannot reach hive · .*"), ScreenState.RETRYING),
    (re.compile(r"■ Usage limit reached · .*"), ScreenState.LIMITED),
    (re.compile(r"✗ Not logged in · .*"), ScreenState.LOGGED_OUT),
    (re.compile(r"✗ Credit balance is too low"), ScreenState.OUT_OF_CREDIT),
    (re.compile(r"✗ Context is full · .*"), ScreenState.CONTEXT_FULL),
    (re.compile(r"✗ Turn (?:failed|refused): .*"), ScreenState.FAILED),
)


class ScriptedBackend:
    """See `hive.contracts.backend.Backend`."""

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(
            programs=("scripted", "hive-scripted-agent"),
            submission=Submission(
                keys=("Enter",), settle=timedelta(milliseconds=50), patience=timedelta(seconds=3)
            ),
            start_patience=timedelta(seconds=20),
            interrupt=("Escape",),
            keeps_context=False,
        )

    def launch(self, seat: Seat) -> Launch:
        environment = {
            **seat.environment,
            **dict(seat.spec.environment),
            "HOME": seat.home,
            "SCRIPTED_GENERATION": str(seat.generation),
        }
        python = environment.get("HIVE_PYTHON") or "python3"
        # -P: it starts where repositories are cloned to, and must import nothing from there.
        return Launch(argv=seat.spec.command or (python, "-P", "-m", PROGRAM), environment=environment)

    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        shown = rows(screen)
        if not shown:
            return Screen(ScreenState.STARTING, "the screen is empty")
        if is_dead_pane(shown[-1]) or is_shell_prompt(shown[-1]):
            return Screen(ScreenState.EXITED, shown[-1].strip())
        if _FOOTER.fullmatch(shown[-1]):
            return _read_chrome(shown, now, zone)
        if any(_BANNER.fullmatch(row) for row in shown):
            return _read_start(shown)
        return Screen(ScreenState.UNKNOWN, "the screen is none of the scripted agent's")

    def is_agent(self, process: Process) -> bool:
        argv = process.argv
        if not argv or not argv[0].rpartition("/")[2].startswith(("python", "pypy")):
            return False
        return any(pair == ("-m", PROGRAM) for pair in pairwise(argv))

    def transcript(self, seat_home: str) -> str | None:
        return f"{seat_home.rstrip('/')}/.scripted/transcript.jsonl"

    def turns(self, lines: Sequence[str]) -> tuple[Turn, ...]:
        found: list[Turn] = []
        for line in lines:
            match _record(line):
                case {"type": "prompt", "prompt_id": str() | None as prompt_id}:
                    found.append(Turn(prompt_id, ended=False))
                case {
                    "type": "end",
                    "prompt_id": str() | None as prompt_id,
                    "outcome": str() as outcome,
                    **rest,
                }:
                    _end(
                        found,
                        Turn(prompt_id, ended=True, outcome=outcome, detail=str(rest.get("detail", ""))),
                    )
                case {"type": "session"}:
                    _end_all(found)
                case _:
                    pass  # tools, and whatever a later version adds
        return tuple(found)

    def conversation(self, lines: Sequence[str]) -> Conversation | None:
        return None

    def usage_logs(self, seat_home: str) -> tuple[str, ...]:
        home = seat_home.rstrip("/")
        return (f"{home}/.scripted/transcript.jsonl",)

    def usage(self, lines: Sequence[str]) -> tuple[Usage, ...]:
        return usage_of(lines, scripted_usage)


def _record(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _end(found: list[Turn], ended: Turn) -> None:
    """Close the latest open turn of that prompt; one whose beginning was not read is added whole."""
    for index in range(len(found) - 1, -1, -1):
        if found[index].prompt_id == ended.prompt_id and not found[index].ended:
            found[index] = ended
            return
    found.append(ended)


def _end_all(found: list[Turn]) -> None:
    """A new session: what was under way went down with the old one."""
    for index, turn in enumerate(found):
        if not turn.ended:
            found[index] = Turn(
                turn.prompt_id, ended=True, outcome=LOST_TURN, detail="the agent was restarted"
            )


def _read_start(shown: list[str]) -> Screen:
    """Below the banner the program may speak; anything else there is a screen that nobody knows."""
    banner = max(index for index, row in enumerate(shown) if _BANNER.fullmatch(row))
    if all(not row or row.startswith(("● ", "  ")) for row in shown[banner + 1 :]):
        return Screen(ScreenState.STARTING, "the program is starting")
    return Screen(ScreenState.UNKNOWN, f"an unknown screen: {shown[-1].strip()}")


def _read_chrome(shown: list[str], now: datetime, zone: str) -> Screen:
    """The frame above the footer and the status above the frame."""
    bottom = len(shown) - 2
    top = next((index for index in range(bottom, -1, -1) if _TOP.fullmatch(shown[index])), None)
    if top is None or bottom - top < 2 or not _BOTTOM.fullmatch(shown[bottom]):
        return Screen(ScreenState.UNKNOWN, "a footer without its frame")
    inside = [_MIDDLE.fullmatch(row) for row in shown[top + 1 : bottom]]
    if not all(inside):
        return Screen(ScreenState.UNKNOWN, "something is written into the frame")
    body = [found[1].rstrip() for found in inside if found]
    if shown[-1].endswith("enter to choose"):
        return _read_box(body)
    return _read_status(_status_above(shown, top), body, now, zone)


def _read_box(body: list[str]) -> Screen:
    blank = body.index("") if "" in body else len(body)
    options = [_OPTION.fullmatch(row) for row in body[blank + 1 :]]
    if not options or not all(options):
        return Screen(ScreenState.UNKNOWN, "a box without its options")
    question = " ".join(row.strip() for row in body[:blank])
    return Screen(ScreenState.ASKING, question, options=tuple(found[1] for found in options if found))


def _status_above(shown: list[str], top: int) -> str:
    """The rows between the frame and the empty row above it, as one; empty when there are none."""
    found: list[str] = []
    for row in reversed(shown[:top]):
        if not row:
            break
        found.insert(0, row)
    continued = all(row.startswith("  ") for row in found[1:])
    return " ".join(row.strip() if index else row for index, row in enumerate(found)) if continued else "?"


def _read_status(status: str, body: list[str], now: datetime, zone: str) -> Screen:
    for pattern, state in _STATUSES:
        if pattern.fullmatch(status):
            resets = reset_time(status, now=now, zone=zone) if state is ScreenState.LIMITED else None
            return Screen(state, _detail(status), resets_at=resets)
    if status:
        return Screen(ScreenState.UNKNOWN, f"an unknown status: {status}")
    if body != ["> ▏"]:
        return Screen(ScreenState.UNKNOWN, "draft in the composer")
    return Screen(ScreenState.READY)


def _detail(status: str) -> str:
    """The status without its glyph."""
    return status.partition(" ")[2]


backend = ScriptedBackend()
