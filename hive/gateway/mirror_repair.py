"""What a crash or a bad disk leaves of a mirror: told, and taken away.

Nothing in a mirror is lost by that: all of it is the forge's, and is fetched from there again.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

_LOG = logging.getLogger(__name__)
_STALE_S = 1800.0
"""Twice as long as any git command of the gateway may take: what holds a lock still is no longer there."""

Git = Callable[..., "subprocess.CompletedProcess[bytes]"]


def is_broken(git: Git) -> bool:
    """Whether the mirror that `git` runs in is none any more, or has objects that are missing or damaged."""
    return bool(git("fsck", "--connectivity-only", "--no-dangling", "--no-progress").returncode)


def discard(path: Path) -> None:
    """Take a mirror away at once; readers that have it open read on."""
    _LOG.warning("the mirror %s is damaged; it is fetched anew", path)
    aside = Path(tempfile.mkdtemp(prefix=".damaged-", dir=path.parent))
    path.rename(aside / path.name)
    shutil.rmtree(aside, ignore_errors=True)


def sweep(path: Path) -> None:
    """Remove what an earlier process left when it ended: quarantines of its pushes, and locks that are too
    old to be anybody's. Not while pushes of this process are under way."""
    objects = path / "objects"
    for left in objects.glob("quarantine-*"):
        shutil.rmtree(left, ignore_errors=True)
    if not objects.is_dir():
        return
    with tempfile.NamedTemporaryFile(dir=objects, prefix="tmp_now_") as now:
        present = Path(now.name).stat().st_mtime
    for lock in path.rglob("*.lock"):
        if present - lock.stat().st_mtime > _STALE_S:
            _LOG.info("removing the old lock %s", lock)
            lock.unlink(missing_ok=True)
