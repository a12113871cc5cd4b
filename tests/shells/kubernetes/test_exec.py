"""Commands in pods, their logs and ports, on a node where pods run."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hive.errors import Missing, Refused, Unreachable
from hive.facts.kubernetes import PODS, ExecResult, PodRef
from hive.ports.kubernetes import ExecStream
from hive.shells.kubernetes import KubernetesCluster
from tests.cluster import probe
from tests.cluster.fixtures import cluster_run, node
from tests.cluster.namespace import make
from tests.cluster.node import Node
from tests.cluster.relay import Relay
from tests.shells.waiting import eventually

__all__ = ["cluster_run", "node"]
pytestmark = [pytest.mark.cluster, pytest.mark.slow]


@dataclass(frozen=True)
class Running:
    """A pod that runs, and a client of its own for each test; the client goes through `relay`."""

    cluster: KubernetesCluster
    pod: PodRef
    relay: Relay


@pytest.fixture(scope="module")
def pod(node: Node) -> Iterator[PodRef]:
    """One for all tests of the module: a shell that waits."""
    namespace = make(node.plane.api)
    manifest = probe.pod("agent", ["sh", "-c", "echo begun; exec sleep 100000"])
    path = f"/api/v1/namespaces/{namespace}/pods"
    node.plane.api.create(path, manifest)
    node.plane.api.until(f"{path}/agent", "the pod runs", within=100, holds=probe.is_ready)
    yield PodRef(namespace, "agent")
    node.plane.api.delete(f"{path}/agent", {"gracePeriodSeconds": 0})


@pytest.fixture
def running(node: Node, pod: PodRef) -> Iterator[Running]:
    threads = set(threading.enumerate())
    with node.plane.relay() as relay:
        config = node.plane.kubeconfig_for(url=relay.url())
        cluster = KubernetesCluster.from_kubeconfig(config, node.plane.name, timeout=30)
        try:
            yield Running(cluster, pod, relay)
        finally:
            cluster.close()
        left = [one for one in set(threading.enumerate()) - threads if "kubernetes" in one.name]
        assert left == []


def gathered(stream: ExecStream, within: float = 60) -> tuple[bytes, bytes]:
    """All output until the end."""
    output: dict[int, bytes] = {1: b"", 2: b""}
    end = time.monotonic() + within
    while time.monotonic() < end:
        piece = stream.read(1.0)
        if piece is not None and not piece[1]:
            return output[1], output[2]
        if piece is not None:
            output[piece[0]] += piece[1]
    pytest.fail("the output did not end")


def shows(stream: ExecStream, text: bytes, within: float = 30) -> bytes:
    seen = b""
    end = time.monotonic() + within
    while text not in seen:
        assert time.monotonic() < end, seen
        piece = stream.read(0.5)
        seen += piece[1] if piece else b""
    return seen


def test_a_command_leaves_its_exit_code_and_both_outputs(running: Running) -> None:
    script = "printf out; printf err >&2; exit 7"
    assert running.cluster.run(running.pod, ["sh", "-c", script]) == ExecResult(7, b"out", b"err")
    assert running.cluster.run(running.pod, ["true"]) == ExecResult(0, b"", b"")


def test_arguments_arrive_as_they_are(running: Running) -> None:
    words = ["a b", "", "é&x=y", "$HOME", '"', "-n", "%20+"]
    done = running.cluster.run(running.pod, ["sh", "-c", 'for w in "$@"; do echo "[$w]"; done', "sh", *words])
    assert done.stdout.decode() == "".join(f"[{word}]\n" for word in words)


def test_input_arrives_and_ends(running: Running) -> None:
    done = running.cluster.run(running.pod, ["sh", "-c", "cat; echo end"], stdin=b"\x00\xff\r\nabc")
    assert done.stdout == b"\x00\xff\r\nabcend\n"


def test_a_character_that_is_cut_in_two_and_bytes_that_are_none_stay_as_they_are(running: Running) -> None:
    """Case 127: no decoding, so no border matters."""
    text = b"a" * 4095 + "é".encode() + "😀".encode() * 10_000 + b"\xff\xfe\x80"
    assert running.cluster.run(running.pod, ["cat"], stdin=text).stdout == text


def test_a_megabyte_in_and_twenty_out_at_once(running: Running) -> None:
    """Case 128: both directions are drained, also when the command writes before it reads."""
    given = bytes(range(256)) * 4096
    script = "head -c 20000000 /dev/zero; cat | wc -c >&2"
    done = running.cluster.run(running.pod, ["sh", "-c", script], stdin=given, timeout=90)
    assert (done.exit_code, len(done.stdout), done.stderr.strip()) == (0, 20_000_000, b"1048576")
    assert running.cluster.run(running.pod, ["cat"], stdin=given, timeout=90).stdout == given


def test_a_command_that_takes_too_long_is_let_go_of(running: Running) -> None:
    with pytest.raises(Unreachable, match="the command did not end within 1 s"):
        running.cluster.run(running.pod, ["sleep", "1000"], timeout=1)


def test_what_cannot_be_run_is_refused_and_what_does_not_run_is_missing(running: Running) -> None:
    cluster, pod = running.cluster, running.pod
    with pytest.raises(Refused, match="no-such-program"):
        cluster.run(pod, ["no-such-program"])
    with pytest.raises(Refused, match="container other is not valid"):
        cluster.run(PodRef(pod.namespace, pod.name, "other"), ["true"])
    with pytest.raises(Missing, match='pods "other" not found'):
        cluster.run(PodRef(pod.namespace, "other"), ["true"])
    waiting = probe.pod("waiting")
    waiting["metadata"]["namespace"] = pod.namespace
    waiting["spec"]["containers"][0]["image"] = "hive.test/nothing:1"
    cluster.create(PODS, waiting)
    with pytest.raises(Missing):
        cluster.run(PodRef(pod.namespace, "waiting"), ["true"])
    with pytest.raises(Missing):
        cluster.follow_log(PodRef(pod.namespace, "waiting"))
    cluster.delete(PODS, "waiting", pod.namespace)


def test_one_thread_reads_while_another_writes(running: Running) -> None:
    stream = running.cluster.exec(running.pod, ["cat"])
    given = [bytes([65 + number % 26]) * 50_000 for number in range(60)]

    def write() -> None:
        for piece in given:
            stream.write(piece)
        stream.close_stdin()

    writer = threading.Thread(target=write)
    writer.start()
    assert gathered(stream) == (b"".join(given), b"")
    writer.join(timeout=30)
    assert not writer.is_alive()
    assert stream.exit_code() == 0
    stream.close()


def test_input_that_ends_leaves_the_output_open(running: Running) -> None:
    stream = running.cluster.exec(running.pod, ["sh", "-c", "cat >/dev/null; echo after; exit 4"])
    stream.write(b"text")
    assert stream.read(0.3) is None
    assert stream.exit_code() is None
    stream.close_stdin()
    assert gathered(stream) == (b"after\n", b"")
    assert stream.exit_code() == 4
    assert stream.read(1) == (1, b"")
    stream.close()


def test_a_terminal_has_its_size_and_changes_it(running: Running) -> None:
    stream = running.cluster.exec(
        running.pod, ["sh", "-c", "trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done"], tty=True
    )
    shows(stream, b"up")
    stream.resize(91, 23)
    shows(stream, b"23 91")
    stream.resize(120, 40)
    shows(stream, b"40 120")
    stream.close()
    stream.close()


def test_a_reader_that_waits_wakes_when_another_thread_closes(running: Running) -> None:
    stream = running.cluster.exec(running.pod, ["sleep", "1000"])
    threading.Timer(0.3, stream.close).start()
    with pytest.raises(Unreachable, match="it was let go of"):
        stream.read(60)
    with pytest.raises(Unreachable):
        stream.write(b"x")


def test_a_connection_that_breaks_is_told_to_reader_and_writer(running: Running) -> None:
    stream = running.cluster.exec(running.pod, ["cat"])
    stream.write(b"before")
    shows(stream, b"before")
    running.relay.cut()
    with pytest.raises(Unreachable, match="the connection"):
        stream.read(30)
    with pytest.raises(Unreachable):
        stream.write(b"after")
    stream.close()
    assert running.cluster.run(running.pod, ["echo", "again"]).stdout == b"again\n"


def test_a_network_that_swallows_everything_is_noticed(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hive.shells.kubernetes import link

    stream = running.cluster.exec(running.pod, ["cat"])
    stream.write(b"before")
    shows(stream, b"before")
    monkeypatch.setattr(link, "QUIET", 0.3)
    monkeypatch.setattr(link, "DEAD", 4.0)
    assert stream.read(6.0) is None  # the sign of life is asked for, and given
    running.relay.silence()
    with pytest.raises(Unreachable, match="the other side has gone silent"):
        stream.read(60)
    stream.close()


def test_a_log_is_followed_until_it_is_let_go_of(running: Running) -> None:
    log = running.cluster.follow_log(running.pod)
    lines = log.lines()
    assert next(lines) == b"begun"
    threading.Timer(0.3, log.close).start()
    assert list(lines) == []
    log.close()


def test_a_log_ends_with_its_container_and_keeps_its_lines(running: Running) -> None:
    script = r"printf '1\n\n\303\251\377\n'; echo 4; sleep 1; printf last"
    manifest = probe.pod("brief", ["sh", "-c", script])
    manifest["metadata"]["namespace"] = running.pod.namespace
    manifest["spec"]["restartPolicy"] = "Never"
    running.cluster.create(PODS, manifest)
    brief = PodRef(running.pod.namespace, "brief")
    eventually(lambda: begun(running, brief), within=60, what="the container")
    assert list(running.cluster.follow_log(brief).lines()) == [b"1", b"", b"\xc3\xa9\xff", b"4", b"last"]
    assert list(running.cluster.follow_log(brief, tail=2).lines()) == [b"4", b"last"]
    with pytest.raises(Missing):
        running.cluster.run(brief, ["true"])
    running.cluster.delete(PODS, "brief", running.pod.namespace)


def begun(running: Running, pod: PodRef) -> bool:
    status = running.cluster.get(PODS, pod.name, pod.namespace).get("status") or {}
    return status.get("phase") in ("Running", "Succeeded")


SERVER = """\
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"x" * int(self.path[1:])
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
if os.fork() == 0:
    os.setsid()
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    server.serve_forever()
"""


def test_a_port_of_the_pod_is_reached_on_loopback_while_it_is_held(running: Running) -> None:
    assert running.cluster.run(running.pod, ["python3", "-c", SERVER], timeout=60).exit_code == 0
    with running.cluster.forward(running.pod, 8080) as port:
        for size in (0, 3, 3_000_000):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", f"/{size}")
            assert len(connection.getresponse().read()) == size
            connection.close()
        held = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        held.connect()
    with pytest.raises(OSError, match=r"refused|reset"):
        http.client.HTTPConnection("127.0.0.1", port, timeout=5).connect()
    held.close()


def test_a_port_of_no_pod_is_missing(running: Running) -> None:
    absent = PodRef(running.pod.namespace, "other")
    with pytest.raises(Missing, match='pods "other" not found'), running.cluster.forward(absent, 8080):
        pass


def test_a_log_of_a_container_that_says_nothing_can_be_let_go_of(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """API servers answer nothing at all until there is a first line."""
    from hive.shells.kubernetes import logs

    monkeypatch.setattr(logs, "FIRST", 0.5)
    monkeypatch.setattr(logs, "AGAIN", 0.5)
    manifest = probe.pod("quiet", ["sh", "-c", "cat /tmp/line 2>/dev/null; exec sleep 100000"])
    manifest["metadata"]["namespace"] = running.pod.namespace
    running.cluster.create(PODS, manifest)
    quiet = PodRef(running.pod.namespace, "quiet")
    eventually(lambda: begun(running, quiet), within=60, what="the container")
    log = running.cluster.follow_log(quiet)
    reader = threading.Thread(target=lambda: list(log.lines()))
    reader.start()
    reader.join(timeout=1.5)
    assert reader.is_alive()
    log.close()
    reader.join(timeout=30)
    assert not reader.is_alive()
    running.cluster.delete(PODS, "quiet", running.pod.namespace)
