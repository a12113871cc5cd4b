"""A full node: kubelet, containerd and pods that run, joined to a control plane on the same machine."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cluster import cgroups, images, kubeconfig, machine, sysctls
from tests.cluster.api import Json
from tests.cluster.containerd import Containerd
from tests.cluster.control_plane import ControlPlane
from tests.cluster.free_ports import API_LINKS, free_port
from tests.cluster.kubeconfig import Context
from tests.cluster.namespaces import Namespaces
from tests.cluster.process import Process
from tests.cluster.relay import Relay
from tests.cluster.run import Run

_PATIENCE = 120.0


class Node:
    """Joins `plane`, whose controllers and scheduler it starts where they do not run yet.

    The constructor returns when all is started and the images are loaded; `wait()` when the node is Ready.
    Raises `Unavailable` where this machine cannot run a node.
    """

    def __init__(self, run: Run, plane: ControlPlane, name: str) -> None:
        machine.require_node()
        self.run, self.plane, self.name = run, plane, name
        self._label = f"{plane.name}-{name}"
        self.folder = run.folder / self._label
        self.folder.mkdir(mode=0o700)
        began = time.monotonic()
        sysctls.keep(run.folder)
        with ThreadPoolExecutor(max_workers=2) as at_once:
            archives = at_once.submit(images.archives, run.binaries["pause"])
            plane.start_controllers(scheduler=True)
            self._cgroup = cgroups.make(f"{run.name}/{self._label}")
            self._namespaces = Namespaces(run, self._label, self.folder)
            self.host_address = self._namespaces.subnets.host
            """An address of the host side that the node and its pods reach: where a gateway listens."""
            self.address = self._namespaces.subnets.node
            self.api_link = Relay(
                ("127.0.0.1", plane.port), self.host_address, free_port(self.host_address, API_LINKS)
            )
            """The node's only way to the API server: `cut()`, `silence()`, `refuse()` it, `heal()` it."""
            self.is_api_closed_to_pods = self._close_api()
            self.containerd = Containerd(run, self._label, self.folder / "cri", self._namespaces)
            self.containerd.wait()
            for archive in archives.result():
                self.containerd.load(archive)
        self.kubelet = self._start_kubelet()
        self._began = began
        self.seconds: float | None = None
        """How long it took from the constructor's begin to Ready; None before `wait()`."""

    def wait(self, within: float = _PATIENCE) -> None:
        """Until the node is Ready."""
        try:
            self.plane.api.until(
                f"/api/v1/nodes/{self.name}", f"node {self.name} Ready", within=within, holds=_is_ready
            )
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.kubelet.tail(20)}") from error
        self.seconds = self.seconds or time.monotonic() - self._began

    def offer(self, resource: str, count: int, labels: dict[str, str] | None = None) -> None:
        """Give the node `count` pieces of an extended resource, and `labels` as GPU feature discovery would.

        `offer("nvidia.com/gpu", 2, {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})`. The kubelet keeps
        what it does not know in its own later updates; only its restart sets it to zero.
        """
        path = f"/api/v1/nodes/{self.name}"
        amounts = {resource: str(count)}
        status = {"status": {"capacity": amounts, "allocatable": amounts}}
        self.plane.api.patch(f"{path}/status", status, "application/strategic-merge-patch+json")
        if labels:
            self.plane.api.patch(path, {"metadata": {"labels": labels}})

    def load(self, archive: Path) -> None:
        """Import one more image archive (docker-archive or OCI)."""
        self.containerd.load(archive)

    def inside(self, *argv: str) -> str:
        """What a command says in the node's network and mounts; for looking around and for `iptables`."""
        return self._namespaces.call(*argv)

    def _close_api(self) -> bool:
        """Refuse the pods every node's way to its API server; whether this kernel has a firewall to do it.

        Nothing enforces a NetworkPolicy here, and a sandbox is not to reach an API server.
        """
        ports = f"{API_LINKS.start}:{API_LINKS.stop - 1}"
        rule = ("--in-interface", "pods", "--protocol", "tcp", "--dport", ports, "--jump", "REJECT")
        try:
            self.inside("iptables", "--insert", "FORWARD", *rule)
        except RuntimeError:
            return False
        return True

    def _start_kubelet(self) -> Process:
        certificate = self.plane.certificate(
            f"kubelet-{self.name}",
            f"system:node:{self.name}",
            organization="system:nodes",
            hosts=(self.name, self.address, "127.0.0.1"),
        )
        way = Context(
            self.plane.name, self.api_link.url(), self.plane.ca, certificate, tls_server_name="localhost"
        )
        configuration = self.folder / "kubelet.json"
        configuration.write_text(json.dumps(self._configuration(certificate), indent=1))
        flags = {
            "config": configuration,
            "kubeconfig": kubeconfig.write(self.folder / "kubelet.kubeconfig", way),
            "hostname-override": self.name,
            "node-ip": self.address,
            "root-dir": self.folder / "kubelet",
            "cert-dir": self.folder / "kubelet-pki",
        }
        argv = self._namespaces.inside(
            str(self.run.binaries["kubelet"]), *(f"--{flag}={value}" for flag, value in flags.items())
        )
        return self.run.start(f"{self._label}/kubelet", argv, log=self.folder / "kubelet.log")

    def _configuration(self, certificate: tuple[Path, Path]) -> Json:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.address,
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": str(self.plane.ca)},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": str(certificate[0]),
            "tlsPrivateKeyFile": str(certificate[1]),
            "containerRuntimeEndpoint": self.containerd.endpoint,
            "podLogsDir": str(self.folder / "logs"),
            "volumePluginDir": str(self.folder / "volume-plugins"),
            "resolvConf": "",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": self._cgroup,
            "cgroupsPerQOS": True,
            "enforceNodeAllocatable": [],
            "failCgroupV1": False,
            "failSwapOn": False,
            "makeIPTablesUtilChains": False,
            "oomScoreAdj": 0,
            # Images come from files alone: one that was cleaned up could not be had again.
            "imageGCHighThresholdPercent": 100,
            "evictionHard": {
                "memory.available": "50Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
                "nodefs.inodesFree": "1%",
            },
            "syncFrequency": "5s",
            "nodeStatusUpdateFrequency": "2s",
        }


def _is_ready(node: Json) -> bool:
    conditions = node.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
