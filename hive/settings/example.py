"""The `hive.yaml` that `hive init` writes: the shipped example, with the repository at hand in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hive import assets
from hive.errors import ConfigError

ASSET = "config/hive.example.yaml"
REPOSITORY = "your-org/your-repo"
BACKEND = "claude"

_PUBLIC = "github.com"
_PREFERRED = ("claude", "copilot", "gemini", "goose", "scripted")


def init_text(repository: str | None = None, *, host: str = _PUBLIC, backend: str = BACKEND) -> str:
    """Return a commented configuration.

    It loads as it is once GITHUB_TOKEN is set and `backend` is installed. Without a `repository`
    (``OWNER/NAME``) a placeholder stands in its place; `host` is the forge's, ``github.com`` or another.
    """
    text = assets.text(ASSET).replace(f"- {REPOSITORY}\n", f"- {repository or REPOSITORY}\n")
    text = text.replace(f"backend: {BACKEND}\n", f"backend: {backend}\n")
    if host.lower() == _PUBLIC:
        return text
    return text.replace("# api_url: https://api.github.com\n", f"api_url: {_api(host)}\n")


def _api(host: str) -> str:
    """Data residency (``NAME.ghe.com``) has its API on a host of its own, other servers below a path."""
    return f"https://api.{host}" if host.lower().endswith(".ghe.com") else f"https://{host}/api/v3"


def preferred(installed: Iterable[str]) -> str:
    """Which of the installed backends an example is written for."""
    names = sorted(installed)
    return next((name for name in _PREFERRED if name in names), names[0] if names else BACKEND)


def write_new(path: Path, text: str) -> None:
    """Write `text` to `path`, which must not exist. Raises `ConfigError` with the remedy."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ConfigError(
            "this file exists and is not overwritten; move it away, or name another with -c", source=str(path)
        ) from error
    except OSError as error:
        raise ConfigError(f"the file cannot be written: {error.strerror}", source=str(path)) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
