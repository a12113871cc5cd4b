"""Which repository of the forge a folder is a working copy of."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_PATIENCE = 10.0
_SCP = re.compile(r"(?:[^/@:]+@)?(?P<host>[A-Za-z0-9.-]+):(?P<path>(?!//)[^:]+)")
_REPOSITORY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*/[A-Za-z0-9._-]+")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_SSH_OVER_HTTPS = {"ssh.github.com": "github.com"}


@dataclass(frozen=True, slots=True)
class Origin:
    """The remote `origin` of a working copy.

    Attributes:
        host: Of the forge, without user and port.
        repository: ``OWNER/NAME``.
        branch: The remote's default branch where git knows it, else the branch that is checked out.
    """

    host: str
    repository: str
    branch: str


def origin(folder: Path) -> Origin | None:
    """The origin of `folder`'s repository; `None` where there is none, or none of a forge, or no git."""
    url = _git(folder, "remote", "get-url", "origin")
    named = None if url is None else parse_url(url)
    if named is None:
        return None
    head = _git(folder, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    branch = head.removeprefix("origin/") if head else _git(folder, "symbolic-ref", "--short", "HEAD")
    return Origin(named[0], named[1], branch or "main")


def parse_url(url: str) -> tuple[str, str] | None:
    """Host and ``OWNER/NAME`` of a remote's address; `None` for a path and for what has no such name."""
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path = parts.hostname or "", parts.path
        except ValueError:
            return None
        if parts.scheme not in ("https", "http", "ssh", "git"):
            return None
    else:
        match = _SCP.fullmatch(url)
        if match is None:
            return None
        host, path = match["host"].lower(), match["path"]
    repository = path.strip("/").removesuffix(".git")
    if _REPOSITORY.fullmatch(repository) is None or _HOST.fullmatch(host) is None:
        return None
    return _SSH_OVER_HTTPS.get(host, host), repository


def _git(folder: Path, *arguments: str) -> str | None:
    """One line that git printed; `None` when it had nothing to say."""
    # A hook's or a parent's GIT_DIR would have git answer about another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            env={**environment, "LC_ALL": "C"},
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
