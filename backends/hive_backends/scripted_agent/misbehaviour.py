"""What the marks do to a turn before its work is begun, and the box that it may leave behind."""

from __future__ import annotations

import os
from collections.abc import Generator

from hive_backends.scripted_agent.effects import Answer, Choose, Effect, End, Say, Wait
from hive_backends.scripted_agent.marks import Marks
from hive_backends.scripted_agent.once import Once
from hive_backends.scripted_agent.redaction import is_secret_name

_LINES_EACH_SECOND = 100
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
    if "exit" in marks:
        raise SystemExit(int(marks.number("exit", 1)))
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
    if "permission" in marks:
        question = marks.text("permission", "Do you want to go on with this task?")
        if (yield Choose(question, ("Yes", "No"))) != 0:
            return End("interrupted", "permission was not given")
    if "fail" in marks:
        detail = marks.text("fail", "the script says so")
        return End("error", detail, status=f"✗ Turn failed: {detail}")
    return None


def locked(name: str, marks: Marks) -> End:
    """The end of a turn that leaves the program under a banner."""
    status = LOCKS[name].format(text=marks.text(name, "resets 3pm (UTC)"))
    seconds = marks.number(name, at=1)
    return End("error", status.lstrip("■✗ "), status=status, locks=True, lifts_after=seconds or None)


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
