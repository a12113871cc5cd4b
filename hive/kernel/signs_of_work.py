"""When an agent last gave a sign of work: what tells one that is hung from one that is slow.

A spinner that turns and a clock that counts are drawn by programs that wait for a model which never answers.
They are no signs; new words on the screen, a transcript that grows, processes that come and go, and CPU time
are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta

from hive.contracts.backend import Process

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
_NO_LETTER = re.compile(r"[\W\d_]+")
_ROWS_KEPT = 4000
"""Rows remembered of a session. Programs have a few hundred words for waiting; more than that is news."""

_SAMPLE = timedelta(seconds=10)
"""CPU time is compared over at least so long: the kernel counts it in hundredths of a second."""
_OF_CHILDREN = 0.01
"""Share of a core, by what the agent started, that is work: a build on a busy machine gets little."""
_OF_ITSELF = 0.25
"""Share of a core, by the agent's own program, that is work: more than any that only draws its spinner."""
_COMPACTIONS_KEPT = 16


class SignsOfWork:
    """Of one session. `since` is when the last sign was seen, and at first when it was first looked at;
    `compacted` when the program began to make room in its conversation."""

    def __init__(self, now: datetime) -> None:
        self.since = now
        self.compacted: tuple[datetime, ...] = ()
        self._compacts = False
        self._rows: dict[str, None] = {}
        self._transcript: object = None
        self._pids: AbstractSet[int] = frozenset()
        self._sampled: datetime | None = None
        self._own = self._others = 0.0

    def screen(self, text: str, now: datetime) -> None:
        """Take a captured screen. Only rows whose letters were not there before are a sign."""
        rows = dict.fromkeys(words_of(text))
        if rows.keys() - self._rows.keys():
            self.since = now
        # What is shown now stays remembered longest.
        self._rows = {row: None for row in self._rows if row not in rows} | rows
        for row in list(self._rows)[: max(len(self._rows) - _ROWS_KEPT, 0)]:
            del self._rows[row]

    def compacting(self, is_so: bool, now: datetime) -> None:
        """Take whether the program makes room in its conversation; each beginning of it is remembered."""
        if is_so and not self._compacts:
            self.compacted = (*self.compacted, now)[-_COMPACTIONS_KEPT:]
        self._compacts = is_so

    def transcript(self, content: object, now: datetime) -> None:
        """Take what was read of transcripts and logs; another value than before is a sign."""
        if content != self._transcript:
            self._transcript = content
            self.since = now

    def processes(self, tree: Sequence[Process], own: Iterable[int], now: datetime) -> None:
        """Take the agent's processes; `own` are pids of its program itself."""
        pids = frozenset(process.pid for process in tree)
        is_own = frozenset(own)
        mine = sum(process.cpu_s for process in tree if process.pid in is_own)
        others = sum(process.cpu_s for process in tree if process.pid not in is_own)
        if pids != self._pids or self._sampled is None:
            if pids != self._pids:
                self.since = now
            self._pids, self._sampled, self._own, self._others = pids, now, mine, others
            return
        passed = now - self._sampled
        if passed < _SAMPLE:
            return
        seconds = passed.total_seconds()
        if mine - self._own >= _OF_ITSELF * seconds or others - self._others >= _OF_CHILDREN * seconds:
            self.since = now
        self._sampled, self._own, self._others = now, mine, others


def words_of(text: str) -> Iterable[str]:
    """The letters of each row that has any: what spins, counts and changes its colour is not among them."""
    for row in _ESCAPE.sub("", text).splitlines():
        letters = _NO_LETTER.sub(" ", row).strip()
        if letters:
            yield letters
