"""The door for pods itself: what it tells strangers, how much one address may take, and its certificate."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from hive.decisions.requests import Request
from hive.errors import ConfigError
from hive.facts.events import TokenRefused
from hive.gateway import Gateway, Limits, PodsDoor, doorkeeper
from hive.gateway.admission import Admission
from hive.gateway.certificates import CertificateAuthority
from hive.gateway.doorkeeper import Doorkeeper, token_of
from hive.gateway.doors import Arrival, origin
from hive.shells.system.clock import SystemClock
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import REPO, TOKEN, Place, identity
from tests.gateway.pod import ADDRESS, IN_POD, POD_TOKEN, Pod, pod_in

PAGE = f"GET /repos/{REPO} HTTP/1.1\r\nHost: api.github.com\r\n\r\n".encode()
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def pod(place: Place) -> Pod:
    return pod_in(place)


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass in time"
        time.sleep(0.02)


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed it; waits for that as long as the socket's timeout."""
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def healthy(pod: Pod) -> bool:
    try:
        return pod.says(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


def test_its_health_is_told_to_anybody_and_nothing_more(pod: Pod) -> None:
    answer = pod.says(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\nok\n")
    assert pod.says(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n").endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "asked",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        b"GET /healthz/ HTTP/1.1\r\nHost: x\r\n\r\n",
        PAGE,
        b"GET https://api.github.com/user HTTP/1.1\r\nHost: api.github.com\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n",
        b"CONNECT github.com:22 HTTP/1.1\r\nHost: github.com\r\n\r\n",
        b"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT [::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT github.com:443 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic eDp3cm9uZw==\r\n\r\n",
        b"POST /v1/findings HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_a_stranger_is_told_nothing_but_that_a_token_is_wanted(pod: Pod, asked: bytes) -> None:
    assert pod.says(asked).split(b" ")[1] in (b"401", b"407")
    assert pod.forge.state()["requests"] == {}


def test_a_token_at_the_proxy_opens_the_tunnel_and_does_not_speak_for_what_is_in_it(pod: Pod) -> None:
    with pod.connect() as connection:
        connection.sendall(
            b"CONNECT api.github.com:443 HTTP/1.1\r\nHost: x\r\n"
            b"Proxy-Authorization: Bearer " + POD_TOKEN.encode() + b"\r\n\r\n"
        )
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
    assert pod.authority.events == []
    shown = ("--proxy-user", f"x:{POD_TOKEN}", "-o", "/dev/null", "-w", "%{http_code}")
    refused = pod.run("curl", "-sS", *shown, f"https://api.github.com/repos/{REPO}")
    assert refused.stdout == "401"


def test_what_speaks_no_tls_is_let_go_without_a_word(pod: Pod) -> None:
    for sent in (PAGE, b"\x00" * 4000, b"SSH-2.0-OpenSSH_9.2\r\n", b"\x16\x03\x01\xff\xff" + b"a" * 500):
        with pod.plain() as connection:
            connection.sendall(sent)
            answer = b""
            # The door may have hung up already.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65_536):
                    answer += piece
            assert b"HTTP" not in answer
    assert healthy(pod)


def test_old_tls_is_not_spoken(pod: Pod) -> None:
    context = ssl.create_default_context(cafile=str(pod.folder / "ca.pem"))
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pod.plain() as connection, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(connection, server_hostname=ADDRESS)


def test_a_handshake_that_does_not_come_to_its_end_is_given_up(place: Place) -> None:
    pod = pod_in(place, replace(place.settings.limits, handshake_s=0.5))
    with pod.plain() as silent, pod.plain() as slow:
        silent.settimeout(20)
        slow.settimeout(0.1)
        started = time.monotonic()
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 400
        sent = 0
        # A byte now and then must not keep it open.
        while time.monotonic() - started < 20:
            try:
                slow.sendall(hello[sent : sent + 1])
            except OSError:
                break
            sent += 1
            if is_closed(slow):
                break
        assert time.monotonic() - started < 15
        assert is_closed(silent)


def test_a_head_that_does_not_come_to_its_end_is_given_up(place: Place) -> None:
    pod = pod_in(place, replace(place.settings.limits, head_s=0.5))
    with pod.connect() as connection:
        connection.settimeout(0.1)
        started = time.monotonic()
        for byte in b"GET /healthz HTTP/1.1\r\n" + b"X: y\r\n" * 10_000:
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                break
            if is_closed(connection):
                break
        assert time.monotonic() - started < 15


def test_one_address_takes_only_so_many_places_and_its_silent_ones_make_room(place: Place) -> None:
    pod = pod_in(place, Limits(pod_connections=100, pod_connections_each=4))
    silent = [pod.plain() for _ in range(4)]
    # Others are turned away while those are young; then the longest silent one goes.
    until(lambda: healthy(pod), 8)
    silent[0].settimeout(1)
    assert is_closed(silent[0])
    for each in silent:
        each.close()


def test_all_places_for_pods_taken_keep_no_agent_of_this_machine_out(place: Place) -> None:
    pod = pod_in(place, Limits(connections=4, pod_connections=4))
    silent = [pod.plain() for _ in range(8)]
    assert place.api("GET", f"/repos/{REPO}")[0] == 200
    until(lambda: healthy(pod))
    for each in silent:
        each.close()


def test_wrong_tokens_are_written_down_once_a_minute_and_answered_ever_more_slowly() -> None:
    seconds = [0.0]
    authority = FakeAuthority({POD_TOKEN: IN_POD, TOKEN: identity()})
    keeper = Doorkeeper(authority, lambda: seconds[0])
    arrival = Arrival(address="10.0.0.7", from_pod=True)

    def shown(token: str, where: Arrival = arrival) -> object:
        return keeper.identify(
            Request("GET", "/", (("Authorization", f"token {token}"),)), "Authorization", where
        )

    waits = [shown("wrong") for _ in range(10)]
    assert waits == [0.0, 0.0, 0.0, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert shown(POD_TOKEN) == IN_POD, "who has the right one does not wait for the others of its address"
    assert shown("wrong", Arrival(address="10.0.0.8", from_pod=True)) == 0.0
    assert authority.events == [
        TokenRefused(address="10.0.0.7", count=1),
        TokenRefused(address="10.0.0.8", count=1),
    ]
    seconds[0] = 61.0
    assert shown("wrong") == 0.0, "a minute's rest is enough"
    assert shown("wrong") == 0.0
    keeper.close()
    assert authority.events[2:] == [
        TokenRefused(address="10.0.0.7", count=10),
        TokenRefused(address="10.0.0.7", count=1),
    ]


def test_an_agent_that_is_a_user_of_its_own_is_named_and_waits_for_its_own_wrong_tokens_alone() -> None:
    authority = FakeAuthority({TOKEN: identity()})
    keeper = Doorkeeper(authority, lambda: 0.0, agent_of={64_321: "a", 64_322: "b"}.get)
    asked = Request("GET", "/", (("Authorization", "token wrong"),))

    def shown(user: int | None) -> object:
        return keeper.identify(asked, "Authorization", Arrival(peer=user))

    assert [shown(64_321) for _ in range(5)] == [0.0, 0.0, 0.0, 0.2, 0.4]
    assert [shown(each) for each in (64_322, 64_323, os.geteuid(), None)] == [0.0] * 4
    assert [event.address for event in authority.events_of(TokenRefused)] == [
        "agent a",
        "agent b",
        "user 64323",
        "",
    ]


def test_one_that_is_told_has_so_many_places_and_the_untold_share_the_rest() -> None:
    admission = Admission(4, 2)
    pairs = [socket.socketpair() for _ in range(6)]
    whose = ["user 1", "user 1", "user 1", "", "", ""]
    try:
        found = [admission.admit(pair[0], name) for pair, name in zip(pairs, whose, strict=True)]
    finally:
        for pair in pairs:
            for end in pair:
                end.close()
    assert found == [True, True, False, True, True, False]


def test_a_token_that_cannot_be_written_down_is_refused_all_the_same() -> None:
    authority = FakeAuthority(full_disk=True)
    asked = Request("GET", "/", (("Authorization", "token wrong"),))
    assert Doorkeeper(authority).identify(asked, "Authorization", Arrival("", "10.0.0.7", True)) == 0.0


def test_very_many_addresses_are_counted_together() -> None:
    authority = FakeAuthority()
    keeper = Doorkeeper(authority, lambda: 0.0)
    asked = Request("GET", "/", (("Authorization", "token wrong"),))
    for number in range(1000):
        keeper.identify(asked, "Authorization", Arrival("", f"fd00:0:0:{number:x}::/64", True))
    keeper.close()
    events = authority.events_of(TokenRefused)
    assert len(events) < 300
    assert sum(event.count for event in events) == 1000
    assert sum(event.count for event in events if event.address == "others") == 750


def test_a_wrong_token_from_a_pod_is_journalled_with_the_pods_address(pod: Pod) -> None:
    (pod.folder / "token").write_text("hive_revoked")
    assert "Bad credentials" in pod.run("gh", "api", f"repos/{REPO}").stdout
    assert pod.authority.events == [TokenRefused(address="127.0.0.1", count=1)]


def test_a_held_back_answer_gives_its_place_to_who_asks(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorkeeper, "_FREE", 0)
    monkeypatch.setattr(doorkeeper, "_FIRST_S", 60.0)
    monkeypatch.setattr(doorkeeper, "_LONGEST_S", 60.0)
    pod = pod_in(place, Limits(pod_connections_each=4))
    finding = b"POST /v1/findings HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
    wrong = finding + b"\r\n" + finding + b"Authorization: token wrong\r\n\r\n"
    held = [pod.connect() for _ in range(4)]
    for each in held:
        each.sendall(wrong)
    until(lambda: pod.authority.events != [])
    until(lambda: healthy(pod))
    for each in held:
        each.close()


@pytest.mark.parametrize(
    ("address", "account"),
    [
        ("", ""),
        (("10.0.0.7", 4711), "10.0.0.7"),
        (("::ffff:10.0.0.7", 4711, 0, 0), "10.0.0.7"),
        (("fd00:1:2:3:4:5:6:7", 4711, 0, 0), "fd00:1:2:3::/64"),
        (("fe80::1%eth0", 4711, 0, 2), "fe80::/64"),
    ],
)
def test_a_peer_is_held_to_account_by_its_address(address: object, account: str) -> None:
    assert origin(address) == account


def test_the_door_is_open_on_ipv6_too(place: Place) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    pod = pod_in(place, door=PodsDoor("::1", 0, "::1"))
    assert pod.gateway.pods_url == f"https://[::1]:{pod.port}"
    assert healthy(pod)
    pod.check_out()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (ADDRESS, "Address already in use; end what has it, or choose another under gateway.pods"),
        ("192.0.2.1", "Cannot assign requested address; end what has it, or choose another under"),
        ("2001:db8::1", "the gateway cannot listen on [2001:db8::1]:"),
    ],
)
def test_an_address_that_cannot_be_listened_on_is_one_line_and_closes_the_other_doors(
    place: Place, host: str, said: str
) -> None:
    place.gateway.close()
    with socket.create_server((ADDRESS, 0)) as taken:
        door = PodsDoor(host, taken.getsockname()[1], host)
        gateway = Gateway(replace(place.settings, pods=door), place.authority, SystemClock())
        with pytest.raises(ConfigError) as refusal:
            gateway.start()
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    with socket.socket(socket.AF_UNIX) as connection, pytest.raises(ConnectionRefusedError):
        connection.connect(str(place.settings.socket_path))


def test_a_name_that_pods_reach_it_by_is_in_its_certificate(place: Place) -> None:
    pod = pod_in(place, door=PodsDoor(ADDRESS, 0, "hive.example.com", 8443))
    assert pod.gateway.pods_url == "https://hive.example.com:8443"
    with socket.create_connection((ADDRESS, pod.gateway.pods_port), timeout=20) as plain:
        context = ssl.create_default_context(cafile=str(pod.folder / "ca.pem"))
        context.wrap_socket(plain, server_hostname="hive.example.com").close()


def test_its_certificate_is_made_anew_before_it_ends(tmp_path: Path) -> None:
    authority = CertificateAuthority(tmp_path / "ca", NOW)
    first = authority.context(ADDRESS, NOW)
    assert authority.context(ADDRESS, NOW + timedelta(days=82)) is first
    later = authority.context(ADDRESS, NOW + timedelta(days=84))
    assert later is not first
    assert [path.name for path in (tmp_path / "ca").iterdir() if path.name.startswith(".")] == []


def test_the_certificate_bears_the_address_as_one(pod: Pod) -> None:
    with pod.connect() as connection:
        found = connection.getpeercert(binary_form=True)
    assert found is not None
    names = x509.load_der_x509_certificate(found).extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    assert [str(one.value) for one in names.value] == [ADDRESS]


def test_what_is_said_while_the_gateway_closes_is_not_said_in_the_clear(tmp_path: Path) -> None:
    authority = CertificateAuthority(tmp_path / "ca", SystemClock().now())
    ours, theirs = socket.socketpair()
    theirs.settimeout(20)
    trusting = ssl.create_default_context(cafile=str(authority.certificate_path))
    client = trusting.wrap_socket(theirs, server_hostname="x", do_handshake_on_connect=False)
    admission = Admission(1)
    with client, ThreadPoolExecutor(2) as pool:
        shaken = pool.submit(client.do_handshake)
        assert admission.admit(ours, "")
        secure = authority.context("x", SystemClock().now()).wrap_socket(ours, server_side=True)
        admission.layer(ours, secure)
        shaken.result(20)
        closed = pool.submit(admission.close, time.monotonic() + 20)
        assert socket.socket.recv(secure, 1, socket.MSG_PEEK) == b"", "nothing more is read"
        secure.sendall(b"a secret")
        with socket.socket(fileno=os.dup(client.fileno())) as wire:
            wire.settimeout(20)
            until(lambda: len(wire.recv(65_536, socket.MSG_PEEK)) > 0)
            said = wire.recv(65_536, socket.MSG_PEEK)
        assert b"a secret" not in said
        admission.leave(ours)
        closed.result(20)
        secure.close()


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Basic eDp0b2s=", "tok"),
        ("bearer tok", "tok"),
        ("Token tok", "tok"),
        ("Digest tok", ""),
        ("Basic =", ""),
    ],
)
def test_a_token_is_read_in_every_way_that_tools_send_it(header: str, token: str) -> None:
    assert token_of(header) == token
