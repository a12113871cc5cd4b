"""The relay behaves as badly as it is told to, and no worse."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.cluster.relay import Relay
from tests.shells.waiting import eventually


class Echo:
    """Sends back what it gets; says goodbye when the other side has finished."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                taken, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(taken,), daemon=True).start()

    def _serve(self, taken: socket.socket) -> None:
        with taken:
            try:
                while chunk := taken.recv(65536):
                    taken.sendall(chunk)
                taken.sendall(b"goodbye")
            except OSError:
                return


@pytest.fixture
def relay() -> Iterator[Relay]:
    echo = Echo()
    with Relay(echo.address) as relay:
        yield relay
    echo.close()


def connected(relay: Relay) -> socket.socket:
    return socket.create_connection((relay.address, relay.port), timeout=5)


def asked(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return connection.recv(1024)


def test_bytes_pass_both_ways(relay: Relay) -> None:
    with connected(relay) as connection:
        assert asked(connection, b"hello") == b"hello"


def test_a_side_that_has_finished_sending_still_hears_the_other(relay: Relay) -> None:
    with connected(relay) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1024) == b"goodbye"
        assert connection.recv(1024) == b""


def test_both_sides_can_send_more_than_the_buffers_hold_at_the_same_time(relay: Relay) -> None:
    much = b"x" * 8_000_000
    with connected(relay) as connection:
        threading.Thread(target=connection.sendall, args=(much,), daemon=True).start()
        received = 0
        while received < len(much):
            received += len(connection.recv(65536))
    assert received == len(much)


def test_a_cut_resets_every_connection_and_lets_the_next_one_in(relay: Relay) -> None:
    with connected(relay) as first, connected(relay) as second:
        assert (asked(first, b"1"), asked(second, b"2")) == (b"1", b"2")
        assert relay.cut() == 2
        for broken in (first, second):
            with pytest.raises(ConnectionResetError):
                broken.recv(1024)
    with connected(relay) as third:
        assert asked(third, b"3") == b"3"


def test_silence_loses_nothing_and_says_nothing(relay: Relay) -> None:
    with connected(relay) as connection:
        assert asked(connection, b"before") == b"before"
        relay.silence()
        connection.sendall(b"meanwhile")
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1024)
        with connected(relay) as fresh:  # opens, as through a machine that hangs
            fresh.sendall(b"too")
        connection.settimeout(5)
        relay.heal()
        assert connection.recv(1024) == b"meanwhile"


def test_a_connection_that_is_silent_can_be_cut(relay: Relay) -> None:
    with connected(relay) as connection:
        assert asked(connection, b"x") == b"x"
        relay.silence()
        relay.cut()
        with pytest.raises(ConnectionResetError):
            connection.recv(1024)


def test_who_is_refused_gets_in_again_after_healing_on_the_same_port(relay: Relay) -> None:
    with connected(relay) as old:
        assert asked(old, b"x") == b"x"
        relay.refuse()
        with pytest.raises(ConnectionRefusedError):
            connected(relay)
        assert asked(old, b"still here") == b"still here"
    relay.heal()
    with connected(relay) as connection:
        assert asked(connection, b"back") == b"back"


def test_a_target_that_is_away_looks_like_a_reset() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with Relay(nobody.getsockname()) as relay:
            # The reset may come before the connection is there, or after.
            with pytest.raises(ConnectionResetError), connected(relay) as connection:
                connection.recv(1024)
            assert relay.accepted == 1


def test_connections_that_ended_are_forgotten(relay: Relay) -> None:
    with connected(relay) as connection:
        assert asked(connection, b"x") == b"x"
        assert relay.connections == 1
    eventually(lambda: relay.connections == 0, what="no connection")
