"""HTTP/1.1 as bytes: the head read strictly, the length of the body beyond doubt, or not at all."""

from __future__ import annotations

import re

from hive.decisions.requests.model import NotUnderstood
from hive.decisions.requests.request import Request

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE = re.compile(rf"({_NAME}) ([\x21-\x7e]+) HTTP/1\.([01])")
_HEADER = re.compile(rf"({_NAME}):[ \t]*([\x20-\x7e\x80-\xff\t]*?)[ \t]*")
_LENGTH = re.compile(r"[0-9]{1,15}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:;[^\r\n]*)?\r?\n")

CHUNKED = -1


def parse_head(head: bytes, *, bare_newlines: bool = False) -> Request:
    """Request line and headers, without the blank line. Raises `NotUnderstood`.

    `bare_newlines` also takes lines that end in LF alone, as files have them.
    """
    text = head.decode("latin-1")
    if bare_newlines:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    lines = text.split("\r\n")
    first = _REQUEST_LINE.fullmatch(lines[0])
    # Some clients open tunnels in HTTP/1.0; everything else of theirs is HTTP/1.1.
    if first is None or (first[3] == "0" and first[1] != "CONNECT"):
        raise NotUnderstood("its request line is not HTTP/1.1")
    headers = []
    for line in lines[1:]:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise NotUnderstood("it has a header line that is none")
        headers.append((match[1], match[2]))
    return Request(first[1], first[2], tuple(headers))


def body_length(request: Request) -> int:
    """Bytes of the body that follows the head, or `CHUNKED`. Raises `NotUnderstood` for any doubt."""
    length, coding = request.header("Content-Length"), request.header("Transfer-Encoding")
    if coding is not None:
        if length is not None or coding.lower() != "chunked":
            raise NotUnderstood("the length of its body is in doubt")
        return CHUNKED
    if length is None:
        return 0
    if not _LENGTH.fullmatch(length):
        raise NotUnderstood("the length of its body is in doubt")
    return int(length)


def parse_request(data: bytes) -> Request:
    """One request, whole, and nothing after it. Raises `NotUnderstood`."""
    match = re.search(rb"\r?\n\r?\n", data)
    if match is None:
        raise NotUnderstood("its head does not end")
    request = parse_head(data[: match.start()], bare_newlines=True)
    length, rest = body_length(request), data[match.end() :]
    body = _dechunk(rest) if length == CHUNKED else rest
    if length != CHUNKED and len(body) != length:
        body = _without_last_newline(body, length)
    return Request(request.method, request.target, request.headers, body)


def _without_last_newline(body: bytes, length: int) -> bytes:
    """Editors end files with a newline that is no part of the request."""
    if len(body) == length + 1 and body.endswith(b"\n"):
        return body[:-1]
    raise NotUnderstood(f"its body has {len(body)} bytes where its head says {length}")


def _dechunk(data: bytes) -> bytes:
    found, at = b"", 0
    while True:
        match = _CHUNK.match(data, at)
        if match is None:
            raise NotUnderstood("its chunks are broken")
        size, start = int(match[1], 16), match.end()
        if size == 0:
            if data[start:].strip(b"\r\n"):
                raise NotUnderstood("bytes follow its last chunk")
            return found
        found += data[start : start + size]
        end = re.compile(rb"\r?\n").match(data, start + size)
        if end is None:
            raise NotUnderstood("its chunks are broken")
        at = end.end()
