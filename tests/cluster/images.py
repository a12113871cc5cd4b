"""The images that test nodes have: `pause`, and one for scripted agents, from this machine's files.

The agent's image runs as user 1000 on a read-only root: /home/agent, /tmp and /run/hive are there to be
mounted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import image_archive
from tests.cluster.binaries import cache
from tests.cluster.file_lock import held
from tests.cluster.image_archive import Layer, save
from tests.cluster.unavailable import Unavailable

PAUSE = "hive.test/pause:1"
AGENT = "hive.test/hive-agent-test:1"
"""For pods with `imagePullPolicy: Never` or `IfNotPresent`."""

USER = 1000
HOME = "/home/agent"
_BACKENDS = Path(__file__).parents[2] / "backends" / "hive_backends"
_FIRST_PROCESS = Path(__file__).parents[2] / "sandbox-templates" / "image" / "hive-sandbox"
_OLDEST = (3, 11)
_SYSTEM_PYTHON = Path("/usr/bin/python3")
_LOADER = Path("/etc/ld.so.cache")
_KEPT = 3
_TERMINALS = (
    *("xterm", "xterm-256color", "screen", "screen-256color", "tmux", "tmux-256color", "linux", "vt100"),
)
_UNUSED = {"test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "pydoc_data"} | {
    *("site-packages", "dist-packages", "distutils", "idle_test"),
}
_ASK = """\
import json, os, site, sys, sysconfig
print(json.dumps({
    "version": sys.version_info[:2], "executable": os.path.realpath(sys.executable),
    "library": sysconfig.get_path("stdlib"), "tag": sys.implementation.cache_tag,
    "packages": site.getsitepackages()[0],
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine: its program, its standard library, and where it looks for packages."""

    version: tuple[int, int]
    executable: Path
    library: Path
    tag: str
    packages: Path


def archives(pause: Path) -> list[Path]:
    """Archives of all images, made where the cache does not have them; `pause` is that program."""
    return [_made("pause", PAUSE, lambda: _pause(pause), {"Entrypoint": ["/pause"]}, [pause]), agent(pause)]


def agent(pause: Path) -> Path:
    """The archive of `AGENT`: busybox, bash, tmux, git, gh (if it is here), Python, the scripted agent."""
    configuration = {
        "Cmd": ["/usr/bin/pause"],
        "Env": ["PATH=/usr/bin", "LANG=C.UTF-8", f"HOME={HOME}", "PYTHONDONTWRITEBYTECODE=1"],
        "User": f"{USER}:{USER}",
        "WorkingDir": HOME,
    }
    return _made("agent", AGENT, lambda: _agent(pause), configuration, [pause, *_ingredients()])


def interpreter() -> Interpreter:
    """The system's own Python where it is new enough, since it is small; else the one that runs this."""
    if _SYSTEM_PYTHON.exists() and (found := _ask(_SYSTEM_PYTHON)).version >= _OLDEST:
        return found
    return _ask(Path(sys.executable))


def _made(
    name: str,
    reference: str,
    fill: Callable[[], Layer],
    configuration: Mapping[str, object],
    ingredients: list[Path],
) -> Path:
    folder = cache() / "cluster" / "images"
    path = folder / f"{name}-{_key(ingredients)}.tar"
    with held(folder / "images.lock"):
        if not path.exists():
            save(path, reference, fill(), configuration)
            # Another checkout may be about to load one of the last few.
            archived = sorted(folder.glob(f"{name}-*.tar"), key=lambda each: each.stat().st_mtime)
            for outdated in archived[:-_KEPT]:
                outdated.unlink()
    return path


def _key(ingredients: list[Path]) -> str:
    """Changes when an ingredient does, judged by size and time: to read them all would take a second."""
    digest = hashlib.sha256()
    for recipe in (Path(__file__), Path(image_archive.__file__)):
        digest.update(recipe.read_bytes())
    for path in ingredients:
        found = path.stat()
        digest.update(repr((str(path), found.st_size, found.st_mtime_ns)).encode())
    return digest.hexdigest()[:16]


def _ingredients() -> list[Path]:
    """What the agent's image is made of. Of libraries the loader's cache knows when one changes."""
    programs = [_found(name) for name in ("bash", "tmux", "git", "busybox")]
    pythons = [Path(sys.executable).resolve(), *filter(Path.exists, [_SYSTEM_PYTHON, _LOADER])]
    ours = [_FIRST_PROCESS, *sorted(_BACKENDS.rglob("*.py"))]
    gh = _gh()
    return [*programs, *pythons, *ours, *([gh] if gh else [])]


def _pause(pause: Path) -> Layer:
    layer = Layer()
    layer.file("pause", pause, 0o755)
    return layer


def _agent(pause: Path) -> Layer:
    layer = Layer()
    for link in ("bin", "sbin", "lib", "lib64"):
        layer.link(link, f"usr/{'bin' if link == 'sbin' else link}")
    layer.folder("tmp", 0o1777)
    layer.folder(HOME.lstrip("/"), 0o755, USER)
    layer.folder("run/hive", 0o755, USER)
    for folder in ("dev", "proc", "sys", "var", "root"):
        layer.folder(folder)
    layer.file("usr/bin/pause", pause, 0o755)
    layer.file("usr/bin/hive-sandbox", _FIRST_PROCESS, 0o755)
    programs = [*_git(layer), *_python(layer), *_commands(layer)]
    _libraries(layer, programs)
    _busybox(layer)
    _texts(layer)
    return layer


def _commands(layer: Layer) -> list[Path]:
    found = {name: _found(name) for name in ("bash", "tmux")}
    if gh := _gh():
        found["gh"] = gh
    for name, path in found.items():
        layer.file(f"usr/bin/{name}", path, 0o755)
    return list(found.values())


def _git(layer: Layer) -> list[Path]:
    """git, and the one helper that a push over HTTPS needs; all else is built into git."""
    git = _found("git")
    core = Path(
        subprocess.run([git, "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    )
    remote = (core / "git-remote-http").resolve()
    layer.file("usr/bin/git", git, 0o755)
    inside = str(core).lstrip("/")
    layer.file(f"{inside}/git-remote-http", remote, 0o755)
    layer.link(f"{inside}/git-remote-https", "git-remote-http")
    for name in ("git", "git-upload-pack", "git-receive-pack"):
        layer.link(f"{inside}/{name}", "/usr/bin/git")
    layer.folder("usr/share/git-core/templates")
    return [git, remote]


def _python(layer: Layer) -> list[Path]:
    python = interpreter()
    layer.file(_inside(python.executable), python.executable, 0o755)
    layer.link("usr/bin/python3", str(python.executable))
    layer.link("usr/bin/python", "python3")
    _tree(layer, python.library, _inside(python.library), python.tag)
    _tree(layer, _BACKENDS, f"{_inside(python.packages)}/hive_backends", python.tag)
    return [python.executable, *sorted((python.library / "lib-dynload").glob("*.so"))]


def _tree(layer: Layer, source: Path, inside: str, tag: str) -> None:
    """A package's modules, with what this Python compiled of them: a pod's root is read-only."""
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(
            each for each in folders if each not in _UNUSED and not each.startswith("config-")
        )
        for name in sorted(files):
            path = Path(folder, name)
            compiled = name.endswith(".pyc")
            if (compiled and not name.endswith(f".{tag}.pyc")) or name.endswith(".a") or not path.exists():
                continue
            layer.file(f"{inside}/{path.relative_to(source)}", path.resolve(), 0o644)


def _libraries(layer: Layer, programs: Iterable[Path]) -> None:
    """What the programs are linked with, as ldd says."""
    shown = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    for word in {word for word in shown.split() if word.startswith("/") and not word.endswith(":")}:
        if Path(word).exists():
            layer.file(_inside(Path(word)), Path(word).resolve(), 0o755)


def _busybox(layer: Layer) -> None:
    busybox = _found("busybox")
    layer.file("usr/bin/busybox", busybox, 0o755)
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout
    for name in listed.split():
        layer.link(f"usr/bin/{name}", "busybox")


def _texts(layer: Layer) -> None:
    layer.file("etc/passwd", f"root:x:0:0::/root:/bin/sh\nagent:x:{USER}:{USER}::{HOME}:/bin/bash\n".encode())
    layer.file("etc/group", f"root:x:0:\ntty:x:5:\nagent:x:{USER}:\n".encode())
    layer.file("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")
    authorities = ssl.get_default_verify_paths().cafile
    for path in (Path("/etc/ssl/certs/ca-certificates.crt"), *([Path(authorities)] if authorities else [])):
        if path.exists():
            layer.file("etc/ssl/certs/ca-certificates.crt", path.resolve())
            break
    locale = Path("/usr/lib/locale/C.utf8")
    for path in sorted(each for each in locale.rglob("*") if each.is_file()):
        layer.file(_inside(path), path.resolve())
    for name in _TERMINALS:
        for base in ("/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"):
            path = Path(base, name[0], name)
            if path.exists():
                layer.file(f"usr/share/terminfo/{name[0]}/{name}", path.resolve())
                break


def _inside(path: Path) -> str:
    """The same path in the image, where /bin, /lib and /lib64 are links into /usr as everywhere today."""
    text = os.path.normpath(path).lstrip("/")
    first = text.partition("/")[0]
    return f"usr/{text}" if first in ("bin", "lib", "lib64") else text


def _ask(python: Path) -> Interpreter:
    told = json.loads(
        subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, check=True).stdout
    )
    return Interpreter(
        (told["version"][0], told["version"][1]),
        Path(told["executable"]),
        Path(told["library"]),
        told["tag"],
        Path(told["packages"]),
    )


def _found(name: str) -> Path:
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is missing for the agent's image: run scripts/cluster-packages")
    return Path(path).resolve()


def _gh() -> Path | None:
    """The forge's client: as a wheel beside this Python, where it is one static program, or the system's."""
    beside = Path(sys.executable).with_name("gh")
    path = beside if beside.exists() else Path(shutil.which("gh") or "/nowhere")
    if not path.exists():
        return None
    with path.open("rb") as opened:
        is_program = opened.read(4) == b"\x7fELF"  # a script that starts another would be no use alone
    return path if is_program else None
