"""Steps that reach out are tried again while hive is away, and never again once hive said no."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Generator

from hive_backends.scripted_agent.effects import Answer, Call, Effect, Result, Run, Wait

_LONGEST_WAIT = 8.0

# How git, gh and this program tell that the gateway is being restarted.
_RESTARTING = re.compile(r"\b(?:HTTP|error:) 50[234]\b", re.IGNORECASE)
_RULED = re.compile(r"\bhive: (?!the forge did not take)")
_AWAY = re.compile(
    r"could ?n[o']t (?:connect|resolve)|failed to connect|connection (?:refused|reset|closed)"
    r"|connect: |dial (?:unix|tcp)|error connecting|timed? ?out|empty reply|early eof|unexpected eof|: eof\b"
    r"|hung up unexpectedly|proxy connect aborted|recv (?:failure|error)|no such host|unexpected disconnect"
    r"|non-properly terminated|rpc failed|gnutls_handshake|ssl_error_syscall|broken pipe",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\bhive: (?!the forge did not take)|pre-receive hook declined"
    r"|\b(?:HTTP|error:) 403\b|returned error: 403",
    re.IGNORECASE,
)


class Refused(Exception):
    """Hive said no; asking again will not help."""


class Failed(Exception):
    """It did not work, and not because anybody forbade it. `output` is all that the program said."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


def persist(what: str, effect: Run | Call) -> Generator[Effect, Answer, Result]:
    """Do `effect`; again, with pauses, for as long as hive cannot be reached (SCRIPTED_RETRY_SECONDS, 60).

    Raises `Refused` with hive's own words, `Failed` with what the program said last.
    """
    give_up = time.monotonic() + _patience()
    pause, attempt = 0.5, 1
    while True:
        result = yield effect
        assert isinstance(result, Result)
        if result.exit == 0:
            return result
        if result.exit == 127:
            raise Failed(f"{what}: {result.output} (is it installed and on PATH?)")
        away = is_away(result.output)
        if not away and _NO.search(result.output):
            raise Refused(f"{what}: {reason(result.output)}")
        if not away or time.monotonic() + pause > give_up:
            said = reason(result.output) or f"exit status {result.exit}"
            raise Failed(f"{what}: {said}", result.output)
        attempt += 1
        yield Wait(pause, f"↻ Cannot reach hive · attempt {attempt}")
        pause = min(pause * 2, _LONGEST_WAIT)


def is_away(output: str) -> bool:
    """Whether a failed step may be tried again: hive (or the forge behind it) gave no answer of its own."""
    if _RESTARTING.search(output):
        return True
    return not _RULED.search(output) and _AWAY.search(output) is not None


def reason(output: str) -> str:
    """The line that says why: hive's own where there is one, else the last that says something."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if re.search(r"\bhive: ", line):
            return line[line.index("hive: ") :]
    told = [line for line in lines if re.match(r"(fatal|error|remote|!|HTTP|GraphQL)\b", line)] or lines
    return told[-1] if told else ""


def _patience() -> float:
    try:
        return float(os.environ.get("SCRIPTED_RETRY_SECONDS", "60"))
    except ValueError:
        return 60.0
