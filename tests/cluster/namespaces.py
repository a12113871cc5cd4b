"""A node's own world on this machine: its network, and its view of the file system.

One small process holds both namespaces open. Nothing has a name outside: when the processes in them end, the
kernel takes every mount, bridge and route with them, so a crash leaves none. /run, /var/lib and /var/log are
the node's own too, because containerd, the CNI plug-ins and the kubelet write to fixed places there, which
two nodes on one machine would share.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tests.cluster.addresses import Subnets, first_free
from tests.cluster.file_lock import held
from tests.cluster.leftovers import link_prefix
from tests.cluster.run import Run
from tests.cluster.sysctls import MACHINE

_OWN = ("/run", "/var/lib", "/var/log")
_PATIENCE = 20.0


class Namespaces:
    """Made by the constructor, entered with `inside`."""

    def __init__(self, run: Run, name: str, folder: Path) -> None:
        argv = ["unshare", "--net", "--mount", "--propagation", "private", str(run.binaries["pause"])]
        self.anchor = run.start(f"{name}/anchor", argv, log=folder / "anchor.log")
        self._await_anchor()
        for path in _OWN:
            self.call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", path)
        with held(MACHINE / "addresses.lock"):
            self.subnets = first_free()
            self._link(f"{link_prefix(run.name)}n{self.subnets.number}")

    def inside(self, *argv: str) -> list[str]:
        """The command line that runs `argv` in the node's world."""
        return ["nsenter", f"--target={self.anchor.pid}", "--net", "--mount", "--", *argv]

    def call(self, *argv: str) -> str:
        """Run it there, and return what it says. Raises RuntimeError with its complaint."""
        return _call(*self.inside(*argv))

    def _await_anchor(self) -> None:
        """unshare becomes the anchor once its namespaces are made."""
        end = time.monotonic() + _PATIENCE
        executable = Path(f"/proc/{self.anchor.pid}/exe")
        while self.anchor.is_alive() and os.path.basename(os.readlink(executable)) != "pause":
            if time.monotonic() > end:
                raise TimeoutError(f"no namespaces within {_PATIENCE:.0f} s: {self.anchor.tail()}")
            time.sleep(0.005)
        if not self.anchor.is_alive():
            raise RuntimeError(f"the node got no namespaces of its own: {self.anchor.tail()}")

    def _link(self, link: str) -> None:
        subnets: Subnets = self.subnets
        peer = ("peer", "name", "eth0", "netns", str(self.anchor.pid))
        _call("ip", "link", "add", link, "type", "veth", *peer)
        _call("ip", "addr", "add", f"{subnets.host}/24", "dev", link)
        _call("ip", "link", "set", link, "up")
        _call("ip", "route", "add", subnets.pods, "via", subnets.node)
        self.call("ip", "link", "set", "lo", "up")
        self.call("ip", "addr", "add", f"{subnets.node}/24", "dev", "eth0")
        self.call("ip", "link", "set", "eth0", "up")
        self.call("ip", "route", "add", "default", "via", subnets.host)


def _call(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
