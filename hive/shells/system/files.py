"""Files that may hold secrets or state: private from their first byte, whole or absent, read with a limit."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from hive.errors import ConfigError

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def private_folder(path: Path) -> Path:
    """Make `path` (and its parents) where it is missing, and let nobody but its owner into it.

    Raises `OSError`.
    """
    path.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    if path.stat().st_mode & 0o077:
        path.chmod(FOLDER_MODE)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Replace `path` by `content`, mode 0600, so that readers find the old content or the new, never a part.

    Survives a power cut once it has returned. Raises `OSError`, and then `path` is as it was.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in `path` durable: a file's own fsync does not cover its entry in the folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_bounded(path: Path, *, limit: int) -> bytes:
    """Return the content of `path`, at most `limit` bytes.

    Raises `ConfigError`, naming the file, where it cannot be read or is larger: a device or a file gone
    wild must not fill the memory.
    """
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=str(path)) from error
    if len(content) > limit:
        raise ConfigError(f"is larger than {limit} bytes", source=str(path))
    return content
