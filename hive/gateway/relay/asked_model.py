"""Which model a request asks for, read from its body while that passes, in memory that does not grow.

A budget for one model has to know it before the provider has the whole request. The name may stand anywhere
in the outermost object; where it stands twice, readers differ on which one counts.
"""

from __future__ import annotations

import codecs
import json
import re

_MOST = 4096
"""Bytes of one name or value that are kept."""
_SIGNS = re.compile(r"[{}\[\],:]")
_QUIET = re.compile(r'[^"\\]*')


class AskedModel:
    """Attributes:
    model: The first that is named; empty for none so far.
    is_doubtful: It was named twice, or is no text.
    """

    def __init__(self) -> None:
        self.model = ""
        self.is_doubtful = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._depth = 0
        self._in_text = False
        self._escaped = False
        self._kept: list[str] = []
        self._length = 0
        self._name = ""
        self._is_value = False

    def feed(self, piece: bytes) -> None:
        """Never raises for what is in `piece`."""
        text = self._decoder.decode(piece)
        at = 0
        while at < len(text):
            at = self._within_text(text, at) if self._in_text else self._between(text, at)

    def _between(self, text: str, at: int) -> int:
        """Skip to the next string, counting brackets on the way."""
        end = text.find('"', at)
        part = text[at:] if end < 0 else text[at:end]
        for sign in _SIGNS.findall(part):
            self._sign(sign)
        if end < 0:
            return len(text)
        self._in_text, self._kept, self._length = True, [], 0
        return end + 1

    def _sign(self, sign: str) -> None:
        if sign in "{[":
            self._refuse_value()
            self._depth += 1
        elif sign in "}]":
            self._depth -= 1
            if self._depth == 1:
                self._is_value = False
        elif self._depth == 1:
            self._is_value = sign == ":"
        if sign == "," and self._depth == 1:
            self._name = ""

    def _refuse_value(self) -> None:
        if self._depth == 1 and self._is_value and self._name == "model":
            self.is_doubtful = True

    def _within_text(self, text: str, at: int) -> int:
        if self._escaped:
            self._keep(text[at])
            self._escaped = False
            return at + 1
        match = _QUIET.match(text, at)
        assert match is not None
        self._keep(match[0])
        at = match.end()
        if at == len(text):
            return at
        if text[at] == "\\":
            self._keep("\\")
            self._escaped = True
        else:
            self._in_text = False
            self._word()
        return at + 1

    def _keep(self, part: str) -> None:
        if self._depth == 1 and self._length < _MOST:
            self._kept.append(part[:_MOST])
            self._length += len(part)

    def _word(self) -> None:
        if self._depth != 1:
            return
        try:
            word = json.loads(f'"{"".join(self._kept)}"', strict=False)
        except ValueError:
            word = ""
        if not self._is_value:
            self._name = word.casefold()  # some readers take names in any case
        elif self._name == "model":
            self.is_doubtful = self.is_doubtful or bool(self.model)
            self.model = word[:200].encode("utf-8", "replace").decode()
