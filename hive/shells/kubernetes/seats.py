"""Seats for agents in pods: their files are written by one command in the pod, all of them or none."""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Protocol

from hive.contracts.backend import Backend, Launch, ModelWay, Seat
from hive.errors import Refused
from hive.facts.agents import AgentSpec
from hive.facts.kubernetes import PodRef
from hive.ports.kubernetes import Kubernetes
from hive.ports.seats import ReadySeat

HOME = "/home/agent"
_TIMEOUT = 20.0
"""Seconds; the files are a few kilobytes."""
_FOLDERS = ("TMPDIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
"""Variables that name folders which an agent's tools expect to be there."""

# Arguments: the home, the size of the archive on stdin, folders to make. POSIX, for busybox as well.
# The size is given since not every server can close the stdin of a command. A file is moved into its place,
# so a reader finds the old one or the new; what a link in the home leads out of it for is refused.
_SCRIPT = r"""
set -eu
umask 077
fail() { printf '%s\n' "$1" >&2; exit 1; }
cd -P "$1" 2>/dev/null || fail "there is no folder $1"
home=$(pwd -P) size=$2
shift 2
rm -rf "$home"/.hive-seat.*
stage=$(mktemp -d "$home/.hive-seat.XXXXXX") || fail "$home cannot be written to"
trap 'rm -rf "$stage" "$stage.list" "$stage.tar"' EXIT
head -c "$size" >"$stage.tar"
[ "$(wc -c <"$stage.tar")" -eq "$size" ] || fail "the files did not arrive whole"
tar -xf "$stage.tar" -C "$stage" || fail "the files cannot be unpacked"
inside() {
    mkdir -p "$1" || fail "the folder $1 cannot be made"
    real=$(cd -P "$1" && pwd -P)
    case $real/ in "$home"/*) ;; *) fail "$1 leads out of the agent's home" ;; esac
}
for folder in "$@"; do inside "$folder"; done
(cd "$stage" && find . -type f) >"$stage.list"
while IFS= read -r file; do
    target=$home/${file#./}
    inside "${target%/*}"
    if [ -L "$target" ]; then rm -f "$target"; fi
    if [ -d "$target" ]; then fail "$target is a folder; remove it"; fi
    mv -f "$stage/$file" "$target"
done <"$stage.list"
"""


class SeatFile(Protocol):
    """A file to write below the home."""

    @property
    def path(self) -> PurePath: ...

    @property
    def text(self) -> str: ...

    @property
    def mode(self) -> int: ...


@dataclass(frozen=True, slots=True)
class PodClient:
    """How an agent in a pod reaches hive: files (absolute paths in the pod) and environment.

    Attributes:
        launcher: A program in the pod that gets a command line, and becomes it with the pod's token in
            the environment; one of `files`, or of the image.
        model: As of `Seat`.
    """

    files: Sequence[SeatFile]
    environment: Mapping[str, str]
    launcher: str
    model: ModelWay | None = None


@dataclass(frozen=True, slots=True)
class PodSeats:
    """Implements `ports.seats.Seats` for agents in pods.

    Attributes:
        find: The cluster and the pod of an agent. Raises `Missing` while it has none.
        client: What makes the agent's tools reach hive's gateway.
        home: Of the agent in its pod; there already.
    """

    find: Callable[[AgentSpec], tuple[Kubernetes, PodRef]]
    backends: Mapping[str, Backend]
    client: Callable[[AgentSpec], PodClient]
    at: str = HOME

    def home(self, agent: str) -> str:
        """The same in every pod."""
        return self.at

    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        """See `Seats`. `token` stays here: a pod has its own, which came to it as a Secret.

        Raises `Missing` where there is no pod, `Unreachable`, `Refused` with the pod's own words.
        """
        cluster, pod = self.find(spec)
        client = self.client(spec)
        workdir = posixpath.join(self.at, "work")
        seat = Seat(
            spec=spec,
            home=self.at,
            workdir=workdir,
            environment={"LANG": "C.UTF-8", **client.environment, "HOME": self.at},
            generation=generation,
            resume=resume,
            model=client.model,
        )
        launch = self.backends[spec.backend].launch(seat)
        contents = {self._below(str(file.path)): (file.text, file.mode) for file in client.files}
        contents |= {self._below(file.path): (file.content, 0o600) for file in launch.files}
        named = (client.environment[name] for name in _FOLDERS if name in client.environment)
        self._write(cluster, pod, contents, (workdir, *named))
        return ReadySeat(launch=_started(launch, spec, client.launcher), workdir=workdir)

    def _below(self, path: str) -> str:
        """`path` relative to the home. Raises `Refused` for one outside of it, whoever names it."""
        relative = posixpath.relpath(posixpath.join(self.at, path), self.at)
        if relative.split("/", 1)[0] in ("..", ".") or "\n" in relative or "\0" in relative:
            raise Refused("seats", f"{path} lies outside of the agent's home")
        return relative

    def _write(
        self, cluster: Kubernetes, pod: PodRef, files: Mapping[str, tuple[str, int]], folders: Sequence[str]
    ) -> None:
        archive = _archive(files)
        command = ("sh", "-c", _SCRIPT, "hive-seat", self.at, str(len(archive)), *folders)
        done = cluster.run(pod, command, stdin=archive, timeout=_TIMEOUT)
        if done.exit_code != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            why = said[-1] if said else f"exit status {done.exit_code}"
            raise Refused("seats", f"the files in pod {pod.namespace}/{pod.name} cannot be written: {why}")


def _archive(files: Mapping[str, tuple[str, int]]) -> bytes:
    """The same bytes for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, (text, mode) in sorted(files.items()):
            content = text.encode()
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _started(launch: Launch, spec: AgentSpec, launcher: str) -> Launch:
    """By way of the launcher; the operator's own command and environment go before the backend's."""
    return replace(
        launch,
        argv=(launcher, *(spec.command or launch.argv)),
        environment={**launch.environment, **dict(spec.environment)},
        files=(),
    )
