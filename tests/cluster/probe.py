"""Whether pods really run: one with tmux in it, reached by exec."""

from __future__ import annotations

import secrets

from kubernetes import client, config
from kubernetes.stream import stream

from tests.cluster import images
from tests.cluster.api import Json
from tests.cluster.control_plane import ControlPlane

_PATIENCE = 120.0


def tmux_by_exec(plane: ControlPlane, namespace: str = "default") -> str:
    """Start a pod, start a session in it, list the sessions, remove the pod; what tmux said."""
    name = f"probe-{secrets.token_hex(3)}"
    path = f"/api/v1/namespaces/{namespace}/pods"
    plane.api.until(
        f"/api/v1/namespaces/{namespace}/serviceaccounts/default",
        "the default service account",
        within=_PATIENCE,
        holds=bool,
    )
    plane.api.create(path, pod(name))
    plane.api.until(f"{path}/{name}", f"pod {name} ready", within=_PATIENCE, holds=is_ready)
    execute(plane, namespace, name, "tmux", "new-session", "-d", "-s", "probe")
    answer = execute(plane, namespace, name, "tmux", "list-sessions")
    plane.api.delete(f"{path}/{name}", {"gracePeriodSeconds": 0})
    return answer


def pod(name: str, command: list[str] | None = None) -> Json:
    """A pod of the agent's image: not root, its root read-only, nothing granted, no token."""
    writable = {"agent": images.HOME, "tmp": "/tmp", "hive": "/run/hive"}
    container: Json = {
        "name": "agent",
        "image": images.AGENT,
        "imagePullPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": True,
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in writable.items()],
    }
    if command:
        container["command"] = command
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 1,
            "securityContext": {"runAsUser": images.USER, "runAsGroup": images.USER, "fsGroup": images.USER},
            "containers": [container],
            "volumes": [{"name": name, "emptyDir": {}} for name in writable],
        },
    }


def is_ready(found: Json) -> bool:
    conditions = found.get("status", {}).get("conditions", [])
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def execute(plane: ControlPlane, namespace: str, name: str, *command: str) -> str:
    """What a command in the pod says, its errors included."""
    # A client of its own: stream() exchanges a method of the client during the call.
    with config.new_client_from_config(str(plane.kubeconfig)) as api:  # type: ignore[no-untyped-call]  # untyped
        said = stream(
            client.CoreV1Api(api).connect_get_namespaced_pod_exec,
            name,
            namespace,
            command=list(command),
            stdout=True,
            stderr=True,
            stdin=False,
            tty=False,
            _preload_content=False,
        )
        try:
            said.run_forever(timeout=_PATIENCE)
            text: str = said.read_all()
        finally:
            said.close()
            said.sock.shutdown()  # close() leaves the socket open where the server closed first
    return text
