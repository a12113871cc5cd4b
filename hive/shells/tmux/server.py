"""A tmux server of hive's own: where its socket is, how it is started, what it is set to.

The server and its clients run with a bare environment, so that nothing of the daemon's (a forge credential,
say) can be read from theirs or is handed to a program.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

from hive.errors import ConfigError
from hive.shells.tmux.language import CommandList, commands

CONTROL = "hive-control"
"""Hive's own session, to which the control connection is attached; never shown."""

SUPERVISOR = "HIVE_SUPERVISOR"
"""In a control client's environment: pid of the process that speaks through it."""

OLDEST = (3, 2)
"""`new-session -e`, `copy-mode -q` and `run-shell -C` are there from 3.2 on (its change log)."""

_SETPRIV = shutil.which("setpriv")
# Linux takes 108 bytes with the final NUL for a socket's path (unix(7)).
_LONGEST_SOCKET_PATH = 107


class TmuxServer:
    """One server behind one socket. Nothing runs before `attach_argv` is executed."""

    def __init__(self, socket_path: Path, *, program: str, history_limit: int) -> None:
        """Make the socket's folder (0700). Raises `ConfigError` when tmux is missing or too old, or
        the path cannot hold a socket."""
        self.socket_path = socket_path.absolute()
        self.program = program
        self._history_limit = history_limit
        self.version = _version(program)
        if len(os.fsencode(self.socket_path)) > _LONGEST_SOCKET_PATH:
            raise ConfigError(
                f"the path of tmux's socket is longer than {_LONGEST_SOCKET_PATH} bytes: {self.socket_path}; "
                "choose a state folder with a shorter path"
            )
        try:
            self.socket_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"cannot make tmux's socket folder {self.socket_path.parent}: {error}"
            ) from error

    @property
    def environment(self) -> dict[str, str]:
        """What server and clients run with."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            SUPERVISOR: str(os.getpid()),
        }

    def argv(self, *words: str) -> list[str]:
        """A command line for this server."""
        return [self.program, "-u", "-S", str(self.socket_path), "-f", os.devnull, *words]

    def attach_argv(self) -> list[str]:
        """Start a control client on hive's own session, and the server where none runs.

        Two words make tmux start the session's program without a shell. A client whose supervisor was
        killed may stay for ever (tmux waits to write to it) and keep a killed server from exiting
        (measured on 3.3a); where `setpriv` is at hand, the client dies with the thread that started it.
        """
        bound = [_SETPRIV, "--pdeathsig", "KILL", "--"] if _SETPRIV else []
        session = ("new-session", "-A", "-s", CONTROL, "-x", "80", "-y", "2", "--", "sleep", "infinity")
        return [*bound, *self.argv("-C", *session)]

    def runs(self) -> bool:
        """Whether something listens on the socket. False for a socket that was never made or whose server
        is gone; raises `OSError` for all else (no permission, say), which is not the same as nothing."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)
            try:
                probe.connect(str(self.socket_path))
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            except BlockingIOError:
                return True  # it hangs, and its queue of connections is full
        return True

    def settings(self) -> list[CommandList]:
        """What is sent at every connect; idempotent."""
        names = (*self.environment, "PWD")
        unset = [commands(("set-environment", "-gu", name)) for name in names]
        return [*options(self._history_limit), *unset]


def options(history_limit: int, *, exit_empty: bool = True) -> list[CommandList]:
    """What every server of hive's is set to; idempotent.

    `window-size manual` is not among them: set globally, tmux 3.3a crashes at the next `new-session`
    (measured); each session gets it by itself.
    """
    everywhere = {
        "remain-on-exit": "on",
        "remain-on-exit-format": "",
        "history-limit": str(history_limit),
        "default-terminal": "tmux-256color",
        "update-environment": "",
        "status": "off",
        "bell-action": "none",
        "set-titles": "off",
        "automatic-rename": "off",
        "allow-rename": "off",
    }
    server = {
        "escape-time": "0",
        "set-clipboard": "off",
        "exit-empty": "on" if exit_empty else "off",
        "focus-events": "off",
    }
    lists = [commands(("set-option", "-g", name, value)) for name, value in everywhere.items()]
    return lists + [commands(("set-option", "-s", name, value)) for name, value in server.items()]


def _version(program: str) -> str:
    try:
        # A wedged tmux must not wedge hive: libtmux's own look-up waits without a limit.
        done = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=10, check=False)
    except FileNotFoundError as error:
        raise ConfigError(
            f"{program} is not installed; install tmux {OLDEST[0]}.{OLDEST[1]} or later (apt install tmux)"
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{program} does not run: {error}") from error
    text = done.stdout.strip() or done.stderr.strip()
    match = re.search(r"(\d+)\.(\d+)", text)
    if text.startswith("tmux ") and match is None:
        return text  # "tmux master": built from source, newer than any number
    if match is None or (int(match[1]), int(match[2])) < OLDEST:
        raise ConfigError(f"hive needs tmux {OLDEST[0]}.{OLDEST[1]} or later; {program} is {text!r}")
    return text
