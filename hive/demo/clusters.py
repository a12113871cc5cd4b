"""Clusters for the demo: the operator's own by a kubeconfig, or the test cluster of a checkout."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hive.errors import ConfigError, Unreachable

_LONGEST = 20 * 60.0
"""Seconds that the test cluster may take where nothing of it is built yet."""
GPU_MEMBER = "west"
NAMESPACE = "hive-demo"
_PRODUCT = "NVIDIA-L4"
_LANES = {"gpu": {"labels": ["bug", "test"]}, "cpu": {"labels": ["docs", "feature", "cleanup"]}}
"""Of the demo's own issues, those that change behaviour are said to need a GPU for their tests."""
_SMALL = {
    "image_pull_policy": "Never",
    "cpu": "200m",
    "memory": "512Mi",
    "disk": "512Mi",
    "scratch": "128Mi",
    "ephemeral_storage": "1Gi",
}
"""A scripted agent needs little, and the test cluster has two cores for everything."""


@dataclass(frozen=True, slots=True)
class ClusterWishes:
    """What `hive demo --kubernetes` was asked for.

    Attributes:
        kubeconfig: Of an existing cluster; None for the test cluster.
        image: What sandboxes run; None for the test cluster's own.
        address: Of this machine, as pods reach it; None: the one that the API server is reached from.
    """

    kubeconfig: Path | None = None
    image: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters that are there.

    Attributes:
        host: Address of this machine that pods reach.
        gpu: The product that some node offers; empty where none is known to.
        parameters: Of the sandbox template.
        seconds: How long each step took, where hive started them.
    """

    kubeconfig: Path
    hub: str
    members: tuple[str, ...]
    host: str
    image: str
    gpu: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


@contextmanager
def clusters(wishes: ClusterWishes, say: Any = sys.stderr) -> Iterator[Clusters]:
    """Those of the kubeconfig, or a hub and two members of one node each, one of which offers GPUs.

    Raises `ConfigError` for what cannot be used, `Unreachable` where a cluster does not come up.
    """
    if wishes.kubeconfig is not None:
        yield _existing(wishes, wishes.kubeconfig)
        return
    with _test_cluster(say) as document:
        yield Clusters(
            kubeconfig=Path(document["kubeconfig"]),
            hub=document["hub"],
            members=tuple(one["name"] for one in document["members"]),
            host=wishes.address or document["host_address"],
            image=wishes.image or document["image"],
            gpu=_PRODUCT,
            parameters=_SMALL,
            seconds=document["seconds"],
        )


def _existing(wishes: ClusterWishes, kubeconfig: Path) -> Clusters:
    from hive.settings.kubeconfig import read_kubeconfig

    if wishes.image is None:
        raise ConfigError(
            "--kubeconfig goes with --image REGISTRY/NAME:TAG, an image that its clusters can pull "
            "(sandbox-templates/image/Containerfile makes one)"
        )
    known = read_kubeconfig(os.fspath(kubeconfig.resolve()))
    hub = known.current or next(iter(known.contexts), None)
    if hub is None:
        raise ConfigError(f"{kubeconfig} has no context")
    members = tuple(name for name in known.contexts if name != hub) or (hub,)
    host = wishes.address or _address_towards(kubeconfig, hub)
    return Clusters(kubeconfig=kubeconfig, hub=hub, members=members, host=host, image=wishes.image)


def _address_towards(kubeconfig: Path, context: str) -> str:
    """The address from which this machine reaches the context's API server: nothing is sent."""
    from hive.shells.kubernetes.kubeconfig import kubeconfig_path, settings_of

    url = urlsplit(str(settings_of(kubeconfig_path(kubeconfig), context).host))
    family = socket.AF_INET6 if ":" in (url.hostname or "") else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((url.hostname or "", url.port or 443))
        except OSError as error:
            raise Unreachable("demo", f"there is no way to {url.netloc}: {error}") from error
        return str(probe.getsockname()[0])


@contextmanager
def _test_cluster(say: Any) -> Iterator[Mapping[str, Any]]:
    root = Path(__file__).resolve().parents[2]
    if not (root / "tests" / "cluster").is_dir():
        raise ConfigError("the test cluster is part of a checkout; here give --kubeconfig FILE --image IMAGE")
    _prepare(root)
    words = ("serve", "--member", "east", "--member", GPU_MEMBER, "--nodes", "2", "--gpu-member", GPU_MEMBER)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cluster", *words, "--gpu-product", _PRODUCT, "--measure"],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=say,
        start_new_session=True,
    )
    try:
        yield _document(process)
    finally:
        _end(process)


def _prepare(root: Path) -> None:
    """Have what a node runs installed; as root on Debian that is done, elsewhere it is said."""
    done = subprocess.run([root / "scripts" / "cluster-packages"], stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ConfigError("the test cluster cannot be run here; see above")


def _document(process: subprocess.Popen[bytes]) -> Mapping[str, Any]:
    """The one line that says where everything is."""
    assert process.stdout is not None
    deadline = time.monotonic() + _LONGEST
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Unreachable("demo", f"the test cluster did not come up within {_LONGEST / 60:g} minutes")
        if select.select([process.stdout], [], [], min(left, 5.0))[0]:
            line = process.stdout.readline()
            if not line:
                raise Unreachable("demo", "the test cluster did not come up; see above")
            document: Mapping[str, Any] = json.loads(line)
            return document


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let it take everything down again."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
    assert process.stdout is not None
    process.stdout.close()


def fleet_settings(found: Clusters) -> dict[str, Any]:
    """The sections of hive.yaml that an operator would write for these clusters."""
    host = f"[{found.host}]" if ":" in found.host else found.host
    return {
        "fleet": {
            "kubeconfig": os.fspath(found.kubeconfig),
            "hub": found.hub,
            "members": list(found.members),
            "namespace": NAMESPACE,
            "image": found.image,
        },
        "gateway": {"pods": {"listen": f"{host}:0"}},
        "triage": {"lanes": _LANES},
    }


def sandbox_of(found: Clusters, number: int) -> dict[str, Any]:
    """Lanes and sandbox of the agent `number`: where there are GPUs, every second works on what needs one."""
    if found.gpu and number % 2:
        gpu = {"count": 1, "product": [found.gpu]}
        return {"lanes": ["gpu"], "sandbox": _sandbox(found, "gpu", gpu=gpu)}
    spread = {"strategy": "spread"}  # not onto the fullest: that would be where the GPUs are
    return {"lanes": ["cpu"] if found.gpu else [], "sandbox": _sandbox(found, "cpu", prefer=spread)}


def _sandbox(found: Clusters, template: str, **more: Any) -> dict[str, Any]:
    return {"template": template, "parameters": dict(found.parameters), **more}


def install(found: Clusters) -> None:
    """What an operator does first: `hive install --crds` on the hub."""
    kubeconfig = ("--kubeconfig", os.fspath(found.kubeconfig))
    _hive("install", "--crds", *kubeconfig, "--context", found.hub, "--namespace", NAMESPACE)


def _hive(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hive.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = done.stdout.strip().removeprefix("hive: ")
        raise Unreachable("demo", f"`hive {' '.join(words)}` failed: {said}")
