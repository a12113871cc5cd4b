"""Ports of the gateway that agents know from an earlier run."""

from __future__ import annotations

from pathlib import Path

from hive.gateway.settings import PodsDoor
from hive.settings.pods_door import PodsOptions


def door(pods: PodsOptions | None, file: Path) -> PodsDoor | None:
    """The door for agents in pods; at the last run's port where any will do."""
    if pods is None:
        return None
    return PodsDoor(pods.host, pods.port or remembered(file), pods.name, pods.named_port)


def remembered(path: Path) -> int:
    """The port of the last run: agents that outlived it have it in their configuration."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
