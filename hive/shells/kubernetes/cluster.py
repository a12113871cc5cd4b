"""One cluster, over its API server.

Objects stay the JSON that the server sent: the official client's models cost seventy times what a decoder
costs, and refuse fields that they do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from kubernetes.client import Configuration

from hive.errors import Missing, Refused, Unreachable
from hive.facts.kubernetes import (
    PODS,
    SECRETS,
    ExecResult,
    Listing,
    Manifest,
    PodRef,
    Propagation,
    ResourceType,
    name_of,
    namespace_of,
)
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.discovery import AGGREGATED, resources
from hive.shells.kubernetes.execution import PodExec, open_exec, run_to_end
from hive.shells.kubernetes.failures import PORT, Request
from hive.shells.kubernetes.forwarding import forwarded
from hive.shells.kubernetes.kubeconfig import kubeconfig_path, settings_of
from hive.shells.kubernetes.listing import Lists
from hive.shells.kubernetes.logs import PodLog, open_log
from hive.shells.kubernetes.paths import path_of, title
from hive.shells.kubernetes.watching import WatchStream, open_watch

_MERGE = "application/merge-patch+json"
_APPLY = "application/apply-patch+yaml"  # JSON is YAML
_MANAGER = "hive"
_STRICT = ("fieldValidation", "Strict")
"""An unknown field is refused; the server's default is to drop it."""


T = TypeVar("T")


