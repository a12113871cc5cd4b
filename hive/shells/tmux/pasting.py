"""Files through which texts reach tmux: it reads a file of any size exactly, and a command line does not.

A supervisor that is killed in the middle of a paste leaves its file, and perhaps tmux's buffer of the same
name; the next connection removes both.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hive.shells.tmux.language import CommandList, commands

_BUFFER = re.compile(r"hive-([0-9]+)-[0-9]+")
# Unique in the process: several terminals may stand on one socket.
_numbers = itertools.count(1)


class PasteFiles:
    """Files beside the socket, readable by their owner alone; each carries its writer's pid in its name."""

    def __init__(self, socket_path: Path) -> None:
        self._folder = socket_path.parent
        self._prefix = f"{socket_path.name}."

    @contextmanager
    def holding(self, text: str) -> Iterator[tuple[str, Path]]:
        """A name for a buffer and the file that holds `text`, which is removed in the end."""
        buffer = f"hive-{os.getpid()}-{next(_numbers)}"
        path = self._folder / (self._prefix + buffer)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
            yield buffer, path
        finally:
            path.unlink(missing_ok=True)

    def remove_left_behind(self) -> list[CommandList]:
        """Remove the files of dead supervisors; the commands that remove their buffers, where there are."""
        buffers = []
        with contextlib.suppress(OSError):
            for path in list(self._folder.glob(f"{self._prefix}hive-*")):
                match = _BUFFER.fullmatch(path.name.removeprefix(self._prefix))
                if match and not os.path.exists(f"/proc/{match[1]}"):
                    path.unlink(missing_ok=True)
                    buffers.append(match[0])
        return [commands(("delete-buffer", "-b", buffer)) for buffer in buffers]
