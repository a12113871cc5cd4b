"""A sandbox on a real node: the template's pod, the seat, the agent, and its push through hive's gateway."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from hive.decisions.sandbox import SANDBOX, gateway_address, names_of, render
from hive.facts import kubernetes as k
from hive.facts.agents import AgentSpec, session_name
from hive.facts.fleet import UNIT, GpuNeed, SandboxRequest
from hive.facts.kubernetes import PodRef
from hive.facts.screens import ScreenState
from hive.gateway import PodsDoor, pod_client_files
from hive.ports.terminal import SessionOrder
from hive.shells.kubernetes.cluster import KubernetesCluster
from hive.shells.kubernetes.seats import HOME, PodClient, PodSeats
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.kubernetes.terminal_transcripts import PodTranscripts
from hive_backends.scripted import backend
from tests.backends.stage import prompt
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import cluster_run, fresh_namespace, node
from tests.cluster.images import AGENT as IMAGE
from tests.cluster.node import Node
from tests.decisions.sandbox.templates import shipped
from tests.decisions.worlds import spec
from tests.gateway.conftest import forge, place
from tests.gateway.place import AGENT, REPO, Place, at_task
from tests.gateway.pod import IN_POD, POD_TOKEN, Pod, pod_in
from tests.shells.kubernetes.test_sandboxes_on_a_server import KINDS
from tests.shells.waiting import eventually

__all__ = ["cluster_run", "forge", "fresh_namespace", "node", "place"]  # fixtures

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(300)]

SMALL = {"image_pull_policy": "Never", "cpu": "50m", "cpu_limit": "2", "memory": "128Mi", "disk": "256Mi"}
BRANCH = "hive/quality/2-tests"


@dataclass
class Sandbox:
    """One sandbox on the node, by the API alone."""

    cluster: KubernetesCluster
    namespace: str
    request: SandboxRequest

    @property
    def name(self) -> str:
        return names_of(self.request.name).name

    def start(self, gateway: Pod | None = None) -> None:
        url = gateway.gateway.pods_url if gateway else None
        address = gateway_address(url.removeprefix("https://")) if url else None
        held = {"token": b"t", "ca.pem": b"c"}
        if gateway:
            held = {name: (gateway.folder / name).read_bytes() for name in held}
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": names_of(self.request.name).secret, "namespace": self.namespace},
            "data": {name: base64.b64encode(value).decode() for name, value in held.items()},
        }
        self.cluster.create(k.SECRETS, secret)
        template = shipped()[self.request.template]
        for manifest in render(
            template, self.request, image=IMAGE, namespace=self.namespace, gateway=address
        ):
            self.cluster.apply(KINDS[manifest["kind"]], manifest, manager="hive")

    def pod(self) -> Any:
        """The pod's manifest, once it is ready."""

        def ready() -> Any:
            found = self.cluster.list(k.PODS, self.namespace, labels=f"{SANDBOX}={self.name}").items
            conditions = [each for pod in found for each in pod.get("status", {}).get("conditions", [])]
            is_ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
            return found[0] if is_ready else None

        return eventually(ready, within=60, what="the pod")

    def sh(self, pod: PodRef, script: str) -> tuple[int, str]:
        """Exit status and all that a shell in the pod printed."""
        done = self.cluster.run(pod, ("sh", "-c", f"exec 2>&1; {script}"))
        return done.exit_code, done.stdout.decode()


Make = Callable[..., Sandbox]


@pytest.fixture
def sandbox(node: Node, fresh_namespace: Callable[[ControlPlane], str]) -> Iterator[Make]:
    node.wait()
    cluster = KubernetesCluster.from_kubeconfig(node.plane.kubeconfig, node.plane.name)
    namespace = fresh_namespace(node.plane)
    # Whatever a template says is let in only where it keeps the restricted standard.
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    node.plane.api.patch(f"/api/v1/namespaces/{namespace}", label)
    made: list[Sandbox] = []

    def make(template: str = "cpu", **fields: Any) -> Sandbox:
        given = {"parameters": SMALL, **fields}
        made.append(Sandbox(cluster, namespace, SandboxRequest(namespace, AGENT, template, **given)))
        return made[-1]

    yield make
    for each in made:
        cluster.delete(k.DEPLOYMENTS, each.name, namespace)
    eventually(lambda: not cluster.list(k.PODS, namespace).items, within=30, what="the end of the pods")
    cluster.close()


def reference(pod: Any) -> PodRef:
    return PodRef(k.namespace_of(pod), k.name_of(pod))


def test_a_pod_has_no_more_than_an_agent_needs(sandbox: Make) -> None:
    made = sandbox()
    made.start()
    pod = reference(made.pod())
    assert made.sh(pod, "id -u; id -g; hostname") == (0, f"1000\n1000\n{AGENT}\n")
    assert made.sh(pod, "cat /run/secrets/hive/token /run/secrets/hive/ca.pem") == (0, "tc")
    status, said = made.sh(pod, "ls /var/run/secrets/kubernetes.io")
    assert (status != 0, "No such file" in said) == (True, True)
    for path in ("/", "/usr/bin", "/run/secrets/hive", "/etc"):
        assert made.sh(pod, f"touch {path}/x")[0] != 0, path
    for path in (HOME, "/tmp", "/run/hive"):
        assert made.sh(pod, f"touch {path}/x && rm {path}/x") == (0, ""), path
    assert made.sh(pod, "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status") == (
        0,
        "CapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n",
    )
    assert (
        made.sh(pod, "cat /proc/1/comm; tr '\\0' ' ' </proc/1/cmdline")[1]
        .split()[-1]
        .endswith("hive-sandbox")
    )


