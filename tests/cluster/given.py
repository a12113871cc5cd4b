"""A cluster with nodes to run pods on: the one that the operator gave, or a node of our own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import images
from tests.cluster.node import Node
from tests.cluster.unavailable import Unavailable


@dataclass(frozen=True)
class Cluster:
    """`kubeconfig`'s current context is an administrator of it; `image` can be started there."""

    kubeconfig: Path
    image: str
    node: Node | None
    """None where the cluster was given: nothing is known of its machines then."""


def cluster(node: Callable[[], Node], environment: Mapping[str, str] = os.environ) -> Cluster:
    """What `HIVE_TEST_KUBECONFIG` names (with `HIVE_TEST_IMAGE`, an agent's image there), else `node()`.

    Raises `Unavailable` where the named file is not there.
    """
    named = environment.get("HIVE_TEST_KUBECONFIG")
    if not named:
        own = node()
        return Cluster(own.plane.kubeconfig, images.AGENT, own)
    if not Path(named).is_file():
        raise Unavailable(f"HIVE_TEST_KUBECONFIG is {named}, which is no file: correct it or unset it")
    return Cluster(Path(named), environment.get("HIVE_TEST_IMAGE") or images.AGENT, None)
