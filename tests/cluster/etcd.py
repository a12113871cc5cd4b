"""One etcd for all control planes of a run, each under its own prefix: what makes a fleet cheap."""

from __future__ import annotations

import socket
import time

from tests.cluster.free_ports import free_port
from tests.cluster.run import Run
from tests.cluster.unavailable import Unavailable


class Etcd:
    """Listens on loopback only; its data are lost with the run."""

    def __init__(self, run: Run, name: str = "etcd") -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        peers = f"http://127.0.0.1:{free_port()}"
        self.process = run.start(
            name,
            [
                str(run.binaries["etcd"]),
                f"--data-dir={run.folder / name}",
                f"--listen-client-urls={self.url}",
                f"--listen-peer-urls={peers}",
                *self._advertised(run, peers),
            ],
            log=run.folder / f"{name}.log",
        )

    def _advertised(self, run: Run, peers: str) -> list[str]:
        """What the full etcd of KUBEBUILDER_ASSETS wants to hear as well."""
        if not run.binaries.borrowed:
            return []
        return [
            f"--advertise-client-urls={self.url}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",
        ]

    def wait(self, within: float = 60.0) -> None:
        """Until it takes connections."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if not self.process.is_alive():
                raise Unavailable(f"etcd ended at its start:\n{self.process.tail()}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise TimeoutError(f"etcd took no connection within {within:.0f} s:\n{self.process.tail()}")
