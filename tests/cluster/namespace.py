"""A namespace of its own for each test: what isolates tests that share a control plane."""

from __future__ import annotations

import secrets

from tests.cluster.api import Api


def make(api: Api, prefix: str = "test") -> str:
    """The name of a new namespace with its default service account: there may be no controller to make it."""
    name = f"{prefix}-{secrets.token_hex(4)}"
    api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    api.ensure(
        f"/api/v1/namespaces/{name}/serviceaccounts",
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}},
    )
    return name


def remove(api: Api, name: str) -> None:
    """Ask for its end. Without kube-controller-manager it stays, terminating, until the run ends."""
    api.delete(f"/api/v1/namespaces/{name}", {"gracePeriodSeconds": 0})
