"""git's packet lines, as a push and the answer to it use them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping

from hive.decisions.requests import NotUnderstood
from hive.decisions.requests.git import packet_length

FLUSH = b"0000"
_BAND = 65_515
_CAPABILITIES = "report-status delete-refs side-band-64k ofs-delta atomic quiet object-format=sha1 agent=hive"
_ZEROS = "0" * 40
_MOST_COMMAND_BYTES = 256 * 1024


def packet(data: bytes) -> bytes:
    return b"%04x%b" % (len(data) + 4, data)


def advertisement(refs: Mapping[str, str]) -> bytes:
    """What `git-receive-pack` says first: branches and tags (pull requests' refs are not pushed to)."""
    shown = [
        (name, value)
        for name, value in sorted(refs.items())
        if name.startswith(("refs/heads/", "refs/tags/"))
    ]
    lines = [f"{value} {name}" for name, value in shown] or [f"{_ZEROS} capabilities^{{}}"]
    first, rest = lines[0], lines[1:]
    said = packet(b"# service=git-receive-pack\n") + FLUSH
    said += packet(f"{first}\0{_CAPABILITIES}\n".encode())
    return said + b"".join(packet(f"{line}\n".encode()) for line in rest) + FLUSH


def refusal(service: str, message: str) -> bytes:
    """Instead of an advertisement: git prints it as ``fatal: remote error: …``."""
    said = message.replace("\n", " ")[:900]
    return packet(f"# service={service}\n".encode()) + FLUSH + packet(f"ERR {said}\n".encode())


def report(results: Mapping[str, str], message: str, *, unpacked: str = "ok", banded: bool) -> bytes:
    """The end of a push: for each ref why not, or an empty text for done.

    `message` is for the ``remote:`` lines that the agent reads.
    """
    lines = [packet(f"unpack {unpacked}\n".encode())]
    for ref, why in results.items():
        lines.append(packet(f"ng {ref} {why}\n".encode() if why else f"ok {ref}\n".encode()))
    status = b"".join(lines) + FLUSH
    if not banded:
        return status
    return b"".join([*_band(2, message.encode()), *_band(1, status), FLUSH])


def _band(number: int, data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _BAND):
        yield packet(bytes([number]) + data[at : at + _BAND])


class PushStream:
    """A push as it comes: first its commands, then its pack."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._buffer = b""

    def commands(self) -> bytes:
        """The packet lines up to and with the flush. Raises `NotUnderstood`."""
        found = b""
        while True:
            header = self._exactly(4)
            size = packet_length(header)
            found += header
            if size == 0:
                return found
            found += self._exactly(size - 4)
            if len(found) > _MOST_COMMAND_BYTES:
                raise NotUnderstood("it pushes too many refs at once")

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            piece = next(self._pieces, None)
            if piece is None:
                raise NotUnderstood("its push is cut off")
            self._buffer += piece
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def rest(self) -> Iterator[bytes]:
        """What follows the commands."""
        if self._buffer:
            yield self._buffer
            self._buffer = b""
        yield from self._pieces


def unpacked(pieces: Iterable[bytes], coding: str | None, most: int) -> Iterator[bytes]:
    """`pieces` without their content coding. Raises `NotUnderstood` beyond `most` bytes."""
    if coding is None or coding.lower() == "identity":
        yield from pieces
        return
    if coding.lower() not in ("gzip", "x-gzip"):
        raise NotUnderstood(f"its body is coded as {coding}")
    inflater, taken = zlib.decompressobj(wbits=31), 0
    try:
        for piece in pieces:
            waiting = piece
            while waiting:
                data = inflater.decompress(waiting, 65_536)
                waiting = inflater.unconsumed_tail
                taken += len(data)
                if taken > most:
                    raise NotUnderstood(f"its body is larger than {most} bytes")
                if data:
                    yield data
    except zlib.error:
        raise NotUnderstood("its body is not gzip") from None
    tail = inflater.flush()
    if tail:
        yield tail
