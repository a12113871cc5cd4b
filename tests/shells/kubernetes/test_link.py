"""The WebSocket below exec: against a peer that does what a test says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator

import pytest

from hive.errors import Missing, Refused, Unreachable
from hive.shells.kubernetes import link as links
from hive.shells.kubernetes.execution import PodExec
from hive.shells.kubernetes.failures import Request
from hive.shells.kubernetes.frames import BadFrame, Frames, Opcode, encoded
from hive.shells.kubernetes.link import Link, LinkEnded

ERROR = 3


def frame(opcode: Opcode, payload: bytes, *, final: bool = True) -> bytes:
    """As a server sends it: not masked."""
    first = bytes([int(opcode) | (0x80 if final else 0)])
    size = len(payload)
    if size < 126:
        return first + bytes([size]) + payload
    if size < 1 << 16:
        return first + b"\x7e" + size.to_bytes(2, "big") + payload
    return first + b"\x7f" + size.to_bytes(8, "big") + payload


class Peer:
    """The server's end, and what it has read so far."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        sock.settimeout(20)

    def send(self, payload: bytes, opcode: Opcode = Opcode.BINARY, *, final: bool = True) -> None:
        self.socket.sendall(frame(opcode, payload, final=final))

    def read(self) -> tuple[Opcode, bytes]:
        """One frame of a client's, without its mask."""
        first, second = self._exactly(2)
        size = second & 0x7F
        assert second & 0x80
        if size > 125:
            size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big")
        mask, data = self._exactly(4), self._exactly(size)
        key = (mask * (size // 4 + 1))[:size]
        plain = int.from_bytes(data, "big") ^ int.from_bytes(key, "big")
        return Opcode(first & 0x0F), plain.to_bytes(size, "big")

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            assert piece, "the client went away"
            data += piece
        return data


@pytest.fixture
def pair() -> Iterator[tuple[Link, Peer]]:
    ours, theirs = socket.socketpair()
    link = Link(ours, last=ERROR)
    yield link, Peer(theirs)
    link.close()
    theirs.close()


def ended(link: Link) -> LinkEnded:
    with pytest.raises(LinkEnded) as raised:
        link.receive(20)
    return raised.value


def test_messages_come_whole_whatever_they_were_cut_into(pair: tuple[Link, Peer]) -> None:
    link, peer = pair
    peer.send(b"one, ", final=False)
    peer.send(b"ping", Opcode.PING)
    peer.send(b"two", Opcode.CONTINUATION)
    peer.send(b"")
    peer.send(b"x" * 70_000, Opcode.TEXT)
    assert [link.receive(20) for _ in range(3)] == [b"one, two", b"", b"x" * 70_000]
    assert link.receive(0) is None
    assert peer.read() == (Opcode.PONG, b"ping")


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 300_000])
def test_a_message_of_any_size_goes_out_masked(pair: tuple[Link, Peer], size: int) -> None:
    link, peer = pair
    given = bytes(range(256)) * (size // 256 + 1)
    sender = threading.Thread(target=link.send, args=(given[:size],))
    sender.start()
    assert peer.read() == (Opcode.BINARY, given[:size])
    sender.join(timeout=20)


@pytest.mark.parametrize(
    "data", [b"\x82\x81\x00\x00\x00\x00a", b"\x83\x01a", b"\xf2\x01a", b"\x82\x7f" + b"\xff" * 8]
)
def test_what_is_no_frame_of_a_server_breaks_the_connection(data: bytes) -> None:
    with pytest.raises(BadFrame):
        list(Frames().feed(data))


def test_frames_may_arrive_byte_by_byte() -> None:
    frames = Frames()
    sent = frame(Opcode.BINARY, b"a" * 200) + frame(Opcode.CLOSE, b"")
    found = [one for number in range(len(sent)) for one in frames.feed(sent[number : number + 1])]
    assert found == [(Opcode.BINARY, b"a" * 200), (Opcode.CLOSE, b"")]


def test_a_close_in_order_is_told_from_a_connection_that_broke(pair: tuple[Link, Peer]) -> None:
    link, peer = pair
    peer.send(b"last")
    peer.send(b"\x03\xe8", Opcode.CLOSE)
    assert link.receive(20) == b"last"
    assert ended(link).was_closed
    ours, theirs = socket.socketpair()
    broken = Link(ours)
    theirs.close()
    assert not ended(broken).was_closed
    broken.close()


def test_who_cannot_write_takes_in_what_has_come(pair: tuple[Link, Peer]) -> None:
    """Case 128: the other side writes all that it has before it reads a byte."""
    link, peer = pair
    given = b"x" * 4_000_000

    def serve() -> None:
        for _ in range(100):
            peer.send(b"y" * 40_000)
        assert peer.read() == (Opcode.BINARY, given)

    server = threading.Thread(target=serve)
    server.start()
    link.send(given)
    server.join(timeout=20)
    assert not server.is_alive()
    assert [link.receive(20) for _ in range(100)] == [b"y" * 40_000] * 100


def test_a_reader_wakes_for_what_a_writer_took_in(pair: tuple[Link, Peer]) -> None:
    link, peer = pair
    found: list[bytes | None] = []
    reader = threading.Thread(target=lambda: found.extend(link.receive(20) for _ in range(50)))
    writer = threading.Thread(target=link.send, args=(b"x" * 4_000_000,))
    reader.start()
    writer.start()
    for _ in range(50):
        peer.send(b"y" * 40_000)
    peer.read()
    for thread in (reader, writer):
        thread.join(timeout=20)
        assert not thread.is_alive()
    assert found == [b"y" * 40_000] * 50


def test_nothing_is_written_to_a_side_that_takes_nothing_any_more(pair: tuple[Link, Peer]) -> None:
    """A command that ended before it read all of its input: its end is told, and nobody reads on."""
    link, peer = pair
    peer.send(bytes([ERROR]) + b"{}")
    with pytest.raises(LinkEnded, match="takes nothing any more"):
        link.send(b"x" * 4_000_000)
    assert link.receive(20) == bytes([ERROR]) + b"{}"


def test_a_side_that_never_reads_is_given_up(
    pair: tuple[Link, Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "_STALLED", 0.3)
    link, _ = pair
    with pytest.raises(LinkEnded, match="reads no more"):
        link.send(b"x" * 4_000_000)


def test_a_side_that_says_nothing_is_asked_and_then_given_up(
    pair: tuple[Link, Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "QUIET", 0.1)
    monkeypatch.setattr(links, "DEAD", 1.0)
    link, peer = pair
    assert str(ended(link)) == "the other side has gone silent"
    assert peer.read() == (Opcode.PING, b"")


def test_letting_go_says_so_to_the_other_side_and_closes_the_socket(pair: tuple[Link, Peer]) -> None:
    link, peer = pair
    link.close()
    assert peer.read()[0] is Opcode.CLOSE
    assert peer.socket.recv(1) == b""
    link.close()
    with pytest.raises(LinkEnded, match="let go of"):
        link.send(b"x")


def stream_of(pair: tuple[Link, Peer], *, can_half_close: bool = True) -> PodExec:
    return PodExec(Request("exec in Pod test/p", "east"), pair[0], can_half_close=can_half_close)


def test_an_older_protocol_cannot_end_the_input(pair: tuple[Link, Peer]) -> None:
    with pytest.raises(Refused, match="the server is too old to end the input of a command"):
        stream_of(pair, can_half_close=False).close_stdin()


def failure(message: str, code: int = 500) -> bytes:
    return bytes([ERROR]) + json.dumps({"status": "Failure", "message": message, "code": code}).encode()


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ('container not found ("a")', Missing),
        ("OCI runtime exec failed: no such file", Refused),
        ("error dialing backend: connection refused", Unreachable),
    ],
)
def test_a_command_that_was_not_run_is_an_error_of_its_kind(
    pair: tuple[Link, Peer], message: str, error: type[Exception]
) -> None:
    pair[1].send(failure(message))
    pair[1].send(b"", Opcode.CLOSE)
    with pytest.raises(error) as raised:
        stream_of(pair).read(20)
    assert type(raised.value) is error
    assert str(raised.value) == f"kubernetes: east: exec in Pod test/p: {message}"


def test_a_server_that_never_closes_behind_the_exit_code_is_not_waited_for(
    pair: tuple[Link, Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hive.shells.kubernetes.execution._GRACE", 0.2)
    causes = {"causes": [{"reason": "ExitCode", "message": "9"}]}
    status = {"status": "Failure", "reason": "NonZeroExitCode", "details": causes}
    pair[1].send(bytes([ERROR]) + json.dumps(status).encode())
    stream = stream_of(pair)
    assert stream.read(20) == (1, b"")
    assert stream.exit_code() == 9


def test_what_a_client_sends_is_masked_anew_each_time() -> None:
    assert encoded(Opcode.BINARY, b"same text") != encoded(Opcode.BINARY, b"same text")
