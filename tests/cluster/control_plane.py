"""A Kubernetes API server of one's own, in a few seconds, with a handle to hurt it by."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from tests.cluster import kubeconfig, pki
from tests.cluster.api import Api
from tests.cluster.etcd import Etcd
from tests.cluster.free_ports import free_port
from tests.cluster.kubeconfig import Context
from tests.cluster.process import Process
from tests.cluster.relay import Relay
from tests.cluster.run import Run
from tests.cluster.tokens import Token
from tests.cluster.unavailable import Unavailable

_HOSTS = ("localhost", "127.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "10.96.0.1")
_PATIENCE = 120.0
"""Seconds for what takes four on a quiet machine."""


class ControlPlane:
    """kube-apiserver over a prefix of an etcd, with its own authority; ready when the constructor returns.

    `kubeconfig` is an administrator's (0600, everything inline, current context `name`).
    Raises `Unavailable` when the server ends at its start, TimeoutError when it never gets ready.
    """

    def __init__(self, run: Run, name: str, etcd: Etcd, *, flags: tuple[str, ...] = ()) -> None:
        began = time.monotonic()
        self.run = run
        self.name = name
        self.etcd = etcd
        self.folder = run.folder / name
        self.folder.mkdir(mode=0o700)
        self._authority = pki.Authority(self.folder / "pki", f"{name}-ca")
        self.ca = self._authority.path
        self._flags = flags
        self._controllers: dict[str, Process] = {}
        self._relays: list[Relay] = []
        self._starting = threading.Lock()
        self._make_keys()
        self._begin()
        self.seconds = time.monotonic() - began
        """How long it took to become ready."""

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def process(self) -> Process:
        """The API server's."""
        return self._server

    def context(self, url: str | None = None) -> Context:
        """An administrator's way in, for `kubeconfig.write` with several clusters in one file."""
        return Context(self.name, url or self.url, self.ca, certificate=self._admin)

    def kubeconfig_for(
        self, *, url: str | None = None, token: str | None = None, token_file: Path | None = None
    ) -> Path:
        """Another kubeconfig: through a relay's `url`, or as the bearer of a token instead of the admin."""
        certificate = None if token or token_file else self._admin
        context = Context(
            self.name, url or self.url, self.ca, certificate, token, token_file, tls_server_name=None
        )
        path = self.folder / f"kubeconfig-{time.monotonic_ns()}"
        return kubeconfig.write(path, context)

    def relay(self) -> Relay:
        """A relay in front of this server, closed with it; `kubeconfig_for(url=relay.url())` goes through."""
        relay = Relay(("127.0.0.1", self.port))
        self._relays.append(relay)
        return relay

    def token(self, user: str, rights: str | list[dict[str, list[str]]] = "cluster-admin") -> Token:
        """A new bearer token of the service account `user`.

        `rights` names a ClusterRole or lists RBAC rules. Each call makes one more token, so the old one can
        be revoked while the new one is good: see `Token.revoke`.
        """
        return Token.issue(self.api, self.ca, user, rights)

    def restart(self, *, crash: bool = False, downtime: float = 0.0) -> None:
        """Stop the server and start it on the same port with the same data; returns when it is ready again.

        With `crash` it is killed, so that its connections break instead of being wound up.
        """
        self.stop_server(crash=crash)
        if downtime:
            time.sleep(downtime)
        self.start_server()

    def stop_server(self, *, crash: bool = False) -> None:
        """Nobody answers any more: connections are refused until `start_server()`."""
        self._server.kill() if crash else self._server.stop()

    def start_server(self) -> None:
        self._server = self._launch()
        self._await()

    def pause(self) -> None:
        """Connections open and stay open, and nothing is ever said: SIGSTOP."""
        self._server.pause()

    def resume(self) -> None:
        self._server.resume()

    def start_controllers(self, *, scheduler: bool = False) -> None:
        """kube-controller-manager: default service accounts, garbage collection, Deployments, the end of
        namespaces; with `scheduler` also kube-scheduler. Does nothing where they run. Does not wait."""
        with self._starting:
            names = ["kube-controller-manager", *(["kube-scheduler"] if scheduler else [])]
            for name in names:
                if name not in self._controllers:
                    self._controllers[name] = self._launch_controller(name)

    @property
    def has_controllers(self) -> bool:
        return "kube-controller-manager" in self._controllers

    def stop(self) -> None:
        """Everything of this control plane; its data stay in etcd until the run ends."""
        for relay in self._relays:
            relay.close()
        for process in (*self._controllers.values(), self._server):
            process.kill()
        self._controllers.clear()

    def certificate(
        self, file: str, name: str, *, organization: str | None = None, hosts: tuple[str, ...] = ()
    ) -> tuple[Path, Path]:
        """A certificate and key of this control plane's authority."""
        return self._authority.issue(file, name, organization=organization, hosts=hosts)

    def _make_keys(self) -> None:
        self._admin = self.certificate("admin", "hive-admin", organization="system:masters")
        self._serving = self.certificate("server", "kube-apiserver", hosts=_HOSTS)
        self._to_kubelet = self.certificate("to-kubelet", "kube-apiserver", organization="system:masters")
        self._signing = pki.key_pair(self.folder / "pki", "service-accounts")

    def _begin(self) -> None:
        """On the first free port that nobody else takes in between."""
        for _ in range(5):
            self.port = free_port()
            self.api = Api(self.url, self.ca, self._admin)
            self.kubeconfig = kubeconfig.write(self.folder / "kubeconfig", self.context())
            self._server = self._launch()
            try:
                return self._await()
            except Unavailable as unavailable:
                if "address already in use" not in str(unavailable):
                    raise
        raise Unavailable("kube-apiserver found no free port in five attempts")

    def _await(self) -> None:
        end = time.monotonic() + _PATIENCE
        while not self.api.is_ready():
            if not self._server.is_alive():
                raise Unavailable(f"kube-apiserver of {self.name} ended:\n{self._server.tail()}")
            if time.monotonic() > end:
                late = f"kube-apiserver of {self.name} was not ready in {_PATIENCE:.0f} s"
                raise TimeoutError(f"{late}:\n{self._server.tail()}")
            time.sleep(0.05)

    def _launch(self) -> Process:
        signing, verifying = self._signing
        flags = {
            "etcd-servers": self.etcd.url,
            "etcd-prefix": f"/{self.name}",
            "bind-address": "127.0.0.1",
            "advertise-address": "127.0.0.1",
            "endpoint-reconciler-type": "none",  # it would publish the address above, which no pod can reach
            "secure-port": self.port,
            "tls-cert-file": self._serving[0],
            "tls-private-key-file": self._serving[1],
            "client-ca-file": self.ca,
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": verifying,
            "service-account-signing-key-file": signing,
            "service-cluster-ip-range": "10.96.0.0/24",
            "authorization-mode": "Node,RBAC",
            "allow-privileged": "true",
            "kubelet-client-certificate": self._to_kubelet[0],
            "kubelet-client-key": self._to_kubelet[1],
            "kubelet-certificate-authority": self.ca,
            "kubelet-preferred-address-types": "InternalIP",
            "profiling": "false",
        }
        return self.run.start(
            f"{self.name}/kube-apiserver",
            [
                str(self.run.binaries["kube-apiserver"]),
                *(f"--{name}={value}" for name, value in flags.items()),
                *self._flags,
            ],
            log=self.folder / "kube-apiserver.log",
        )

    def _launch_controller(self, name: str) -> Process:
        certificate = self.certificate(name, f"system:{name}")
        path = self.folder / f"{name}.kubeconfig"
        kubeconfig.write(path, Context(self.name, self.url, self.ca, certificate))
        flags = {
            "kubeconfig": path,
            "authentication-kubeconfig": path,
            "authorization-kubeconfig": path,
            "leader-elect": "false",
            "bind-address": "127.0.0.1",
            "secure-port": free_port(),
            "profiling": "false",
        }
        if name == "kube-controller-manager":
            flags |= {
                "service-account-private-key-file": self._signing[0],
                "root-ca-file": self.ca,
                "use-service-account-credentials": "true",
                "node-monitor-period": "2s",
                "node-monitor-grace-period": "20s",
            }
        return self.run.start(
            f"{self.name}/{name}",
            [str(self.run.binaries[name]), *(f"--{flag}={value}" for flag, value in flags.items())],
            log=self.folder / f"{name}.log",
        )
