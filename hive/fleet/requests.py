"""What hive itself asks of the fleet: one SandboxRequest on the hub for each agent that runs in a pod."""

from __future__ import annotations

from hive.decisions.delivery.marks import MANAGED_BY
from hive.errors import Missing, Refused
from hive.facts.agents import SandboxSpec
from hive.facts.fleet_sighting import AGENT, DIGEST
from hive.facts.kubernetes import NAMESPACES, SANDBOX_REQUESTS, Manifest, labels_of
from hive.ports.kubernetes import Kubernetes

MANAGER = "hive-supervisor"
"""Another field manager than the controller's: each takes away only what it wrote itself."""


class HubRequests:
    """Implements `ports.fleet.SandboxRequests`. Owned by one lane, like the connection."""

    def __init__(self, hub: Kubernetes) -> None:
        self._hub = hub

    def ask(self, agent: str, sandbox: SandboxSpec) -> None:
        request = sandbox.request
        known = self._find(request.namespace, request.name)
        if known is not None and labels_of(known).get(AGENT) != agent:
            raise Refused(
                "fleet",
                f"there is a SandboxRequest {request.key} that hive did not write for {agent}; "
                "delete it, or rename the agent",
            )
        manifest = {
            "apiVersion": SANDBOX_REQUESTS.api_version,
            "kind": SANDBOX_REQUESTS.kind,
            "metadata": {
                "name": request.name,
                "namespace": request.namespace,
                "labels": {AGENT: agent, MANAGED_BY: "hive"},
                "annotations": {DIGEST: sandbox.digest},
            },
            "spec": sandbox.spec,
        }
        try:
            self._apply(manifest)
        except Missing:
            self._make_namespace(request.namespace)
            self._apply(manifest)

    def withdraw(self, agent: str, request: str) -> None:
        namespace, _, name = request.partition("/")
        known = self._find(namespace, name)
        if known is None:
            return
        if labels_of(known).get(AGENT) != agent:
            raise Refused("fleet", f"the SandboxRequest {request} is not one of {agent}; it is left alone")
        self._hub.delete(SANDBOX_REQUESTS, name, namespace, uid=str(known["metadata"]["uid"]))

    def close(self) -> None:
        self._hub.close()

    def _find(self, namespace: str, name: str) -> Manifest | None:
        try:
            return self._hub.get(SANDBOX_REQUESTS, name, namespace)
        except Missing:
            return None

    def _apply(self, manifest: Manifest) -> None:
        # Forced: what hive.yaml asks for wins over hands that changed it on the hub.
        self._hub.apply(SANDBOX_REQUESTS, manifest, manager=MANAGER, force=True)

    def _make_namespace(self, name: str) -> None:
        self._hub.apply(
            NAMESPACES,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            manager=MANAGER,
        )
