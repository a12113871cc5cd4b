"""The real agent programs, from npm, in a cache outside the checkout.

``HIVE_CLI_CACHE`` (default ``~/.cache/hive/clis``) holds one folder for each program and version; what is
there is never installed again. As a program it installs what is named, or all: ``python -m
tests.backends.clis``.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.197"),
    "copilot": ("@github/copilot", "1.0.102"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "codex": ("@openai/codex", "0.171.0"),
    "opencode": ("opencode-ai", "1.18.33"),
}
"""Package and version of each program: the ones that the screens were recorded from."""


class Unavailable(Exception):
    """The program cannot be had here; says why in one line."""


def cache() -> Path:
    return Path(os.environ.get("HIVE_CLI_CACHE") or Path.home() / ".cache" / "hive" / "clis")


def folder_of(name: str, version: str | None = None) -> Path:
    """The folder of program `name` for PATH; installs it where it is absent. Raises `Unavailable`."""
    package, default = PACKAGES[name]
    version = version or default
    place = cache() / f"{name}@{version}"
    programs = place / "node_modules" / ".bin"
    if not (place / ".ok").exists():
        place.mkdir(parents=True, exist_ok=True)
        with (place / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # several tests, one installation
            if not (place / ".ok").exists():
                _install(place, f"{package}@{version}")
    if not (programs / name).exists():
        raise Unavailable(f"{package}@{version} installs no program {name!r}")
    return programs


def _install(place: Path, package: str) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Unavailable(f"{package} needs node and npm, which are not on PATH")
    (place / "package.json").write_text(json.dumps({"private": True}))
    command = (npm, "install", "--no-audit", "--no-fund", "--loglevel=error", package)
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        said = " ".join(done.stderr.split())[:200]
        raise Unavailable(f"npm cannot install {package}: {said}")
    (place / ".ok").touch()


if __name__ == "__main__":
    for asked in sys.argv[1:] or list(PACKAGES):
        print(asked, folder_of(asked))
