"""Builds Kubernetes and etcd once, and finds them afterwards.

`KUBEBUILDER_ASSETS` (the envtest convention) goes before. Otherwise the three Go modules beside this file are
built into a cache outside the checkout, each under a name made of its own text and the version of Go, so that
a change of either builds anew and nothing else ever does.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.file_lock import held
from tests.cluster.unavailable import Unavailable

MODULES = Path(__file__).parent / "go"
CONTROL_PLANE = ("etcd", "kube-apiserver")
CONTROLLERS = "kube-controller-manager"
NODE = (CONTROLLERS, "kube-scheduler", "kubelet")
LINKS = {"kube": ("kube-apiserver", *NODE), "etcd": (), "pause": ()}
"""Modules, and the further names under which a module's one program is called."""

_BUILD_PATIENCE = 3600.0
"""Chosen: from nothing a build takes five minutes on two idle cores, several times that on busy ones."""


@dataclass(frozen=True)
class Binaries:
    """Where each program lies; a name that is absent cannot be run here."""

    paths: Mapping[str, Path]
    borrowed: bool = False
    """From `KUBEBUILDER_ASSETS`, and so another's etcd than the small one that is built here."""

    def __getitem__(self, name: str) -> Path:
        if name not in self.paths:
            raise Unavailable(
                f"{name} is not in KUBEBUILDER_ASSETS ({os.environ.get('KUBEBUILDER_ASSETS')}), which holds "
                "control planes only: unset it, and a full Kubernetes is built"
            )
        return self.paths[name]

    def have(self, *names: str) -> bool:
        return all(name in self.paths for name in names)


def cache(environment: Mapping[str, str] = os.environ) -> Path:
    """`$HIVE_CACHE`, else `$XDG_CACHE_HOME/hive`, else `~/.cache/hive`."""
    if chosen := environment.get("HIVE_CACHE"):
        return Path(chosen)
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hive"


def find(environment: Mapping[str, str] = os.environ) -> Binaries | None:
    """What is there already; None where something has to be built first.

    Raises `Unavailable` where `KUBEBUILDER_ASSETS` names a folder without the programs.
    """
    if assets := environment.get("KUBEBUILDER_ASSETS"):
        return _assets(Path(assets))
    folders = {module: _built(module, cache(environment)) for module in LINKS}
    if None in folders.values():
        return None
    return Binaries(
        {name: folder / name for module, folder in folders.items() if folder for name in _names(module)}
    )


def ensure(tell: Callable[[str], None] = lambda line: None) -> Binaries:
    """What is there, after building what is not: minutes the first time, milliseconds afterwards.

    `tell` gets a line before each build. Raises `Unavailable` where nothing can be built.
    """
    if found := find():
        return found
    for module in LINKS:
        build(module, cache(), tell)
    found = find()
    assert found is not None, "just built"
    return found


def build(module: str, into: Path, tell: Callable[[str], None] = lambda line: None) -> Path:
    """The folder of a module's program, built where it is not there yet.

    Of two builders at the same time the second waits for the first. A folder appears whole or not at all.
    """
    version = go_version()
    if version is None:
        raise Unavailable(
            "no test cluster: neither a built Kubernetes in the cache nor Go to build one; install Go 1.26 "
            "or later, or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver"
        )
    folder = into / "cluster" / f"{module}-{key(module)}-{version}"
    with held(into / "cluster" / f"{module}.lock"):
        if not folder.is_dir():
            took = " (once, 5 to 10 minutes)" if module == "kube" else " (once)"
            tell(f"building {module} for the test cluster{took}")
            _build(module, folder)
    return folder


def key(module: str) -> str:
    """A hash of all that decides what is built, besides Go itself."""
    digest = hashlib.sha256()
    for path in sorted((MODULES / module).iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(repr(_flags(module)).encode())
    return digest.hexdigest()[:16]


@functools.cache
def go_version() -> str | None:
    """Such as `go1.26.8`; None without Go."""
    go = shutil.which("go")
    if go is None:
        return None
    answer = subprocess.run(
        [go, "env", "GOVERSION"], capture_output=True, text=True, check=False, env=_environment(), cwd="/"
    )
    return answer.stdout.strip() or None


def _assets(folder: Path) -> Binaries:
    missing = [name for name in CONTROL_PLANE if not os.access(folder / name, os.X_OK)]
    if missing:
        raise Unavailable(
            f"KUBEBUILDER_ASSETS is {folder}, where {' and '.join(missing)} cannot be run: point it at a "
            "folder that setup-envtest filled, or unset it"
        )
    names = [*CONTROL_PLANE, *NODE, "pause"]
    there = {name: folder / name for name in names if os.access(folder / name, os.X_OK)}
    return Binaries(there, borrowed=True)


def _built(module: str, into: Path) -> Path | None:
    name = f"{module}-{key(module)}"
    if version := go_version():
        folder = into / "cluster" / f"{name}-{version}"
        return folder if folder.is_dir() else None
    # A machine without Go may carry a cache from elsewhere: any version of Go will have made it well.
    return next(iter(sorted((into / "cluster").glob(f"{name}-go*"), reverse=True)), None)


def _build(module: str, folder: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        argv = ["go", "build", "-trimpath", *_flags(module), "-o", str(temporary / module), "."]
        done = subprocess.run(
            argv,
            cwd=MODULES / module,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_BUILD_PATIENCE,
        )
        if done.returncode:
            last = (done.stdout.strip().splitlines() or ["no output"])[-1]
            raise Unavailable(f"no test cluster: building {module} failed: {last}")
        for name in LINKS[module]:
            (temporary / name).symlink_to(module)
        temporary.chmod(0o755)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _names(module: str) -> tuple[str, ...]:
    return (module, *LINKS[module])


def _flags(module: str) -> tuple[str, ...]:
    """Without the stamp Kubernetes calls itself v0.0.0-master, and clients take it for ancient."""
    stamps = ["-s", "-w"]
    if module == "kube":
        found = re.search(r"k8s\.io/kubernetes (v(\d+)\.(\d+)\.\S+)", (MODULES / "kube/go.mod").read_text())
        assert found is not None, "go.mod requires k8s.io/kubernetes"
        version, major, minor = found.groups()
        package = "k8s.io/component-base/version"
        stamps += [
            f"-X {package}.gitVersion={version}",
            f"-X {package}.gitMajor={major}",
            f"-X {package}.gitMinor={minor}",
        ]
    return (f"-ldflags={' '.join(stamps)}",)


def _environment() -> dict[str, str]:
    """Static, so that the programs run wherever the cache is carried, and in an image without any library."""
    return {**os.environ, "CGO_ENABLED": "0"}