class KubernetesCluster:
    """See `hive.ports.kubernetes`. Nothing is read or sent before the first call."""

    def __init__(self, name: str, load: Callable[[], Configuration], *, timeout: float = 30.0) -> None:
        self._name = name
        self._connection = Connection(name, load, timeout)
        self._lists = Lists(self._connection)

    @classmethod
    def from_kubeconfig(
        cls, path: str | Path | None, context: str, *, timeout: float = 30.0
    ) -> KubernetesCluster:
        """A context of a kubeconfig (default: KUBECONFIG, then ``~/.kube/config``), `timeout` in seconds.

        The file is read at the first call, and again when the server refuses the credentials.
        """
        source = kubeconfig_path(path)
        return cls(context, lambda: settings_of(source, context), timeout=timeout)

    @property
    def name(self) -> str:
        return self._name

    def close(self) -> None:
        self._connection.close()

    def version(self) -> str:
        return str(self._decode(self._request("version"), Call("GET", "/version"))["gitVersion"])

    def resources(self) -> tuple[ResourceType, ...]:
        request = self._request("list the kinds that it serves")
        return resources(lambda path: self._object(request, Call("GET", path, accept=AGGREGATED)))

    def get(self, kind: ResourceType, name: str, namespace: str = "") -> Manifest:
        path = path_of(kind, _known(kind, namespace, name), name)
        return self._object(self._request(f"get {title(kind, namespace, name)}"), Call("GET", path))

    def list(self, kind: ResourceType, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        request = self._request(f"list {title(kind, namespace)}")
        return self._lists.whole(request, kind, path_of(kind, namespace), _selected(labels, fields))

    def list_as(
        self, kind: ResourceType, shape: type[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> tuple[T, ...]:
        request = self._request(f"list {title(kind, namespace)}")
        return self._lists.parts(request, shape, path_of(kind, namespace), _selected(labels, fields))

    def create(self, kind: ResourceType, manifest: Manifest, *, dry_run: bool = False) -> Manifest:
        request = self._write("create", kind, manifest)
        path = path_of(kind, _namespace(kind, manifest))
        return self._object(request, Call("POST", path, _flags(dry_run), msgspec.json.encode(manifest)))

    def replace(self, kind: ResourceType, manifest: Manifest, *, subresource: str = "") -> Manifest:
        request = self._write("replace", kind, manifest)
        path = path_of(kind, _namespace(kind, manifest), name_of(manifest), subresource)
        return self._object(request, Call("PUT", path, _flags(False), msgspec.json.encode(manifest)))

    def patch(
        self,
        kind: ResourceType,
        name: str,
        patch: Mapping[str, object],
        namespace: str = "",
        *,
        subresource: str = "",
    ) -> Manifest:
        what = f"patch {title(kind, namespace, name)}"
        request = self._request(what, is_write=True, hidden=_hidden(kind, patch))
        path = path_of(kind, _known(kind, namespace, name), name, subresource)
        return self._object(request, Call("PATCH", path, _flags(False), msgspec.json.encode(patch), _MERGE))

    def apply(
        self,
        kind: ResourceType,
        manifest: Manifest,
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Manifest:
        request = self._write("apply", kind, manifest)
        path = path_of(kind, _namespace(kind, manifest), name_of(manifest), subresource)
        query = (*_flags(dry_run, manager), ("force", "true" if force else "false"))
        return self._object(request, Call("PATCH", path, query, msgspec.json.encode(manifest), _APPLY))

    def delete(
        self,
        kind: ResourceType,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        propagation: Propagation = Propagation.BACKGROUND,
    ) -> None:
        options: dict[str, Any] = {"propagationPolicy": propagation.value}
        if uid:
            options["preconditions"] = {"uid": uid}
        request = self._request(f"delete {title(kind, namespace, name)}", is_write=True)
        path = path_of(kind, _known(kind, namespace, name), name)
        try:
            self._connection.send(request, Call("DELETE", path, body=msgspec.json.encode(options)))
        except Missing:
            return

    def watch(
        self,
        kind: ResourceType,
        resource_version: str,
        namespace: str = "",
        *,
        labels: str = "",
        silence: float = 90.0,
    ) -> WatchStream:
        request = self._request(f"watch {title(kind, namespace)}")
        query = (("resourceVersion", resource_version), *((("labelSelector", labels),) if labels else ()))
        return open_watch(self._connection, request, path_of(kind, namespace), query, silence)

    def run(
        self, pod: PodRef, command: Sequence[str], *, stdin: bytes = b"", timeout: float = 30.0
    ) -> ExecResult:
        stream = self.exec(pod, command, stdin=bool(stdin))
        return run_to_end(stream, stdin, timeout, self._in_pod("exec in", pod))

    def exec(self, pod: PodRef, command: Sequence[str], *, tty: bool = False, stdin: bool = True) -> PodExec:
        request = self._in_pod("exec in", pod)
        return open_exec(self._connection, request, pod, command, tty=tty, stdin=stdin)

    def follow_log(self, pod: PodRef, *, tail: int | None = None) -> PodLog:
        query = [("follow", "true"), *([("container", pod.container)] if pod.container else [])]
        query += [("tailLines", str(tail))] if tail is not None else []
        return open_log(self._connection, self._in_pod("log of", pod), pod, tuple(query))

    def forward(self, pod: PodRef, port: int) -> AbstractContextManager[int]:
        path = path_of(PODS, pod.namespace, pod.name, "portforward")
        return forwarded(self._connection, self._in_pod("forward to", pod), path, port)

    def _in_pod(self, verb: str, pod: PodRef) -> Request:
        return self._request(f"{verb} {title(PODS, pod.namespace, pod.name)}")

    def _object(self, request: Request, call: Call) -> Manifest:
        return cast(Manifest, self._decode(request, call))

    def _decode(self, request: Request, call: Call) -> Any:
        body = self._connection.send(request, call)
        try:
            return msgspec.json.decode(body)
        except ValueError as error:
            raise Unreachable(PORT, request.says("the answer is no JSON; is this an API server?")) from error

    def _write(self, verb: str, kind: ResourceType, manifest: Manifest) -> Request:
        named = manifest["metadata"].get("name") or manifest["metadata"].get("generateName") or ""
        what = f"{verb} {title(kind, namespace_of(manifest), str(named))}"
        return self._request(what, is_write=True, hidden=_hidden(kind, manifest))

    def _request(self, what: str, *, is_write: bool = False, hidden: tuple[str, ...] = ()) -> Request:
        return Request(what, self._name, is_write, hidden)


def _selected(labels: str, fields: str) -> tuple[tuple[str, str], ...]:
    given = (("labelSelector", labels), ("fieldSelector", fields))
    return tuple((name, value) for name, value in given if value)


def _flags(dry_run: bool, manager: str = _MANAGER) -> tuple[tuple[str, str], ...]:
    return (("fieldManager", manager), _STRICT, *([("dryRun", "All")] if dry_run else ()))


def _namespace(kind: ResourceType, manifest: Manifest) -> str:
    return _known(kind, namespace_of(manifest), str(manifest["metadata"].get("name", "")))


def _known(kind: ResourceType, namespace: str, name: str) -> str:
    """The namespace, which a path without would leave out and so ask for something else."""
    if kind.is_namespaced and not namespace:
        raise Refused(PORT, f"{kind.kind} {name}: it is not said in which namespace")
    return namespace


def _hidden(kind: ResourceType, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The values of a Secret: a server that refuses one may repeat them."""
    if kind != SECRETS:
        return ()
    values = [*(manifest.get("data") or {}).values(), *(manifest.get("stringData") or {}).values()]
    return tuple(sorted((str(value) for value in values if value), key=len, reverse=True))
