"""Many checks at once, each with a deadline; their findings in the order of the checks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hive.decisions.doctor.finding import Finding, problem
from hive.errors import ConfigError, HiveError, WorldError

PATIENCE = 30.0
"""Seconds that a person waits for the slowest check."""


@dataclass(frozen=True, slots=True)
class Check:
    """`look` may take long and raise; what it found before that counts."""

    name: str
    look: Callable[[], Iterable[Finding]]


class _Running:
    """One check in a thread of its own. A thread that hangs is left to itself, and ends with the process."""

    def __init__(self, check: Check) -> None:
        self.name = check.name
        self._look = check.look
        self._found: list[Finding] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"doctor-{check.name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for finding in self._look():
                self._note(finding)
        except HiveError as error:
            self._note(_failed(self.name, error))
        except Exception as error:  # told, so that a bug in one check hides no other
            kind = type(error).__name__
            self._note(problem(self.name, f"the check itself failed: {kind}", "report this as a bug of hive"))

    def _note(self, finding: Finding) -> None:
        with self._lock:
            self._found.append(finding)

    def findings(self, until: float) -> list[Finding]:
        """What it found by `until` (of the monotonic clock)."""
        self._thread.join(max(0.0, until - time.monotonic()))
        late = self._thread.is_alive()
        with self._lock:
            found = list(self._found)
        if late:
            found.append(problem(self.name, "no answer in time", "see what hangs, then ask again"))
        return found


def examine(checks: Sequence[Check], *, patience: float = PATIENCE) -> list[Finding]:
    """Run all `checks`; each has `patience` seconds. Never raises for what one of them does."""
    running = [_Running(each) for each in checks]
    until = time.monotonic() + patience
    return [finding for each in running for finding in each.findings(until)]


def _failed(name: str, error: HiveError) -> Finding:
    if isinstance(error, ConfigError):
        return problem(name, str(error), "correct it as the message says")
    message = error.message if isinstance(error, WorldError) else str(error)
    return problem(name, message, "see that it is up and that this machine reaches it")
