"""The terminal's contract, and what a pod adds to it, in a pod that really runs."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from hive.errors import Missing, Unreachable
from hive.facts.kubernetes import PODS, PodRef
from hive.ports.kubernetes import ExecStream
from hive.shells.kubernetes import KubernetesCluster
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.kubernetes.terminal_processes import PodProcesses
from hive.shells.kubernetes.terminal_transcripts import PodTranscripts
from tests.cluster import images, probe
from tests.cluster.fixtures import cluster_run, node
from tests.cluster.namespace import make
from tests.cluster.node import Node
from tests.cluster.relay import Relay
from tests.shells import test_terminal_contract as contract
from tests.shells.tmux.conftest import BEGIN, END, order
from tests.shells.waiting import eventually

__all__ = ["cluster_run", "node"]
pytestmark = [pytest.mark.cluster, pytest.mark.slow]

# Collected here once more, with the terminal of this module.
globals().update({name: test for name, test in vars(contract).items() if name.startswith("test_")})

NAME = "hive-agent"
# Reads raw, asks for bracketed paste, and logs what comes.
READER = """
import os, sys, tty
tty.setraw(0)
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(1, b"\\x1b[?2004hready\\r\\n")
while data := os.read(0, 1 << 16):
    os.write(log, data)
"""


@dataclass(frozen=True)
class Running:
    """A pod, and the way to it."""

    cluster: KubernetesCluster
    relay: Relay
    pod: PodRef

    def open(self, command: Sequence[str]) -> ExecStream:
        return self.cluster.exec(self.pod, command)

    def read(self, path: str) -> bytes:
        return self.cluster.run(self.pod, ["cat", path]).stdout


@pytest.fixture(scope="module")
def running(node: Node) -> Iterator[Running]:
    namespace = make(node.plane.api)
    path = f"/api/v1/namespaces/{namespace}/pods"
    node.plane.api.create(path, probe.pod("agent", ["hive-sandbox"]))
    node.plane.api.until(f"{path}/agent", "the pod runs", within=100, holds=probe.is_ready)
    with node.plane.relay() as relay:
        config = node.plane.kubeconfig_for(url=relay.url())
        cluster = KubernetesCluster.from_kubeconfig(config, node.plane.name, timeout=30)
        yield Running(cluster, relay, PodRef(namespace, "agent"))
        cluster.close()
    node.plane.api.delete(f"{path}/agent", {"gracePeriodSeconds": 0})


@pytest.fixture
def terminal(running: Running) -> Iterator[PodTerminal]:
    terminal = PodTerminal(running.open, timeout=40, silence=10)
    try:
        yield terminal
    finally:
        running.relay.heal()
        for pane in terminal.look():
            terminal.stop(pane.name)
        terminal.close()


def test_prompts_over_streams_that_are_cut_arrive_once_each_and_in_order(
    running: Running, terminal: PodTerminal
) -> None:
    log = f"{images.HOME}/log"
    terminal.create(order(NAME, "python3", "-S", "-c", READER, log, environment={"PATH": "/usr/bin:/bin"}))
    eventually(lambda: "ready" in terminal.capture([NAME]).get(NAME, ""), within=30)
    dice = random.Random(1)
    ended = threading.Event()

    cuts = 0

    def cut() -> None:
        nonlocal cuts
        while not ended.wait(dice.uniform(0.05, 1.0)):
            running.relay.cut()
            cuts += 1

    cutter = threading.Thread(target=cut)
    cutter.start()
    want, number = b"", 0
    try:
        while cuts < 8 or number < 60:
            number += 1
            text = f"prompt {number} ü " + "x" * dice.choice([0, 100, 40_000])
            terminal.paste(NAME, text, {"prompt": str(number)})
            want += BEGIN + text.encode() + END
    finally:
        ended.set()
        cutter.join()
    eventually(lambda: len(running.read(log)) >= len(want), within=30)
    assert running.read(log) == want
    assert terminal.look()[0].marks == {"prompt": str(number)}


def test_an_agent_outlives_the_connection_and_is_found_by_the_next(
    running: Running, terminal: PodTerminal
) -> None:
    terminal.create(order(NAME, "cat", marks={"intent": "i-1"}))
    pid = terminal.look()[0].pid
    terminal.close()
    second = PodTerminal(running.open, timeout=40)
    assert [(pane.name, pane.pid, pane.marks) for pane in second.look()] == [(NAME, pid, {"intent": "i-1"})]
    second.close()


def test_a_stream_that_falls_silent_is_replaced(running: Running) -> None:
    terminal = PodTerminal(running.open, timeout=40, silence=1.0)
    terminal.create(order(NAME, "cat"))
    running.relay.silence()
    threading.Timer(2.0, running.relay.heal).start()
    terminal.paste(NAME, "once.", {"prompt": "1"})
    eventually(lambda: "once." in terminal.capture([NAME])[NAME])
    assert terminal.capture([NAME])[NAME].strip() == "once."
    terminal.stop(NAME)
    terminal.close()


def test_processes_and_transcripts_are_those_of_the_pod(running: Running, terminal: PodTerminal) -> None:
    path = f"{images.HOME}/transcript"
    script = f'echo "one ü" >{path}; sleep 1000 & sleep 1001; :'
    terminal.create(order(NAME, "sh", "-c", script, environment={"PATH": "/usr/bin:/bin"}))
    root = terminal.look()[0].pid
    processes = PodProcesses(terminal.run_script, fresh=0)
    tree = eventually(lambda: found if len(found := processes.tree([root])[root]) == 3 else None)
    assert [process.argv for process in tree[1:]] == [("sleep", "1000"), ("sleep", "1001")]
    assert [process.parent for process in tree[1:]] == [root, root]
    transcripts = PodTranscripts(terminal.run_script)
    assert transcripts.lines(path) == ("one ü",)
    assert transcripts.lines("/nowhere") == ()
    terminal.stop(NAME)
    assert processes.tree([root])[root] == ()
    assert b"sleep\x001000" not in terminal.run_script("cat /proc/[0-9]*/cmdline")


def test_a_deleted_pod_is_not_an_empty_terminal(node: Node, running: Running) -> None:
    path = f"/api/v1/namespaces/{running.pod.namespace}/pods"
    node.plane.api.create(path, probe.pod("short", ["hive-sandbox"]))
    node.plane.api.until(f"{path}/short", "the pod runs", within=100, holds=probe.is_ready)
    pod = PodRef(running.pod.namespace, "short")
    terminal = PodTerminal(lambda command: running.cluster.exec(pod, command), timeout=10)
    terminal.create(order(NAME, "cat"))
    running.cluster.delete(PODS, "short", pod.namespace)
    eventually(lambda: _is_gone(running, pod), within=60)
    with pytest.raises(Unreachable):
        terminal.look()
    with pytest.raises((Missing, Unreachable)):
        terminal.paste(NAME, "text", {})
    terminal.stop(NAME)
    terminal.close()


def _is_gone(running: Running, pod: PodRef) -> bool:
    try:
        running.cluster.get(PODS, pod.name, pod.namespace)
    except Missing:
        return True
    return False
