"""One Kubernetes API server.

All calls are synchronous and bounded by a timeout of their own. They raise `Unreachable` when the server
does not answer (or answers 5xx), `Throttled` on 429, `Missing` on 404, `Moved` on a conflict (409 of a name
that is taken, of a stale version or of another field manager, 410 of a watch), `Refused` when the server says
no (401 after credentials were renewed once, 403, 422, 400), each with the server's own words; `InDoubt` where
a write was sent and no answer came, or a 5xx other than 503. `ConfigError` where the kubeconfig is unusable:
it is read at the first call, and again when credentials are renewed. Writes are never retried here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from hive.facts.kubernetes import Change, ExecResult, Listing, Manifest, PodRef, Propagation, ResourceType

T = TypeVar("T")


class ExecStream(Protocol):
    """A command that runs in a pod, and its streams. Bytes in, bytes out: no decoding. Thread-safe:
    one thread may read while another writes."""

    def read(self, timeout: float | None = None) -> tuple[int, bytes] | None:
        """The next piece as ``(1, …)`` (stdout) or ``(2, …)`` (stderr); ``(1, b"")`` at the end of output.
        None when nothing came within `timeout` seconds. Raises `Unreachable` when the connection broke."""
        ...

    def write(self, data: bytes) -> None:
        """To the command's stdin, all of it. Raises `Unreachable`."""
        ...

    def close_stdin(self) -> None:
        """Half-close, where server and client speak v5 of the channel protocol; else `Refused`."""
        ...

    def resize(self, columns: int, rows: int) -> None:
        """Of the terminal, where one was asked for."""
        ...

    def exit_code(self) -> int | None:
        """Once the output has ended; None while it runs."""
        ...

    def close(self) -> None:
        """Let go; the command may go on. Idempotent."""
        ...


class LogStream(Protocol):
    def lines(self) -> Iterator[bytes]:
        """Whole lines without their ends, as they come; ends with the container."""
        ...

    def close(self) -> None: ...


class ChangeStream(Protocol):
    """What a watch yields, in the server's order."""

    def __iter__(self) -> Iterator[Change]: ...

    def __next__(self) -> Change: ...

    def close(self) -> None:
        """From any thread: the iteration ends. Idempotent."""
        ...


class Kubernetes(Protocol):
    """One connection's worth of one cluster, used by one thread at a time; `exec`, `follow_log`, `watch`
    and `forward` make connections of their own and may be used beside it from other threads."""

    @property
    def name(self) -> str:
        """Of the kubeconfig context."""
        ...

    def version(self) -> str:
        """``v1.36.3``: also the cheapest proof that it answers."""
        ...

    def resources(self) -> tuple[ResourceType, ...]:
        """Every kind that can be listed and watched, each at its group's preferred version; no
        subresources. Raises `Unreachable`; a group whose own server does not answer is left out."""
        ...

    def get(self, kind: ResourceType, name: str, namespace: str = "") -> Manifest: ...

    def list(self, kind: ResourceType, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        """Every page, each object with its `apiVersion` and `kind`; an empty `namespace` is all of them.
        Selectors as in the API. Raises `Missing` where the kind itself is not served."""
        ...

    def list_as(
        self, kind: ResourceType, shape: type[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> tuple[T, ...]:
        """As `list`, but of each object only what `shape` names, as one: a msgspec `Struct` or what else
        msgspec decodes into. For kinds with many objects: a list of pods costs a tenth."""
        ...

    def create(self, kind: ResourceType, manifest: Manifest, *, dry_run: bool = False) -> Manifest: ...

    def replace(self, kind: ResourceType, manifest: Manifest, *, subresource: str = "") -> Manifest:
        """With ``metadata.resourceVersion`` in `manifest`: `Moved` when it is not the newest."""
        ...

    def patch(
        self,
        kind: ResourceType,
        name: str,
        patch: Mapping[str, object],
        namespace: str = "",
        *,
        subresource: str = "",
    ) -> Manifest:
        """JSON merge patch."""
        ...

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
        """Server-side apply, under strict field validation. `Moved` names fields that another manager
        owns, unless `force` takes them."""
        ...

    def delete(
        self,
        kind: ResourceType,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        propagation: Propagation = Propagation.BACKGROUND,
    ) -> None:
        """Ask for it to go; it may stay for a while (`metadata.deletionTimestamp`). Content when it is not
        there. With `uid`, `Moved` when another object has that name by now."""
        ...

    def watch(
        self,
        kind: ResourceType,
        resource_version: str,
        namespace: str = "",
        *,
        labels: str = "",
        silence: float = 90.0,
    ) -> AbstractContextManager[ChangeStream]:
        """Changes after `resource_version`, bookmarks too. Ends quietly when the server ends it, which it is
        asked to do well within `silence`; raises `Moved` where the version is too old (list again), and
        `Unreachable` after `silence` seconds without a byte: such a server is gone."""
        ...

    def run(
        self, pod: PodRef, command: Sequence[str], *, stdin: bytes = b"", timeout: float = 30.0
    ) -> ExecResult:
        """Run a command to its end. `Missing` where the pod is not there or not running."""
        ...

    def exec(
        self, pod: PodRef, command: Sequence[str], *, tty: bool = False, stdin: bool = True
    ) -> ExecStream: ...

    def follow_log(self, pod: PodRef, *, tail: int | None = None) -> LogStream: ...

    def forward(self, pod: PodRef, port: int) -> AbstractContextManager[int]:
        """A port on loopback that leads to `port` of the pod while the context lasts."""
        ...

    def close(self) -> None: ...
