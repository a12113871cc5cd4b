"""The fixtures, for the tests of the cluster itself."""

from __future__ import annotations

from tests.cluster.fixtures import (
    node,
)

__all__ = [
    *("cluster_run", "control_plane", "fleet", "fresh_control_plane", "fresh_fleet", "fresh_namespace"),
    "node",
]
