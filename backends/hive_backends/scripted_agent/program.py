"""The program: one loop over keys, the turn under way and the clock; idle means asleep in `select`."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections import deque
from typing import TYPE_CHECKING

from hive_backends.scripted_agent import chrome, drawing
from hive_backends.scripted_agent.activity import Activity, Box
from hive_backends.scripted_agent.composer import Composer
from hive_backends.scripted_agent.effects import End, Steps
from hive_backends.scripted_agent.keys import Input, Key, KeyReader, Paste, Text
from hive_backends.scripted_agent.marks import of_the_seat
from hive_backends.scripted_agent.redaction import Redactor
from hive_backends.scripted_agent.starting import START_MARKS, start_up
from hive_backends.scripted_agent.submitting import Submitting
from hive_backends.scripted_agent.terminal import Terminal
from hive_backends.scripted_agent.transcript import Transcript
from hive_backends.scripted_agent.truth import StateLog, state_of

if TYPE_CHECKING:
    from hive_backends.scripted_agent.prompts import Prompt

_ESCAPE_SECONDS = 0.05
_LIFTING = ("/login", "/compact", "/resume")
"""Typed by a person (or by a test): any of them lifts any banner."""


class Program:
    """The whole state of the chat."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.redact = Redactor()
        self.marks, self.problem = of_the_seat(home)
        self.transcript = Transcript(home)
        self.terminal = Terminal(0, 1, bracketed_paste="no-paste" not in self.marks)
        self.keys = KeyReader()
        self.composer = Composer()
        self.queue: deque[bytes] = deque()
        self.activity: Activity | None = None
        self.starting = True
        self.prompt_id: str | None = None
        self.box: Box | None = None
        self.status = ""
        self.locked = False
        self.lifts_at: float | None = None
        self.stays = False
        self.tools = 0
        self.prompt: Prompt | None = None
        self.states = StateLog(home, kept="log-states" in self.marks)
        self.submitting = Submitting(self.marks, home)
        self.leaving = False
        self.exit_status: int | None = None
        self._wake, self._signal = os.pipe()

    def run(self) -> int:
        """Until somebody leaves; returns the exit status."""
        self._watch_signals()
        self.terminal.open()
        try:
            self.transcript.session(int(os.environ.get("SCRIPTED_GENERATION") or 0))
            self.states.note("starting")
            self._begin(start_up(self))
            while self.exit_status is None:
                self._draw()
                self.states.note(state_of(self))
                self._wait()
        finally:
            if self.activity is not None and self.activity.end is None:
                self.activity.interrupt()
            self.states.note("ended")
            self.terminal.close()
        return self.exit_status

    # -- waiting ----------------------------------------------------------------------------------

    def _watch_signals(self) -> None:
        os.set_blocking(self._signal, False)
        signal.set_wakeup_fd(self._signal, warn_on_full_buffer=False)
        for number in (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def _wait(self) -> None:
        watched = [0, self._wake]
        activity = self.activity
        if activity is not None and activity.descriptor is not None:
            watched.append(activity.descriptor)
        ready, _, _ = select.select(watched, [], [], self._timeout())
        if self._wake in ready:
            self._take_signals(os.read(self._wake, 512))
        if 0 in ready:
            self._take_bytes()
        elif self.keys.pending_escape:
            self._take(self.keys.flush())
        self._step(ready)

    def _step(self, ready: list[int]) -> None:
        activity, now = self.activity, time.monotonic()
        if activity is not None:
            if activity.descriptor in ready:
                activity.readable()
            activity.tick(now)
            if activity.end is not None:
                self._finish(activity.end)
        if self.lifts_at is not None and now >= self.lifts_at:
            self._lift(keeping=self.status if self.stays else "")

    def _timeout(self) -> float | None:
        """Seconds to sleep at most; None, and no processor time at all, when nothing is due."""
        now = time.monotonic()
        due: list[float] = []
        if self.keys.pending_escape:
            due.append(_ESCAPE_SECONDS)
        if self.lifts_at is not None:
            due.append(self.lifts_at - now)
        if self.activity is not None:
            if self.activity.box is None and not self.starting:
                due.append(chrome.SPIN_SECONDS)
            if self.activity.wake_at is not None:
                due.append(self.activity.wake_at - now)
        return max(0.0, min(due)) if due else None

    def _take_signals(self, numbers: bytes) -> None:
        for number in numbers:
            if number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                self.exit_status = 128 + number
        if signal.SIGWINCH in numbers:
            self.terminal.measure()
            self.terminal.forget_chrome()
            self.terminal.chrome(self._chrome())
            self.terminal.repaint()

    def _take_bytes(self) -> None:
        try:
            data = os.read(0, 65536)
        except OSError:
            data = b""  # the terminal is gone (EIO)
        if not data:
            self.exit_status = 128 + signal.SIGHUP
            return
        found = self.keys.feed(data)
        if self.keys.in_paste or any(isinstance(item, Paste) for item in found):
            self.submitting.begin_paste(self.states.note)
        self._take(found)

    # -- keys -------------------------------------------------------------------------------------

    def _take(self, inputs: list[Input]) -> None:
        for item in inputs:
            box = self.box or (self.activity.box if self.activity else None)
            if box is not None:
                self._press_box(item)
            elif self.starting:
                continue  # nothing listens yet; what is typed now is lost, as in real programs
            elif isinstance(item, Text):
                self.leaving = False
                self.composer.type(item.data)
            elif isinstance(item, Paste):
                self.leaving = False
                self.composer.paste(item.data)
            else:
                self._press(item)
            if self.exit_status is not None:
                return

    def _press_box(self, item: Input) -> None:
        """Keys go to the box; a paste into it is lost."""
        names = [item.name] if isinstance(item, Key) else []
        if isinstance(item, Text):
            names = list(item.data.decode(errors="replace"))
        for name in names:
            if self.box is not None:
                if self.box.press(name) is not None:
                    self.box = None
            elif self.activity is not None:
                self.activity.press(name)

    def _press(self, key: Key) -> None:
        leaving, self.leaving = self.leaving, False
        match key.name:
            case "enter":
                self._submit()
            case "newline":
                self.composer.type(b"\n")
            case "backspace":
                self.composer.erase()
            case "ctrl-u":
                self.composer.clear()
            case "escape" if self.activity is not None:
                self.activity.interrupt()
            case "ctrl-c":
                self._interrupt(leaving)
            case "ctrl-d" if self.composer.is_empty:
                self.exit_status = 0
            case _:
                pass  # a key without a meaning here

    def _interrupt(self, leaving: bool) -> None:
        if self.activity is not None:
            self.activity.interrupt()
        elif not self.composer.is_empty:
            self.composer.clear()
        elif leaving:
            self.exit_status = 0
        else:
            self.leaving = True

    def _submit(self) -> None:
        if self.submitting.loses_enter() or self.composer.is_blank:
            return
        draft = self.composer.take()
        if self.submitting.loses_prompt():
            return
        if draft.strip() == b"/exit":
            self.exit_status = 0
        elif draft.strip().decode(errors="replace") in _LIFTING:
            self._lift()
        elif self.activity is not None:
            self.queue.append(draft)
        else:
            self._prompt(draft)

    # -- turns ------------------------------------------------------------------------------------

    def _prompt(self, data: bytes) -> None:
        from hive_backends.scripted_agent.prompts import Prompt
        from hive_backends.scripted_agent.turn import Turn

        prompt = Prompt(data, self.prompt)
        if prompt.task is not None:
            self.prompt = prompt
        self.prompt_id = prompt.prompt_id
        self.transcript.prompt(prompt.prompt_id, data)
        self._echo(prompt.text)
        if self.locked:
            self.transcript.end(prompt.prompt_id, "error", self.status.lstrip("■✗ "))
            return
        self.status = ""
        marks = prompt.marks.over(self.marks.without(START_MARKS))
        self._begin(Turn(prompt, marks, self.home, note=self.states.note, transcript=self.transcript).steps())

    def _echo(self, text: str) -> None:
        lines = drawing.printable(text).split("\n")
        shown = [drawing.clip(line, self.terminal.columns - 3) for line in lines[:4]]
        if len(lines) > 4:
            shown.append(f"… {len(lines) - 4} more lines")
        said = [("> " if index == 0 else "  ") + line for index, line in enumerate(shown)]
        self.terminal.say([f"{drawing.DIM}{self.redact(line)}{drawing.PLAIN}" for line in said])

    def _begin(self, steps: Steps) -> None:
        self.tools = 0
        scratch = os.path.join(self.home, ".scripted", "input")
        self.activity = Activity(steps, say=self._say, tool=self._tool, scratch=scratch)
        if self.activity.end is not None:
            self._finish(self.activity.end)

    def _finish(self, end: End) -> None:
        activity, self.activity = self.activity, None
        if self.starting:
            self.starting = False
        else:
            if not end.locks and self.prompt is not None:
                self.transcript.usage(len(self.prompt.data), self.tools)
            self.transcript.end(self.prompt_id, end.outcome, self.redact(end.detail))
            took = int(time.monotonic() - activity.began) if activity else 0
            word = {"done": "✓ Done", "asked": "? Asked", "interrupted": "■ Interrupted"}.get(
                end.outcome, "✗ Ended"
            )
            self.terminal.say([f"  {drawing.DIM}{word} after {took}s{drawing.PLAIN}", ""])
        self.status = self.redact(end.status)
        self.locked = end.locks
        self.lifts_at = time.monotonic() + end.lifts_after if end.lifts_after else None
        self.stays = end.stays
        if end.question:
            self.box = Box(end.question, end.options)
        if self.queue and not self.locked:
            self._prompt(self.queue.popleft())

    def _lift(self, keeping: str = "") -> None:
        self.locked, self.lifts_at, self.status = False, None, keeping

    def _say(self, text: str, glyph: str) -> None:
        self.terminal.say(drawing.spoken(self.redact(text), glyph))

    def _tool(self, argv: tuple[str, ...], status: int, seconds: float) -> None:
        self.tools += 1
        self.transcript.tool([self.redact(word) for word in argv], status, seconds)

    # -- drawing ----------------------------------------------------------------------------------

    def _draw(self) -> None:
        self.terminal.chrome(self._chrome())

    def _chrome(self) -> list[str]:
        columns, activity = self.terminal.columns, self.activity
        asked = self.box or (activity.box if activity else None)
        if asked is not None:
            return chrome.box(asked, columns, self.redact)
        if self.starting:
            return []
        status = chrome.working(activity, time.monotonic()) if activity else self.status
        hint = chrome.hint(leaving=self.leaving, queued=len(self.queue))
        return chrome.composer(status, self.redact(self.composer.shown()), hint, columns)


def main() -> int:
    """Start it. Exit status 2 when there is no terminal, or no home to keep a transcript in."""
    if not (os.isatty(0) and os.isatty(1)):
        sys.stderr.write("scripted agent: it needs a terminal on its input and output\n")
        return 2
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        sys.stderr.write("scripted agent: HOME must be an absolute path\n")
        return 2
    try:
        return Program(home).run()
    except OSError as error:
        # Its own files: a full or read-only disk. What a turn meets is the turn's to tell.
        sys.stderr.write(f"scripted agent: {error.filename or home}: {error.strerror}\n")
        return 2
