"""Which hive a command means: the one whose configuration is named, without reading all of it."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from hive.app.places import Places
from hive.errors import ConfigError


def places(config: str) -> Places:
    """The places of the hive configured at `config`; only its key `state` is read, so that this is quick
    and works while the rest of the file is being edited.

    Raises `ConfigError` when the file cannot be read.
    """
    path = Path(config)
    return Places(Path(os.path.abspath(path.parent / _state(path))))


def _state(path: Path) -> str:
    from hive.documents import read

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot be read ({error.strerror}); name another with -c, or write one with 'hive init'",
            source=str(path),
        ) from error
    document = read(data, str(path))
    value = document.value
    state = value.get("state") if isinstance(value, dict) else None
    if state is None:
        return ".hive"
    if not isinstance(state, str):
        raise document.error("state: text is expected", ("state",))
    return _filled(document, state) if "$" in state else state


def _filled(document: object, state: str) -> str:
    from hive.documents import Document
    from hive.settings.interpolation import Interpolation

    assert isinstance(document, Document)
    return str(Interpolation(document, os.environ).fill(state, ("state",)))


def user() -> str:
    """Who is at the keyboard, for the record."""
    return os.environ.get("SUDO_USER") or getpass.getuser()
