"""A person before a terminal, attached to a session of a real tmux server."""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import termios
import threading
from pathlib import Path


class Person:
    """A real tmux client on a pseudo-terminal. Call `leave` in the end."""

    def __init__(self, socket: Path, session: str, *options: str) -> None:
        """`options` are those of ``attach-session``."""
        self._keyboard, screen = pty.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, b"\x18\x00\x50\x00\x00\x00\x00\x00")  # 24 rows, 80 columns
        words = ["tmux", "-u", "-S", str(socket), "attach-session", *options, "-t", f"={session}"]
        environment = {"TERM": "xterm-256color", "PATH": "/usr/bin:/bin"}
        self._client = subprocess.Popen(
            words, stdin=screen, stdout=screen, stderr=screen, env=environment, start_new_session=True
        )
        os.close(screen)
        self._eyes = threading.Thread(target=self._look, daemon=True)
        self._eyes.start()

    def press(self, keys: bytes) -> None:
        os.write(self._keyboard, keys)

    def leave(self) -> None:
        """Close the window; the client is gone afterwards."""
        self._client.terminate()
        self._client.wait(20)
        self._eyes.join(20)
        os.close(self._keyboard)

    def _look(self) -> None:
        """A screen that nobody reads would stop the client."""
        while True:
            try:
                if not os.read(self._keyboard, 65536):
                    return
            except OSError:
                return
