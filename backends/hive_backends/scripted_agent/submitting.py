"""What the marks do to a prompt on its way in: to its paste, to Enter, to what was submitted."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from hive_backends.scripted_agent.marks import Marks
from hive_backends.scripted_agent.once import Once, is_due


class Submitting:
    """Counts what is still to be lost."""

    def __init__(self, marks: Marks, home: str) -> None:
        self._marks = marks
        self._once = Once(home)
        self._enters = self._count("ignore-enter")
        self._prompts = self._count("ignore-prompt")
        self._is_second = False

    def _count(self, name: str) -> float:
        return self._marks.number(name, float("inf")) if is_due(name, self._marks, self._once) else 0

    def loses_enter(self) -> bool:
        """Whether this Enter does nothing."""
        if self._enters > 0:
            self._enters -= 1
            return True
        if "double-enter" in self._marks:
            self._is_second = not self._is_second
            return self._is_second
        return False

    def loses_prompt(self) -> bool:
        """Whether what was submitted is dropped without a word."""
        if self._prompts > 0:
            self._prompts -= 1
            return True
        return False

    def begin_paste(self, note: Callable[[str], None]) -> None:
        """Die in the midst of it, when the mark says so; in this home only the first time, or each time."""
        if "die-in-paste" not in self._marks:
            return
        if self._marks.text("die-in-paste") == "always" or self._once.first("die-in-paste"):
            note("ended")
            os.kill(os.getpid(), signal.SIGKILL)