def test_a_pod_ends_soon_when_it_is_deleted(sandbox: Make) -> None:
    made = sandbox()
    made.start()
    pod = reference(made.pod())
    began = time.monotonic()
    made.cluster.delete(k.DEPLOYMENTS, made.name, made.namespace)
    eventually(
        lambda: not made.cluster.list(k.PODS, made.namespace, fields=f"metadata.name={pod.name}").items,
        within=30,
        what="the end of the pod",
    )
    print(f"\na pod was gone {time.monotonic() - began:.1f} s after its Deployment was deleted")
    assert time.monotonic() - began < 10, "it did not wait to be killed"


def test_a_pod_whose_tmux_server_dies_is_started_anew_with_its_home(sandbox: Make) -> None:
    made = sandbox()
    made.start()
    pod = reference(made.pod())
    made.sh(pod, f"echo kept >{HOME}/work/note; tmux -S /run/hive/tmux.sock kill-server")

    def restarted() -> bool:
        (status,) = made.pod()["status"]["containerStatuses"]
        return bool(status["restartCount"] == 1 and status["ready"])

    eventually(restarted, within=60, what="the container's second start")
    assert made.sh(pod, f"cat {HOME}/work/note; tmux -S /run/hive/tmux.sock list-sessions") == (0, "kept\n")


def test_a_pod_with_gpus_goes_to_the_node_that_has_them(sandbox: Make, node: Node) -> None:
    node.offer("nvidia.com/gpu", 2, {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.memory": "23034"})
    made = sandbox("gpu", gpu=GpuNeed(1, ("NVIDIA-L4",), 20 * 2**30 * UNIT))
    made.start()
    assert made.pod()["spec"]["nodeName"] == node.name


def seats(made: Sandbox, pod: PodRef, url: str) -> PodSeats:
    def client(wanted: AgentSpec) -> PodClient:
        files, environment = pod_client_files(proxy_url=url, agent=wanted.name, repos=(REPO,))
        return PodClient(files, environment, f"{HOME}/.config/hive/launch")

    return PodSeats(lambda wanted: (made.cluster, pod), {"scripted": backend}, client)


def test_an_agent_in_a_pod_opens_a_pull_request_through_the_gateway(
    sandbox: Make, node: Node, place: Place
) -> None:
    gateway = pod_in(place, door=PodsDoor(node.host_address, 0, node.host_address))
    place.authority.identities[POD_TOKEN] = at_task(IN_POD, 2)
    made = sandbox()
    made.start(gateway)
    pod = reference(made.pod())
    url = gateway.gateway.pods_url
    assert url is not None
    wanted = spec(AGENT, environment=(("SCRIPTED_PACE", "0"),))
    began = time.monotonic()
    ready = seats(made, pod, url).prepare(wanted, generation=1, token="hive-token-of-this-machine")
    print(f"\na seat was prepared in {time.monotonic() - began:.2f} s")
    terminal = PodTerminal(lambda command: made.cluster.exec(pod, command))
    try:
        work(
            terminal,
            SessionOrder(session_name(AGENT), ready.launch.argv, ready.launch.environment, ready.workdir),
        )
    finally:
        terminal.close()
    (pull,) = gateway.pulls()
    assert (pull["title"], pull["head"], pull["base"]) == ("no tests", BRANCH, "main")
    assert f"refs/heads/{BRANCH}" in gateway.branches()
    held = made.sh(pod, f"grep -rlE '{POD_TOKEN}|hive-token-of-this-machine' {HOME}; true")
    assert held == (0, ""), "no token lies in the home"


def work(terminal: PodTerminal, order: SessionOrder) -> None:
    """Start the agent and have it do one task to its end."""
    terminal.create(order)
    name = order.name

    def is_ready() -> bool:
        screen = terminal.capture([name]).get(name, "")
        return backend.read(screen, now=datetime(2026, 11, 30, tzinfo=UTC)).state is ScreenState.READY

    eventually(is_ready, within=30, what="the agent's first screen")
    text = prompt(
        "There are none.",
        clone=f"https://github.com/{REPO}.git",
        issue=2,
        repository=REPO,
        title="no tests",
        branch=BRANCH,
    )
    terminal.paste(name, text, {"pasted": "t1/p1"})
    time.sleep(backend.traits.submission.settle.total_seconds())
    terminal.press(name, backend.traits.submission.keys, {"submitted": "t1/p1"})
    transcripts = PodTranscripts(terminal.run_script)
    path = backend.transcript(HOME)
    assert path is not None

    def ended() -> Any:
        turns = backend.turns(transcripts.lines(path))
        return turns[0] if turns and turns[0].ended else None

    turn = eventually(ended, within=60, what="the end of the turn")
    assert turn.outcome == "done", terminal.capture([name])
