"""One generator of effects under way: it holds what the generator waits for, and sends it the answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from hive_backends.scripted_agent.effects import Answer, Call, Choose, End, Result, Run, Say, Steps, Wait

_STEP_SECONDS = 120.0
"""A program that has not ended by then is ended: longer than any step of a task takes."""

_NEVER_ASK = {"GIT_TERMINAL_PROMPT": "0", "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"}
# Their answers are read (`persistence`): in English, whatever the operator's own language is.
_PLAIN_WORDS = {"LC_ALL": "C.UTF-8", "LANGUAGE": "C"}


class Box:
    """A choice that is drawn in the composer's place."""

    def __init__(self, question: str, options: tuple[str, ...], *, strange: bool = False) -> None:
        self.question = question
        self.options = options
        self.strange = strange
        self.selected = 0

    def press(self, key: str) -> int | None:
        """The index chosen, -1 for none of them, `None` while the box still waits."""
        if key == "up":
            self.selected = (self.selected - 1) % len(self.options)
        elif key == "down":
            self.selected = (self.selected + 1) % len(self.options)
        elif key == "enter":
            return self.selected
        elif key in ("escape", "ctrl-c"):
            return -1
        elif key.isascii() and key.isdigit() and 1 <= int(key) <= len(self.options):
            return int(key) - 1
        return None


class Activity:
    """A turn (or the start-up) from its first step to its `End`."""

    def __init__(
        self,
        steps: Steps,
        *,
        say: Callable[[str, str], None],
        tool: Callable[[tuple[str, ...], int, float], None],
        scratch: str,
    ) -> None:
        self.end: End | None = None
        self.box: Box | None = None
        self.began = time.monotonic()
        self.wake_at: float | None = None
        self.status = ""
        self._steps = steps
        self._say = say
        self._tool = tool
        self._scratch = scratch
        self._work: _Program | _Beside | None = None
        self._advance(None)

    @property
    def descriptor(self) -> int | None:
        """To be watched for reading, when there is one."""
        return self._work.descriptor if self._work else None

    def readable(self) -> None:
        work = self._work
        if work is not None and work.read():
            self._finish_work(work)

    def tick(self, now: float) -> None:
        """A deadline has passed."""
        if self.wake_at is None or now < self.wake_at:
            return
        if self._work is not None:
            self._work.stop()
            self.wake_at = None
            return
        gone, self.box = self.box, None
        self._advance(None if gone is None else -1)

    def press(self, key: str) -> None:
        """A key for the box."""
        if self.box is not None:
            chosen = self.box.press(key)
            if chosen is not None:
                self.box = None
                self._advance(chosen)

    def interrupt(self) -> None:
        """End it from outside: whatever it waits for is ended too."""
        if self._work is not None:
            self._work.stop()
            self._work.close()
            self._work = None
        self._steps.close()
        self.box, self.wake_at = None, None
        self.end = End("interrupted", "interrupted from the keyboard")

    def _finish_work(self, work: _Program | _Beside) -> None:
        result = work.close()
        self._tool(work.label, result.exit, time.monotonic() - work.began)
        self._work = None
        self._advance(result)

    def _advance(self, answer: Answer) -> None:
        self.wake_at, self.status = None, ""
        while True:
            try:
                effect = self._steps.send(answer)
            except StopIteration as stop:
                self.end = stop.value
                return
            answer = None
            if isinstance(effect, Say):
                self._say(effect.text, "●")
            elif isinstance(effect, Wait):
                self.status = effect.status
                self.wake_at = time.monotonic() + effect.seconds
                return
            elif isinstance(effect, Choose):
                self.box = Box(effect.question, effect.options, strange=effect.strange)
                if effect.seconds is not None:
                    self.wake_at = time.monotonic() + effect.seconds
                return
            else:
                missing = self._start(effect)
                if missing is None:
                    return
                answer = missing

    def _start(self, effect: Run | Call) -> Result | None:
        if isinstance(effect, Call):
            self._work = _Beside(effect)
        else:
            if effect.shown:
                self._say(effect.shown, "⚙")
            try:
                self._work = _Program(effect, self._scratch)
            except OSError as error:
                self._tool(effect.argv, 127, 0.0)
                return Result(127, f"{effect.argv[0]}: {error.strerror}")
        self.wake_at = time.monotonic() + _STEP_SECONDS
        return None


class _Program:
    """A child process whose output is gathered."""

    def __init__(self, effect: Run, scratch: str) -> None:
        import subprocess

        self.label = effect.argv
        self.began = time.monotonic()
        self._output = bytearray()
        stdin = subprocess.DEVNULL
        if effect.stdin:
            # A file, not a pipe: nothing can block on a program that does not read.
            stdin = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(os.dup(stdin), "wb") as file:
                file.write(effect.stdin)
            os.lseek(stdin, 0, os.SEEK_SET)
        try:
            self._process = subprocess.Popen(
                effect.argv,
                cwd=effect.cwd,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**_NEVER_ASK, **os.environ, **_PLAIN_WORDS},
            )
        finally:
            if stdin >= 0:
                os.close(stdin)
        assert self._process.stdout is not None
        self.descriptor = self._process.stdout.fileno()

    def read(self) -> bool:
        """Take what is there; whether the output has ended."""
        data = os.read(self.descriptor, 65536)
        self._output += data
        return not data

    def stop(self) -> None:
        self._process.terminate()

    def close(self) -> Result:
        assert self._process.stdout is not None
        self._process.stdout.close()
        status = self._process.wait()
        return Result(status, self._output.decode(errors="replace"))


class _Beside:
    """A blocking function in a thread of its own, for as long as it takes."""

    def __init__(self, effect: Call) -> None:
        from threading import Thread

        self.label = effect.label
        self.began = time.monotonic()
        self._result: Result | None = None
        self._function = effect.function
        self.descriptor, self._signal = os.pipe()
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._function()
        finally:
            os.close(self._signal)

    def read(self) -> bool:
        return not os.read(self.descriptor, 1)

    def stop(self) -> None:
        """Nothing to do: it has a time limit of its own, and its answer is no longer waited for."""

    def close(self) -> Result:
        os.close(self.descriptor)
        return self._result or Result(1, f"{' '.join(self.label)}: no answer")
