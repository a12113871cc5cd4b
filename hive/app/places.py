"""Where everything lies below the state folder."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_LONGEST_SOCKET = 80
"""Bytes. A Unix socket's path has 107 at most (unix(7)); names below the folder need the rest."""
_SHORT = Path("/tmp")  # noqa: S108  # not TMPDIR: the daemon and its tools may have different ones
"""Where sockets go else. A folder of that name that is not ours, or not 0700, is refused."""


@dataclass(frozen=True, slots=True)
class Places:
    """Paths below one state folder. Sockets move to a short private folder where the path is too long."""

    state: Path

    @property
    def journal(self) -> Path:
        return self.state / "journal.db"

    @property
    def gateway(self) -> Path:
        return self.state / "gateway"

    @property
    def sockets(self) -> Path:
        folder = self.state / "run"
        if len(os.fsencode(folder)) <= _LONGEST_SOCKET:
            return folder
        # Imported where they are needed: `hive status` is quick.
        import hashlib

        name = hashlib.sha256(os.fsencode(self.state)).hexdigest()[:12]
        return _SHORT / f"hive-{os.getuid()}-{name}"

    @property
    def operator_socket(self) -> Path:
        return self.sockets / "hive.sock"

    @property
    def tmux_socket(self) -> Path:
        return self.sockets / "tmux.sock"

    @property
    def gate(self) -> Path:
        """Of the gateway's sockets alone: agents see this folder."""
        return self.sockets / "gate"

    @property
    def gateway_socket(self) -> Path:
        return self.gate / "gateway.sock"

    @property
    def proxy_socket(self) -> Path:
        """What its proxy is to agents that have no other network."""
        return self.gate / "proxy.sock"

    def order(self, agent: str) -> Path:
        """What the launcher of an agent is told."""
        return self.state / "places" / agent

    def agent(self, name: str) -> Path:
        """The agent's own HOME."""
        return self.state / "agents" / name

    def make(self) -> None:
        """Make the folders, 0700. Raises `OSError`, and `ConfigError` where another user owns one."""
        from hive.shells.system.files import private_folder

        private_folder(self.state)
        _require_own(private_folder(self.sockets))
        private_folder(self.gateway)
        private_folder(self.state / "agents")
        private_folder(self.state / "places")
        self.gate.mkdir(mode=0o711, exist_ok=True)
        # Nobody else gets as far: the folder above is private, but in an agent's place.
        self.gate.chmod(0o711)


def _require_own(folder: Path) -> None:
    """Raise `ConfigError` where somebody else made the folder, or leads elsewhere by it."""
    from hive.errors import ConfigError

    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise ConfigError(f"{folder} belongs to somebody else; remove it, or choose a shorter 'state'")
