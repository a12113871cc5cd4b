"""containerd for one node: everything of its own, pods on a bridge, images from files."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.cluster.images import PAUSE
from tests.cluster.namespaces import Namespaces
from tests.cluster.run import Run
from tests.cluster.unavailable import Unavailable

_PATIENCE = 60.0
_PLUGINS = ("/usr/lib/cni", "/opt/cni/bin")
_CONFIGURATION = """\
version = 2
root = "{folder}/store/root"
state = "{folder}/store/state"
# Slow to start and of no use here; opt would make a folder outside of the node's own.
disabled_plugins = [
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri", "io.containerd.internal.v1.tracing",
  "io.containerd.tracing.processor.v1.otlp", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE (a virtual machine's root may lack it) runc dies when it lowers the score.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{plugins}"
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
"""


class Containerd:
    """Starting when the constructor returns; `wait()` until it answers, then `load()` images."""

    def __init__(self, run: Run, name: str, folder: Path, namespaces: Namespaces) -> None:
        self._namespaces = namespaces
        self.socket = folder / "cri.sock"
        self.endpoint = f"unix://{self.socket}"
        (folder / "cni").mkdir(parents=True)
        (folder / "store").mkdir()
        # In memory: a third of the time to load images on a busy disk, and nothing to delete afterwards.
        namespaces.call("mount", "-t", "tmpfs", "-o", "mode=711", "tmpfs", str(folder / "store"))
        configuration = folder / "config.toml"
        configuration.write_text(
            _CONFIGURATION.format(folder=folder, socket=self.socket, pause=PAUSE, plugins=_plugins())
        )
        (folder / "cni" / "10-bridge.conflist").write_text(json.dumps(self._bridge(folder)))
        argv = namespaces.inside("containerd", "--config", str(configuration))
        self.process = run.start(f"{name}/containerd", argv, log=folder / "containerd.log")

    def wait(self) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self.ctr("version")
                return
            except RuntimeError as error:
                if not self.process.is_alive():
                    raise Unavailable(f"containerd ended at its start:\n{self.process.tail()}") from error
                if time.monotonic() > end:
                    raise TimeoutError(f"containerd did not answer: {error}") from error
            time.sleep(0.05)

    def load(self, archive: Path) -> None:
        """Import an image archive, for pods with `imagePullPolicy: Never` or `IfNotPresent`."""
        self.ctr("--namespace=k8s.io", "images", "import", str(archive))

    def ctr(self, *arguments: str) -> str:
        return self._namespaces.call("ctr", f"--address={self.socket}", *arguments)

    def _bridge(self, folder: Path) -> dict[str, object]:
        """Pods keep their own address on the way to the host, which has a route back to them."""
        addresses = {
            "type": "host-local",
            "ranges": [[{"subnet": self._namespaces.subnets.pods}]],
            "routes": [{"dst": "0.0.0.0/0"}],
            "dataDir": str(folder / "store" / "addresses"),
        }
        bridge = {
            "type": "bridge",
            "bridge": "pods",
            "isGateway": True,
            "ipMasq": False,
            "hairpinMode": True,
            "ipam": addresses,
        }
        return {"cniVersion": "0.4.0", "name": "pods", "plugins": [bridge]}


def _plugins() -> str:
    for folder in _PLUGINS:
        if (Path(folder) / "bridge").exists():
            return folder
    raise Unavailable("no CNI plug-ins for a test node: run scripts/cluster-packages")
