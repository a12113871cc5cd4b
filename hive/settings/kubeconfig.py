"""As much of a kubeconfig as settings are checked against: its contexts, without any credential."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hive import documents
from hive.documents import Document
from hive.errors import ConfigError

DEFAULT = "~/.kube/config"


@dataclass(frozen=True, slots=True)
class Kubeconfig:
    """One file, or several that count as one.

    Attributes:
        files: Paths, joined as in KUBECONFIG.
        contexts: Their names, in the order of the files.
        current: The context that is chosen where nobody names one; None where none is.
    """

    files: str
    contexts: tuple[str, ...]
    current: str | None


def kubeconfig_files(given: str | None, folder: Path, environ: Mapping[str, str]) -> str:
    """Which files are meant: `given` (relative to `folder`), else KUBECONFIG's, else the default."""
    if given is not None:
        return os.path.abspath(folder / Path(given).expanduser())
    from_environ = [name for name in environ.get("KUBECONFIG", "").split(os.pathsep) if name]
    files = from_environ or [DEFAULT]
    return os.pathsep.join(os.path.abspath(Path(name).expanduser()) for name in files)


def read_kubeconfig(files: str) -> Kubeconfig:
    """Read the contexts of `files`; as for kubectl, one of several may be missing.

    Raises `ConfigError`, which names the file and quotes nothing of it.
    """
    paths = [Path(name) for name in files.split(os.pathsep)]
    found = [path for path in paths if path.exists()]
    if not found:
        raise ConfigError(f"there is no kubeconfig {files}; name one with fleet.kubeconfig or KUBECONFIG")
    contexts: dict[str, None] = {}
    current: str | None = None
    for path in found:
        document = _document(path)
        contexts |= dict.fromkeys(_contexts(document))
        current = current or _current(document)
    return Kubeconfig(files, tuple(contexts), current)


def _document(path: Path) -> Document:
    try:
        return documents.read(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"the kubeconfig cannot be read: {error.strerror}", source=str(path)) from error


def _contexts(document: Document) -> Iterator[str]:
    value = document.value
    if not isinstance(value, dict):
        raise document.error("this is no kubeconfig: a mapping of keys is expected")
    entries = value.get("contexts")
    for entry in entries if isinstance(entries, list) else []:
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str) and name:
            yield name


def _current(document: Document) -> str | None:
    value = document.value
    current = value.get("current-context") if isinstance(value, dict) else None
    return current if isinstance(current, str) and current else None
