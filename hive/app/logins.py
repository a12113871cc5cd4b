"""Hive's own copies of logins: put into an agent's folder at a start, and taken back refreshed."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hive.decisions.logins import MOST_BYTES, is_newer, read_login
from hive.errors import ConfigError, Refused
from hive.settings.logins import AgentLogin, content_of
from hive.shells.isolation.files import as_user
from hive.shells.system.beneath import file_beneath, folder_beneath
from hive.shells.system.files import private_folder, read_bounded, write_private

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Logins:
    """Attributes:
    folder: Of hive's copies; no agent sees it.
    wanted: Logins by agent, as they are configured now.
    home: An agent's own folder.
    user: Whose the agent's files are; None for hive's own user.
    """

    folder: Path
    wanted: Callable[[], Mapping[str, AgentLogin]]
    home: Callable[[str], Path]
    user: Callable[[str], int | None]

    def of(self, agent: str, backend: str) -> AgentLogin | None:
        """That of an agent which runs the program of `backend` now."""
        login = self.wanted().get(agent)
        return login if login is not None and login.backend == backend else None

    def content(self, login: AgentLogin) -> str:
        """The newest of this login that hive knows, for its agent's folder.

        Where another agent had it before, that one's is taken back and removed there first: two never refresh
        one login. Raises `Refused`, `OSError`.
        """
        holder = self._copy(login)[2]
        if holder and holder != login.agent:
            self._take_back(login, holder)
            self._remove(login, holder)
        self._take_back(login, login.agent)
        seed, data, _ = self._copy(login)
        self._keep(login, seed, data)
        return data.decode()

    def take_back(self, agent: str) -> None:
        """Keep what the agent's program made of its login. Never fails for what is in the agent's folder."""
        login = self.wanted().get(agent)
        if login is None or not self._path(login).exists():
            return
        try:
            self._take_back(login, agent)
        except (OSError, Refused) as error:
            _LOG.warning("the login of %s is not taken back: %s", agent, error)

    def _take_back(self, login: AgentLogin, agent: str) -> None:
        seed, known, _ = self._copy(login)
        found = self._left(login, agent)
        if found is None or found == known:
            return
        if is_newer(found, known, login.shape):
            self._keep(login, seed, found)
            _LOG.info("took back the login that %s refreshed", agent)
        else:
            _LOG.warning(
                "what %s has for a login is no later one of the same account; hive keeps its own", agent
            )

    def _left(self, login: AgentLogin, agent: str) -> bytes | None:
        """What is in the agent's folder: no link is followed, nothing is waited for."""
        home = self.home(agent)
        try:
            with file_beneath(home, login.shape.path.split("/")) as descriptor:
                data = os.read(descriptor, MOST_BYTES + 1)
        except OSError:
            return None
        return data if len(data) <= MOST_BYTES else None

    def _remove(self, login: AgentLogin, agent: str) -> None:
        home = self.home(agent)
        if home.exists():
            *folders, name = login.shape.path.split("/")
            with (
                suppress(FileNotFoundError),
                as_user(home, self.user(agent)) as own,
                folder_beneath(own, folders) as folder,
            ):
                os.unlink(name, dir_fd=folder)

    def _copy(self, login: AgentLogin) -> tuple[str, bytes, str]:
        """What hive began with, the newest it has, and who had it last.

        The operator's file counts again when it is another one than hive began with: somebody logged in.
        """
        try:
            operators = content_of(login.file)
            read_login(operators, login.shape)
        except (ConfigError, ValueError) as error:
            raise Refused("seats", f"the login of {login.agent}, {login.file}: {error}") from error
        seed = hashlib.sha256(operators).hexdigest()
        try:
            kept = json.loads(read_bounded(self._path(login), limit=4 * MOST_BYTES))
            known = (kept["seed"], kept["login"].encode(), kept["agent"])
        except (ConfigError, ValueError, KeyError, TypeError, AttributeError):
            return seed, operators, ""
        return known if known[0] == seed else (seed, operators, known[2])

    def _keep(self, login: AgentLogin, seed: str, data: bytes) -> None:
        private_folder(self.folder)
        value = {"seed": seed, "agent": login.agent, "login": data.decode()}
        write_private(self._path(login), json.dumps(value).encode())

    def _path(self, login: AgentLogin) -> Path:
        """By the operator's file: an agent with another name goes on with the same login."""
        name = hashlib.sha256(os.fsencode(os.path.realpath(login.file))).hexdigest()[:24]
        return self.folder / f"{name}.json"
