"""Logs for people: stdlib logging, one line a record, told which tick, intent and agent it is about.

Nothing decides on a log line; the journal is the record. No secret gets past the handler that this sets up,
whichever library wrote the message.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import TextIO

from hive.decisions.redaction import redact

TICK: ContextVar[int] = ContextVar("tick", default=0)
INTENT: ContextVar[str] = ContextVar("intent", default="")
AGENT: ContextVar[str] = ContextVar("agent", default="")

Secrets = Callable[[], Iterable[str]]
"""Asked at every record, since tokens are rotated and issued while hive runs."""

_HANDLER_NAME = "hive"
# Everything that ends a line or that a terminal obeys: C0, DEL, C1, the Unicode line ends.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@contextlib.contextmanager
def log_context(
    *, tick: int | None = None, intent: str | None = None, agent: str | None = None
) -> Iterator[None]:
    """Give the records of the block their tick, intent and agent; what is None stays as it is."""
    with contextlib.ExitStack() as stack:
        if tick is not None:
            stack.callback(TICK.reset, TICK.set(tick))
        if intent is not None:
            stack.callback(INTENT.reset, INTENT.set(intent))
        if agent is not None:
            stack.callback(AGENT.reset, AGENT.set(agent))
        yield


class RedactingFilter(logging.Filter):
    """Takes secrets out of a record's message, exception and stack, and puts the context in.

    It changes the record itself, so that handlers after it see no secret either. Hang it on a handler: a
    logger's filters do not see the records of loggers below it.
    """

    def __init__(self, secrets: Secrets = tuple) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true."""
        secrets = tuple(self._secrets())
        record.msg, record.args = redact(_message(record), secrets), None
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
            record.exc_info = None
        if record.exc_text:
            record.exc_text = redact(record.exc_text, secrets)
        if record.stack_info:
            record.stack_info = redact(record.stack_info, secrets)
        record.tick, record.intent, record.agent = TICK.get(), INTENT.get(), AGENT.get()
        return True


def _message(record: logging.LogRecord) -> str:
    # Left to logging, a call whose arguments do not fit is printed with them, unredacted.
    try:
        return record.getMessage()
    except Exception as error:
        return f"{record.msg} (arguments do not fit: {type(error).__name__})"


class LineFormatter(logging.Formatter):
    """``2026-03-04T05:06:07.890Z INFO hive.kernel tick=3 agent=ann: message``, in UTC, on one line.

    Line ends inside become `` | ``, other control characters their escapes: text from outside can neither
    forge a line nor command a terminal.
    """

    def __init__(self) -> None:
        super().__init__(
            "%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s%(context)s: %(message)s", "%Y-%m-%dT%H:%M:%S"
        )
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        pairs = ((key, getattr(record, key, None)) for key in ("tick", "intent", "agent"))
        record.context = "".join(f" {key}={value}" for key, value in pairs if value)
        text = super().format(record).rstrip()
        return _CONTROL.sub(_escaped, text.replace("\r\n", "\n").replace("\n", " | "))


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode()


def configure_logs(
    *, level: int | str = logging.INFO, stream: TextIO | None = None, secrets: Secrets = tuple
) -> logging.Handler:
    """Send every logger's records to `stream` (standard error), and return the handler that does.

    A second call replaces what the first set up. Libraries speak from WARNING on: at DEBUG some of them
    write whole requests.
    """
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if handler.get_name() == _HANDLER_NAME]:
        root.removeHandler(handler)
        handler.close()
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.set_name(_HANDLER_NAME)
    handler.addFilter(RedactingFilter(secrets))
    handler.setFormatter(LineFormatter())
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("hive").setLevel(level)
    return handler
