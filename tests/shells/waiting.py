"""Waiting for a condition with a deadline, for tests against real processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(ask: Callable[[], T | None], *, within: float = 15.0, what: str = "the condition") -> T:
    """Ask until the answer is true, and return it. Fails after `within` seconds."""
    end = time.monotonic() + within
    while not (answer := ask()):
        assert time.monotonic() < end, f"{what} did not come about within {within} s"
        time.sleep(0.01)
    return answer
