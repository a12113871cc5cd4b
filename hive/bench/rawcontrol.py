"""tmux's control mode with nothing around it: the limit that hive's terminal is measured against."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


class RawControl:
    """A control client that writes lines and counts answers, and looks at nothing."""

    def __init__(self, socket: Path, session: str = "raw", *, size: tuple[int, int] = (80, 2)) -> None:
        argv = ["tmux", "-u", "-S", str(socket), "-f", os.devnull, "-C", "new-session", "-A", "-s", session]
        argv += ["-x", str(size[0]), "-y", str(size[1]), "--", "sleep", "infinity"]
        self._client = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.send(["display-message -p up"])

    @property
    def pid(self) -> int:
        """The client's."""
        return self._client.pid

    def send(self, lines: Sequence[str]) -> int:
        """Write all `lines`, read until each is answered, and return how many bytes came."""
        assert self._client.stdin is not None
        assert self._client.stdout is not None
        self._client.stdin.write("".join(f"{line}\n" for line in lines).encode())
        seen = size = 0
        tail = b""
        while seen < len(lines):
            data = os.read(self._client.stdout.fileno(), 1 << 18)
            if not data:
                raise ConnectionError("tmux ended the connection")
            size += len(data)
            # Answers to what was asked end with flag 1; a cut end is found with the next piece.
            text = tail + data
            whole, _, tail = text.rpartition(b"\n")
            seen += sum(
                line.endswith(b" 1") and line.startswith((b"%end ", b"%error "))
                for line in whole.split(b"\n")
            )
        return size

    def read(self) -> bytes:
        """What came by itself; waits."""
        assert self._client.stdout is not None
        return os.read(self._client.stdout.fileno(), 1 << 16)

    def close(self) -> None:
        self._client.kill()
        self._client.wait()
        for pipe in (self._client.stdin, self._client.stdout):
            if pipe is not None:
                pipe.close()
