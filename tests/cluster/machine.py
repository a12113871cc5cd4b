"""Whether this machine can run a node at all, found out before anything is started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.cluster.unavailable import Unavailable

_PROGRAMS = ("containerd", "ctr", "runc", "ip", "nsenter", "unshare", "conntrack", "iptables", "busybox")


def require_node() -> None:
    """Raises `Unavailable` with the one thing to do."""
    if os.geteuid() != 0:
        raise Unavailable("a test node needs root: containerd, cgroups and network namespaces")
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing or not any(Path(folder, "bridge").exists() for folder in ("/usr/lib/cni", "/opt/cni/bin")):
        named = ", ".join(missing or ["the CNI plug-ins"])
        raise Unavailable(f"a test node lacks {named}: run scripts/cluster-packages")
