"""Image archives without a registry or a builder: one layer, the same bytes for the same files."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass
class Layer:
    """Files by their path in the image, from this machine or from bytes; folders come by themselves."""

    _files: dict[str, tuple[Path | bytes, int]] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)
    _folders: dict[str, tuple[int, int]] = field(default_factory=dict)

    def file(self, path: str, source: Path | bytes, mode: int = 0o644) -> None:
        self._folders_above(path)
        self._files[path] = (source, mode)

    def link(self, path: str, target: str) -> None:
        """A symbolic link, unless something else has the name already."""
        if path not in self._files and path not in self._links:
            self._folders_above(path)
            self._links[path] = target

    def folder(self, path: str, mode: int = 0o755, owner: int = 0) -> None:
        self._folders_above(path)
        self._folders[path] = (mode, owner)

    def write(self, target: tarfile.TarFile) -> None:
        for path, (mode, owner) in sorted(self._folders.items()):
            entry = _entry(path, mode, owner)
            entry.type = tarfile.DIRTYPE
            target.addfile(entry)
        for path, goal in sorted(self._links.items()):
            entry = _entry(path, 0o777)
            entry.type, entry.linkname = tarfile.SYMTYPE, goal
            target.addfile(entry)
        for path, (source, mode) in sorted(self._files.items()):
            data = source if isinstance(source, bytes) else source.read_bytes()
            entry = _entry(path, mode)
            entry.size = len(data)
            target.addfile(entry, io.BytesIO(data))

    def _folders_above(self, path: str) -> None:
        for above in PurePosixPath(path).parents:
            if str(above) != "." and str(above) not in self._links:
                self._folders.setdefault(str(above), (0o755, 0))


def save(path: Path, reference: str, layer: Layer, configuration: Mapping[str, object]) -> Path:
    """Write the image as docker-archive to `path`, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".image-") as folder:
        content = Path(folder) / "layer.tar"
        with tarfile.open(content, "w") as tar:
            layer.write(tar)
        with content.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        described = _described(digest, configuration)
        name = f"{hashlib.sha256(described).hexdigest()}.json"
        manifest = [{"Config": name, "RepoTags": [reference], "Layers": [f"{digest}/layer.tar"]}]
        archive = Path(folder) / "image.tar"
        with tarfile.open(archive, "w") as tar:
            _add(tar, name, described)
            tar.add(content, f"{digest}/layer.tar", filter=_plain)
            _add(tar, "manifest.json", json.dumps(manifest).encode())
        os.replace(archive, path)
    return path


def _described(digest: str, configuration: Mapping[str, object]) -> bytes:
    machine = platform.machine()
    return json.dumps(
        {
            "architecture": _ARCHITECTURES.get(machine, machine),
            "os": "linux",
            "config": configuration,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
            "history": [{}],
        },
        sort_keys=True,
    ).encode()


def _entry(path: str, mode: int, owner: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.mode, entry.uid, entry.gid = mode, owner, owner
    return entry


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    plain = _entry(entry.name, 0o644)
    plain.size = entry.size
    return plain


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = _entry(name, 0o644)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))
