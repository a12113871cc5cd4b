"""What one agent's program has counted, read as its files grow."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from hive.contracts.backend import Backend
from hive.decisions.agents_words import fit_usage
from hive.facts.spending import KEPT_KEYS
from hive.facts.usage import Usage
from hive.ports.transcripts import Transcripts

_LOG = logging.getLogger(__name__)
_PAUSE = timedelta(seconds=2)
"""Between two readings: money need not be known sooner, and most looks then cost nothing."""
_NEW_FILES = timedelta(seconds=15)
"""Between two looks for files that were not there before."""


class TokenCount:
    """Remembers the newest messages, told before or not: who reads the journal knows which are news."""

    def __init__(self, backend: Backend, patterns: Sequence[str]) -> None:
        self.backend = backend
        self._patterns = patterns
        self._paths: tuple[str, ...] = ()
        self._lines: dict[str, tuple[str, ...]] = {}
        self._usage: dict[str, Usage] = {}
        self._told: tuple[Usage, ...] = ()
        self._read_at: datetime | None = None
        self._searched_at: datetime | None = None

    def read(self, transcripts: Transcripts, now: datetime) -> tuple[Usage, ...]:
        """All that is new, and the newest of what was told by an earlier call. Raises `Unreachable`."""
        if not self._patterns or (self._read_at is not None and now - self._read_at < _PAUSE):
            return self._told
        self._read_at = now
        if self._searched_at is None or now - self._searched_at >= _NEW_FILES:
            self._searched_at = now
            self._paths = transcripts.found(self._patterns)
            for path in self._lines.keys() - set(self._paths):
                del self._lines[path]
        changed = False
        for path in self._paths:
            changed |= self._take(path, transcripts.lines(path))
        if changed:
            for key in list(self._usage)[: -KEPT_KEYS - 1]:
                if self._usage[key] in self._told:
                    del self._usage[key]
            self._told = tuple(one for one in self._usage.values() if one.tokens.total)
        return self._told

    def _take(self, path: str, lines: tuple[str, ...]) -> bool:
        known = self._lines.get(path, ())
        if lines == known:
            return False
        self._lines[path] = lines
        try:
            found = fit_usage(self.backend.usage(_added(known, lines)))
        except Exception:
            # What an agent wrote into its files must keep nobody from seeing the others.
            _LOG.exception("%s cannot be read for its tokens", path)
            return False
        for one in found:
            earlier = self._usage.get(one.key, one)
            tokens = earlier.tokens.union(one.tokens)
            model, at = earlier.model or one.model, earlier.at or one.at
            self._usage[one.key] = Usage(model, tokens, one.key, one.source, at)
        return True


def _added(known: tuple[str, ...], lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines after the last known one; all of them where that is not there any more."""
    if known:
        for index in range(len(lines) - 1, -1, -1):
            if lines[index] == known[-1]:
                return lines[index + 1 :]
    return lines
