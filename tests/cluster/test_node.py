"""Pods run on a node as they would on anybody's, as far as the test network goes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.cluster import images, namespace, probe
from tests.cluster.api import Json
from tests.cluster.node import Node

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def room(node: Node) -> Iterator[str]:
    """A namespace on the node, and in it the pod `agent`, ready."""
    name = namespace.make(node.plane.api)
    start(node, name, probe.pod("agent"))
    yield name
    namespace.remove(node.plane.api, name)


def start(node: Node, room: str, pod: Json) -> None:
    path = f"/api/v1/namespaces/{room}/pods"
    node.plane.api.create(path, pod)
    node.plane.api.until(
        f"{path}/{pod['metadata']['name']}", "the pod ready", within=60, holds=probe.is_ready
    )


@pytest.fixture
def say(node: Node, room: str) -> Callable[..., str]:
    """Run a command in the pod; what it says."""
    return lambda *command: probe.execute(node.plane, room, "agent", *command)


def test_tmux_in_a_pod_is_reached_by_exec(say: Callable[..., str]) -> None:
    assert say("tmux", "new-session", "-d", "-s", "seat", "-x", "80", "-y", "24") == ""
    assert say("tmux", "list-sessions", "-F", "#{session_name} #{window_width}") == "seat 80\n"


def test_the_agent_is_not_root_and_writes_only_where_it_may(say: Callable[..., str]) -> None:
    assert say("sh", "-c", "id -un; id -u; echo $HOME") == f"agent\n{images.USER}\n{images.HOME}\n"
    tried = "for f in /home/agent /tmp /run/hive / /etc; do touch $f/x 2>/dev/null && echo $f; done; :"
    assert say("sh", "-c", tried).split() == ["/home/agent", "/tmp", "/run/hive"]


def test_a_pod_has_neither_capabilities_nor_a_service_accounts_token(say: Callable[..., str]) -> None:
    shown = say("sh", "-c", "grep CapEff /proc/1/status; ls /var/run/secrets 2>&1; env | grep KUBERNETES_")
    assert shown.split("\n")[0].split() == ["CapEff:", "0000000000000000"]
    assert "No such file" in shown
    # The API server's own Service is put into every pod's environment, whatever enableServiceLinks says.
    assert "KUBERNETES_SERVICE_HOST=10.96.0.1" in shown


def test_the_image_has_what_a_scripted_agent_needs(say: Callable[..., str]) -> None:
    script = "import hive_backends.scripted_agent.program, ssl, http.client, termios; print('whole')"
    assert say("python3", "-P", "-c", script) == "whole\n"
    assert say("sh", "-c", "git --version && bash --version | head -1").startswith("git version 2")
    assert say("sh", "-c", "git ls-remote https://127.0.0.1:1/x 2>&1").startswith("fatal: unable to access")


def test_characters_beyond_ascii_survive(say: Callable[..., str]) -> None:
    say("tmux", "new-session", "-d", "-s", "wide", "printf 'ä→❯ 漢\\n'; sleep 60")
    shown = say("sh", "-c", "sleep 0.3; tmux capture-pane -p -t wide | head -1")
    assert shown == "ä→❯ 漢\n"


def test_a_pod_reaches_the_host_at_the_nodes_host_address(node: Node, say: Callable[..., str]) -> None:
    with socket.create_server((node.host_address, 0)) as gateway:
        heard: list[str] = []

        def serve() -> None:
            taken, (peer, _) = gateway.accept()
            with taken:
                heard.append(peer)
                taken.sendall(b"welcome\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        answer = say("nc", "-w", "5", node.host_address, str(gateway.getsockname()[1]))
        thread.join(timeout=10)
    assert answer == "welcome\n"
    assert heard
    assert heard[0].startswith("10.200."), "the pod's own address, not the node's"


def test_a_pod_does_not_reach_the_api_server(node: Node, say: Callable[..., str]) -> None:
    """By the node's firewall: the bridge enforces no NetworkPolicy, and nothing else would forbid it."""
    assert node.is_api_closed_to_pods
    link = node.api_link
    with socket.create_connection((link.address, link.port), timeout=5):
        said = say("sh", "-c", f"nc -w 5 {link.address} {link.port} </dev/null 2>&1; echo $?")
    assert said.splitlines()[-1] == "1", said
    assert "refused" in said


def test_an_offer_of_gpus_outlives_the_kubelets_own_updates(node: Node, room: str) -> None:
    node.offer("nvidia.com/gpu", 2, {"nvidia.com/gpu.product": "NVIDIA-L4"})
    path = f"/api/v1/nodes/{node.name}"
    found = node.plane.api.get(path)
    assert found["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-L4"
    beat = heartbeat(found)
    # Two more reports of the kubelet, each of which writes the whole status as the kubelet knows it.
    for _ in range(2):
        found = node.plane.api.until(
            path, "a report of the kubelet", within=60, holds=lambda now, last=beat: heartbeat(now) != last
        )
        beat = heartbeat(found)
    status = found["status"]
    assert (status["capacity"]["nvidia.com/gpu"], status["allocatable"]["nvidia.com/gpu"]) == ("2", "2")
    pod = probe.pod("with-gpu")
    pod["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "2"}}
    start(node, room, pod)


def heartbeat(node: Json) -> str:
    """When the kubelet last wrote its status."""
    ready = [each for each in node["status"]["conditions"] if each["type"] == "Ready"]
    return str(ready[0]["lastHeartbeatTime"])


def test_a_node_that_loses_its_api_server_comes_back_by_itself(node: Node) -> None:
    path = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node.name}"
    node.wait()  # the kubelet makes its lease a moment after the node
    node.plane.api.until(path, "the first lease", within=60, holds=lambda lease: True)
    try:
        node.api_link.refuse()
        node.api_link.cut()
        renewed = node.plane.api.get(path)["spec"]["renewTime"]
    finally:
        node.api_link.heal()  # the node is every test's
    node.plane.api.until(
        path, "the next renewal", within=60, holds=lambda lease: lease["spec"]["renewTime"] != renewed
    )
