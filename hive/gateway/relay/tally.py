"""Tokens counted as an answer passes, in memory that does not grow with it.

A stream that was cut says no last word on what it used: then what was seen is made an estimate, since what
nobody counts is spent all the same.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

from hive.gateway.relay.counted import Counted, take, take_usage
from hive.gateway.relay.routes import Wire

_LONGEST = 1024 * 1024
"""Bytes of one line, or of a document, that are read whole. Of longer ones both ends are kept."""
_HEAD, _TAIL = 4096, 65_536
_INFLATED = 262_144
"""Bytes that a piece of a compressed answer is read in at a time."""
_BYTES_A_TOKEN = 4
"""Of text in an estimate; all makers give about four letters of English for one."""
_TEXT = re.compile(
    rb'"(?:text|thinking|partial_json|content|delta|arguments)"\s{0,2}:\s{0,2}"([^"\\]*(?:\\.[^"\\]*)*)"'
)
_NAMES = {
    Wire.MESSAGES: b'"usage"',
    Wire.CHAT: b'"usage"',
    Wire.RESPONSES: b'"usage"',
    Wire.GEMINI: b'"usageMetadata"',
}
_NAMED_THROUGHOUT = (Wire.CHAT, Wire.GEMINI)
"""Whose streams have the answer's id and model in each part."""
_ID = re.compile(rb'"(?:id|responseId)"\s{0,2}:\s{0,2}"([^"\\]{1,200})"')
_MODEL = re.compile(rb'"(?:model|modelVersion)"\s{0,2}:\s{0,2}"([^"\\]{1,200})"')


class Tally:
    """Of one answer. `is_stream`: of server-sent events; `coding`: its Content-Encoding."""

    def __init__(self, wire: Wire, *, is_stream: bool, coding: str = "") -> None:
        self._wire = wire
        self._is_stream = is_stream
        self._found = Counted()
        self._line = _Line()
        self._text_bytes = 0
        self._inflate = _inflater(coding)
        self._unreadable = coding not in ("", "identity") and self._inflate is None

    def feed(self, piece: bytes) -> None:
        """Never raises for what is in `piece`."""
        for plain in self._plain(piece):
            if not self._is_stream:
                self._line.add(plain)
                continue
            first, *rest = plain.split(b"\n")
            self._line.add(first)
            for part in rest:
                self._take(self._line)
                self._line = _Line()
                self._line.add(part)

    def result(self, asked_bytes: int) -> Counted:
        """After the last piece; `asked_bytes` are those of the request."""
        self._take(self._line)
        self._line = _Line()
        found = self._found
        if not found.is_final:
            found.output = max(found.output, -(-self._text_bytes // _BYTES_A_TOKEN))
            if not (found.input or found.cache_read or found.cache_write):
                found.input = -(-asked_bytes // _BYTES_A_TOKEN)
        return found

    def _plain(self, piece: bytes) -> Iterator[bytes]:
        if self._unreadable:
            return
        if self._inflate is None:
            yield piece
            return
        try:
            while piece:
                yield self._inflate.decompress(piece, _INFLATED)
                piece = self._inflate.unconsumed_tail
        except zlib.error:
            self._unreadable = True

    def _take(self, line: _Line) -> None:
        data = bytes(line.head)
        if self._is_stream:
            if not data.startswith(b"data:"):
                return
            data = data[5:]
        if line.is_cut:
            self._take_ends(data, bytes(line.tail))
        elif _NAMES[self._wire] in data or b'"error"' in data or (not self._is_stream and data.strip()):
            value = _parsed(data)
            take(self._found, self._wire, value)
            if not self._found.is_final:
                self._text_bytes += _text_bytes(data)
        else:
            self._text_bytes += _text_bytes(data)
            if self._wire in _NAMED_THROUGHOUT and not self._found.message:
                self._name(data[:_HEAD])

    def _take_ends(self, head: bytes, tail: bytes) -> None:
        """The usage stands last in a document. Text cannot hold its name: quotes in text are escaped."""
        at = tail.rfind(_NAMES[self._wire])
        _, colon, value = tail[at:].partition(b":")
        if at >= 0 and colon:
            take_usage(self._found, self._wire, _parsed(value.lstrip(), whole=False))
        self._name(head)
        self._name(tail)

    def _name(self, data: bytes) -> None:
        for pattern, attribute in ((_ID, "message"), (_MODEL, "model")):
            match = pattern.search(data)
            if match and not getattr(self._found, attribute):
                setattr(self._found, attribute, match[1].decode("utf-8", "replace"))


class _Line:
    """A line as it comes. Attributes: head, tail: both ends of one that is too long; else `head` is all."""

    __slots__ = ("head", "is_cut", "tail")

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.is_cut = False

    def add(self, part: bytes) -> None:
        if not self.is_cut:
            self.head += part
            if len(self.head) <= _LONGEST:
                return
            self.is_cut = True
            self.tail = self.head[-_TAIL:]
            self.head = self.head[:_HEAD]
        else:
            self.tail += part[-_TAIL:]
            if len(self.tail) > 2 * _TAIL:
                self.tail = self.tail[-_TAIL:]


def _inflater(coding: str) -> Any:
    """`zlib`'s object for a Content-Encoding; None for one that it does not read."""
    return zlib.decompressobj(wbits=47) if coding.lower() in ("gzip", "x-gzip", "deflate") else None


def _text_bytes(data: bytes) -> int:
    return sum(len(text) for text in _TEXT.findall(data))


def _parsed(data: bytes, *, whole: bool = True) -> Any:
    """The JSON that `data` is, or begins with; None for none."""
    try:
        text = data.decode("utf-8", "replace")
        return json.loads(text) if whole else json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None
