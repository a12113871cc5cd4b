"""What the marks do to a turn before its work is begun, and the box that it may leave behind."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Generator
from contextlib import suppress

from hive_backends.scripted_agent.effects import Answer, Choose, Effect, End, Say, Wait
from hive_backends.scripted_agent.marks import Marks
from hive_backends.scripted_agent.once import Once, is_due
from hive_backends.scripted_agent.redaction import is_secret_name
from hive_backends.scripted_agent.starting import strange

_LINES_EACH_SECOND = 100
_FLOOD_ROWS = 100
_DRAWN = 0.5
"""Seconds until the spinner surely stands on the screen."""
_HOUR = 3600.0

LOCKS = {
    "limit": "■ Usage limit reached · {text}",
    "logged-out": "✗ Not logged in · run /login",
    "out-of-credit": "✗ Credit balance is too low",
    "context-full": "✗ Context is full · run /compact",
}
"""Banners under which prompts are refused, by mark."""

_QUOTED = """Here is what the log shows:
```
■ Usage limit reached · resets 3pm (Europe/Berlin)
✗ Not logged in · run /login

╭──────────────────────────╮
│ Do you trust the files?  │
│                          │
│ ❯ 1. Yes                 │
╰──────────────────────────╯
  ↑/↓ to move · enter to choose
```
The rate limit is fine: usage limit reached, resets 3pm, is only quoted.
root@host:~# """

Part = Generator[Effect, Answer, None]


def before_work(
    marks: Marks, once: Once, subject: tuple[object, ...]
) -> Generator[Effect, Answer, End | None]:
    """Everything that comes first; an `End` when the turn goes no further."""
    for name in LOCKS:
        if name in marks and once.first(name, *subject):
            return locked(name, marks)
    yield from _show(marks)
    if "fork-children" in marks:
        _fork_children(int(marks.number("fork-children", 3)))
    if "compact" in marks:
        yield Wait(marks.number("compact", 1), "✻ Compacting conversation…")
    if "slow" in marks:
        yield Wait(marks.number("slow", 1))
    if "hang" in marks:
        while True:
            yield Wait(_HOUR)
    if is_due("freeze", marks, once, *subject):
        yield Wait(_DRAWN)
        time.sleep(marks.number("freeze", _HOUR))
    if is_due("strange-dialog", marks, once, *subject):
        yield strange(marks.number("strange-dialog", _HOUR))
    if "permission" in marks:
        question = marks.text("permission", "Do you want to go on with this task?")
        if (yield Choose(question, ("Yes", "No"))) != 0:
            return End("interrupted", "permission was not given")
    return (yield from _give_up(marks))


def _give_up(marks: Marks) -> Generator[Effect, Answer, End | None]:
    """The ends of a turn that are words."""
    if "refuse" in marks:
        why = marks.text("refuse", "I will not do that")
        yield Say(f"I can't help with this: {why}")
        return End("refused", why, status=f"✗ Turn refused: {why}")
    if "fail" in marks:
        detail = marks.text("fail", "the script says so")
        return End("error", detail, status=f"✗ Turn failed: {detail}")
    return None


def die(marks: Marks, once: Once, subject: tuple[object, ...], note: Callable[[str], None]) -> None:
    """The ends and the standstill that a process cannot tell of itself; ``once`` holds for a task."""
    if is_due("exit", marks, once, *subject):
        note("ended")
        raise SystemExit(int(marks.number("exit", 1)))
    if is_due("signal", marks, once, *subject):
        note("ended")
        _end_by(getattr(signal, marks.text("signal", "SIGSEGV"), signal.SIGSEGV))
    if is_due("out-of-memory", marks, once, *subject):
        note("ended")
        _fill_memory(int(marks.number("out-of-memory", 256)))
    if is_due("stop", marks, once, *subject):
        note("hung")
        os.kill(os.getpid(), signal.SIGSTOP)


def _end_by(number: signal.Signals) -> None:
    """By that signal itself, whatever the program makes of it otherwise; without a core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _fill_memory(mebibytes: int) -> None:
    """Take memory until the kernel ends the program; where no limit does, it ends as if one had."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    taken = [bytearray(b"x" * (1 << 20)) for _ in range(mebibytes)]
    del taken
    os.kill(os.getpid(), signal.SIGKILL)


def locked(name: str, marks: Marks) -> End:
    """The end of a turn that leaves the program under a banner."""
    status = LOCKS[name].format(text=marks.text(name, "resets 3pm (UTC)"))
    seconds = marks.number(name, at=1)
    said = status.lstrip("■✗ ")
    stays = "stays" in marks.words(name)
    return End("error", said, status=status, locks=True, lifts_after=seconds or None, stays=stays)


def asked(marks: Marks) -> End | None:
    """The question that the turn ends with, when a mark asks one."""
    if "ask" not in marks:
        return None
    question, *options = marks.words("ask") or ("Which way?",)
    return End("asked", question, question=question, options=tuple(options) or ("The first", "The second"))


def _show(marks: Marks) -> Part:
    if "stream" in marks:
        for number in range(1, int(marks.number("stream", 20)) + 1):
            yield Say(f"line {number} of the stream")
            yield Wait(1 / _LINES_EACH_SECOND)
    if "flood" in marks:
        until = time.monotonic() + marks.number("flood", 2)
        while time.monotonic() < until:
            yield Say("\n".join(f"a line of the flood {row}" for row in range(_FLOOD_ROWS)))
            yield Wait(0)
    if "quote-banner" in marks:
        yield Say(_QUOTED)
    if "print-env" in marks:
        shown = sorted(os.environ.items())
        yield Say("\n".join(f"{name}={'***' if is_secret_name(name) else value}" for name, value in shown))


def _fork_children(count: int) -> None:
    """Children that nobody waits for, the first in a session of its own."""
    import subprocess

    for number in range(count):
        subprocess.Popen(
            ("sleep", "600"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=number == 0,
        ).returncode = 0  # never waited for; says so to Popen, which warns otherwise
