"""What a server answers is read to its end and no further, or not at all."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from hive.gateway.http_answer import Answer, BadAnswer

MOST = 1 << 20


@contextmanager
def saying(data: bytes) -> Iterator[socket.socket]:
    """A connection at whose other end `data` is said, byte by byte, and then no more."""
    ours, theirs = socket.socketpair()

    def speak() -> None:
        with closing(theirs):
            for at in range(len(data)):
                theirs.sendall(data[at : at + 1])

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        with closing(ours):
            ours.settimeout(60)
            yield ours
    finally:
        thread.join()


def heard(data: bytes, method: str = "GET") -> tuple[int, bytes, bool]:
    """Status, body, and whether another request may follow."""
    with saying(data) as stream:
        answer = Answer(stream, method)
        body = answer.whole(MOST)
        return answer.status, body, answer.keeps


NEXT = b"HTTP/1.1 200 OK\r\n\r\n"
LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("method", "data", "expected"),
    [
        ("GET", LENGTH + b"\r\nhello", (200, b"hello", True)),
        ("GET", LENGTH + b"content-length: 5\r\n\r\nhello", (200, b"hello", True)),
        ("GET", LENGTH + b"Connection: close\r\n\r\nhello", (200, b"hello", False)),
        ("GET", b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", (200, b"hi", False)),
        ("GET", b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", (200, b"", True)),
        ("GET", b"HTTP/1.1 200 OK\r\n\r\nall\r\n\r\nof it", (200, b"all\r\n\r\nof it", False)),
        ("GET", CHUNKS + b"3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", (200, b"hello", True)),
        ("GET", CHUNKS + b"0\r\nExpires: never\r\n\r\n", (200, b"", True)),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", (304, b"", True)),
        ("DELETE", b"HTTP/1.1 204 No Content\r\n\r\n", (204, b"", True)),
        ("HEAD", LENGTH + b"\r\n", (200, b"", True)),
        ("POST", b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH + b"\r\nhello", (200, b"hello", True)),
    ],
)
def test_an_answer_ends_where_its_head_says(
    method: str, data: bytes, expected: tuple[int, bytes, bool]
) -> None:
    assert heard(data, method) == expected


def test_what_is_said_unasked_after_an_answer_ends_the_use_of_the_connection() -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        theirs.sendall(LENGTH + b"\r\nhello" + NEXT)
        answer = Answer(ours, "GET")
        assert (answer.whole(MOST), answer.keeps) == (b"hello", False)


def test_headers_come_as_they_were_sent_a_folded_one_in_one_line() -> None:
    data = b"HTTP/1.1 200 OK\r\nLink:  <a>,\r\n <b> \r\nX-Empty:\r\nSet-Cookie: a\r\nset-cookie: b\r\n"
    with saying(data + b"Content-Length: 0\r\n\r\n") as stream:
        answer = Answer(stream, "GET")
    assert answer.headers == (
        ("Link", "<a>, <b>"),
        ("X-Empty", ""),
        ("Set-Cookie", "a"),
        ("set-cookie", "b"),
        ("Content-Length", "0"),
    )
    assert (answer.header("LINK"), answer.header("Set-Cookie"), answer.header("None")) == (
        "<a>, <b>",
        "b",
        "",
    )


def test_a_body_is_given_as_it_comes() -> None:
    with saying(CHUNKS + b"5\r\nhello\r\n0\r\n\r\n") as stream:
        answer = Answer(stream, "GET")
        pieces = [answer.read(2)]
        while pieces[-1]:
            pieces.append(answer.read(2))
    assert b"".join(pieces) == b"hello"
    assert all(len(piece) <= 2 for piece in pieces)
    assert (answer.length, answer.is_over, answer.read()) == (None, True, b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nName : value\r\nContent-Length: 0\r\n\r\n",
        LENGTH + b"Content-Length: 4\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        LENGTH + b"\r\nhell",
        CHUNKS + b"5\r\nhello\r\n",
        CHUNKS + b"5\r\nhello!\r\n0\r\n\r\n",
        CHUNKS + b"five\r\nhello\r\n0\r\n\r\n",
        CHUNKS + b"0\r\nTrailer: cut o",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000,
        CHUNKS + b"1" * 5_000,
    ],
    ids=lambda data: repr(data[-40:]),
)
def test_an_answer_that_is_broken_or_in_doubt_is_none(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(60)

    def speak() -> None:
        with closing(theirs):
            try:
                theirs.sendall(data)
            except OSError:
                return  # who reads has heard enough

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        with closing(ours), pytest.raises(BadAnswer):
            Answer(ours, "GET").whole(MOST)
    finally:
        thread.join()


def test_an_answer_that_is_larger_than_it_may_be_is_none() -> None:
    with saying(LENGTH + b"\r\nhello") as stream:
        assert Answer(stream, "GET").whole(5) == b"hello"
    with saying(LENGTH + b"\r\nhello") as stream, pytest.raises(BadAnswer, match="larger than 4 bytes"):
        Answer(stream, "GET").whole(4)
