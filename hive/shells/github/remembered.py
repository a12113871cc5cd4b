"""Answers kept for conditional requests: GitHub does not charge for a 304.

Kept as compressed text, so that what is counted is what is held; the least recently used goes first.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from hive.shells.github.answers import Answer


@dataclass(frozen=True, slots=True)
class _Kept:
    etag: str
    link: str
    packed: bytes


class Remembered:
    """At most `entries` answers, of `size` bytes together (chosen: some 400 pages of full lists)."""

    def __init__(self, entries: int = 20_000, size: int = 64 * 1024 * 1024) -> None:
        self._entries = entries
        self._size = size
        self._held = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def held(self) -> int:
        """Bytes."""
        return self._held

    def etag(self, key: str) -> str | None:
        kept = self._kept.get(key)
        return kept.etag if kept is not None else None

    def answer(self, key: str) -> Answer:
        """The answer that is kept, as it came. Raises `KeyError`."""
        kept = self._kept[key]
        self._kept.move_to_end(key)
        return Answer(200, {"etag": kept.etag, "link": kept.link}, json.loads(zlib.decompress(kept.packed)))

    def keep(self, key: str, answer: Answer) -> None:
        """Keep a successful answer, in the place of an older one; one without an ETag is of no use."""
        self._drop(key)
        etag = answer.headers.get("etag", "")
        packed = zlib.compress(json.dumps(answer.data).encode(), 1) if etag else b""
        if not etag or len(packed) > self._size:
            return
        self._kept[key] = _Kept(etag, answer.headers.get("link", ""), packed)
        self._held += len(packed)
        while len(self._kept) > self._entries or self._held > self._size:
            self._drop(next(iter(self._kept)))

    def forget(self, is_old: Callable[[str], bool]) -> None:
        """Drop what will not be asked for again."""
        for key in [one for one in self._kept if is_old(one)]:
            self._drop(key)

    def _drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        self._held -= len(kept.packed) if kept is not None else 0
