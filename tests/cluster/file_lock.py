"""A lock between processes, which the kernel takes back when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, after waiting for whoever holds it."""
    descriptor = take(path)
    assert descriptor is not None
    try:
        yield
    finally:
        os.close(descriptor)


def take(path: Path, *, wait: bool = True, make: bool = True) -> int | None:
    """A descriptor that holds the lock until it is closed; None where another holds it and `wait` is off.

    Children do not inherit it, so a lock is free as soon as its holder is dead. Raises FileNotFoundError
    where there is no such file and `make` is off.
    """
    if make:
        path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if make else 0), 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
