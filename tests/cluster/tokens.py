"""Bearer tokens of service accounts that can be taken back, for tests of what a client does at a 401."""

from __future__ import annotations

import http.client
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.api import Api

_NAMESPACE = "kube-system"
_CACHED = 30.0
"""Seconds. An API server believes a token for ten more seconds after it saw it last (its token cache)."""


@dataclass(frozen=True)
class Token:
    """`value` goes into `Authorization: Bearer`. It is bound to a Secret of its own, and dies with it."""

    value: str
    user: str
    bound_to: str
    api: Api
    ca: Path

    @classmethod
    def issue(cls, api: Api, ca: Path, user: str, rights: str | list[dict[str, list[str]]]) -> Token:
        """A token of the service account `user` (made if need be) with `rights` in all namespaces."""
        api.ensure(
            "/api/v1/namespaces",
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}},
        )
        accounts = f"/api/v1/namespaces/{_NAMESPACE}/serviceaccounts"
        api.ensure(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": user}})
        _grant(api, user, rights)
        name = f"{user}-{secrets.token_hex(3)}"
        secret = api.create(
            f"/api/v1/namespaces/{_NAMESPACE}/secrets",
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}},
        )
        bound = {"kind": "Secret", "apiVersion": "v1", "name": name, "uid": secret["metadata"]["uid"]}
        answer = api.create(
            f"{accounts}/{user}/token",
            {
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenRequest",
                "spec": {"boundObjectRef": bound},
            },
        )
        return cls(answer["status"]["token"], user, name, api, ca)

    def revoke(self, *, wait: bool = True) -> None:
        """Take it back. With `wait`, returns when the server answers 401, which takes up to ten seconds."""
        self.api.delete(f"/api/v1/namespaces/{_NAMESPACE}/secrets/{self.bound_to}")
        end = time.monotonic() + _CACHED
        while wait and self.is_good():
            if time.monotonic() > end:
                raise TimeoutError(f"the token of {self.user} was still good after {_CACHED:.0f} s")
            time.sleep(0.2)

    def is_good(self) -> bool:
        status, _ = Api(self.api.url, self.ca, token=self.value).raw("GET", "/api")
        return status != http.client.UNAUTHORIZED


def _grant(api: Api, user: str, rights: str | list[dict[str, list[str]]]) -> None:
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    role = rights if isinstance(rights, str) else f"hive-test-{user}"
    if not isinstance(rights, str):
        api.ensure(
            f"{rbac}/clusterroles",
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {"name": role},
                "rules": rights,
            },
        )
    api.ensure(
        f"{rbac}/clusterrolebindings",
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"hive-test-{user}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": user, "namespace": _NAMESPACE}],
        },
    )
