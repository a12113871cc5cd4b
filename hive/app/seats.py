"""Seats for agents: their folders, the files that lead their git and gh to hive, their environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from hive.app.isolation import AgentPlaces
from hive.app.logins import Logins
from hive.app.places import Places
from hive.app.versions import ProgramVersions
from hive.contracts.backend import Backend, Launch, ModelWay, Seat
from hive.errors import Refused
from hive.facts.agents import AgentSpec
from hive.gateway.client_files import FOLDERS, ClientFile, client_files, token_files
from hive.ports.seats import ReadySeat
from hive.shells.isolation.files import as_user, give
from hive.shells.system.beneath import folder_beneath, write_beneath
from hive.shells.system.files import private_folder

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""What an agent gets of hive's own environment: nothing that could hold a credential."""


ModelWays: TypeAlias = Callable[[AgentSpec, str, str], ModelWay | None]


def _take_any(spec: AgentSpec) -> None:
    return None


def _no_model(spec: AgentSpec, root: str, token: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class FolderSeats:
    """Implements `ports.seats.Seats` below the state folder.

    Attributes:
        proxy_url, ca_file: The gateway's, as it listens now.
        isolation: Where programs run; None for as hive's own user, with all that this one may do.
        logins: Of subscriptions; None for none.
        vet: Raises `Refused` for an agent that is not to be started as it is configured.
        model: Where an agent's program asks for its model, by its spec, the gateway's address and its token.
    """

    places: Places
    backends: Mapping[str, Backend]
    proxy_url: str
    ca_file: Path
    isolation: AgentPlaces | None = None
    model: ModelWays = _no_model
    versions: ProgramVersions = field(default_factory=ProgramVersions)
    logins: Logins | None = None
    vet: Callable[[AgentSpec], None] = _take_any

    def home(self, agent: str) -> str:
        return str(self.places.agent(agent))

    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        try:
            return self._prepare(spec, generation, token, resume)
        except OSError as error:
            raise Refused("seats", f"the folders of {spec.name} cannot be made: {error}") from error

    def version(self, spec: AgentSpec) -> str:
        return "" if spec.command else self.versions.of(self.backends[spec.backend].traits.version)

    def renew(self, spec: AgentSpec, *, token: str) -> None:
        try:
            home = self.places.agent(spec.name)
            with as_user(home, self._user(spec.name)) as own:
                for file in token_files(home, token):
                    _write_client_file(own, home, file)
        except OSError as error:
            raise Refused("seats", f"the token of {spec.name} cannot be written: {error}") from error

    def _prepare(self, spec: AgentSpec, generation: int, token: str, resume: str) -> ReadySeat:
        self.vet(spec)
        home, user = private_folder(self.places.agent(spec.name)), self._user(spec.name)
        give(home, os.geteuid() if user is None else user)
        workdir = home / "work"
        files, environment = self._client_files(spec, token)
        login = self.logins.of(spec.name, spec.backend) if self.logins is not None else None
        seat = Seat(
            spec=spec,
            home=str(home),
            workdir=str(workdir),
            environment=self.environment(spec),
            generation=generation,
            resume=resume,
            model=self.model(spec, self.proxy_url, token),
            has_login=login is not None,
        )
        launch = self.backends[spec.backend].launch(seat)
        kept = None
        if login is not None and self.logins is not None:
            kept = (login.shape.path, self.logins.content(login))
        with as_user(home, user) as own:
            for folder in (workdir, *(Path(environment[name]) for name in FOLDERS)):
                with folder_beneath(own, folder.relative_to(home).parts, make=True):
                    pass
            for known in files:
                _write_client_file(own, home, known)
            for file in launch.files:
                _write(own, file.path, file.content)
            if kept is not None:
                _write(own, *kept)
        started = _own(launch, spec)
        if self.isolation is not None:
            started = self.isolation.arrange(spec.name, started, workdir, self.proxy_url)
        return ReadySeat(launch=started, workdir=str(workdir))

    def environment(self, spec: AgentSpec) -> dict[str, str]:
        """What every program of the agent gets, before its backend adds to it. Raises `OSError`."""
        return {**self._client_files(spec, "")[1], **_base(self.places.agent(spec.name))}

    def _client_files(self, spec: AgentSpec, token: str) -> tuple[tuple[ClientFile, ...], Mapping[str, str]]:
        return client_files(
            self.places.agent(spec.name),
            token=token,
            socket=self.places.gateway_socket,
            proxy_url=self.proxy_url,
            ca_file=self.ca_file,
            agent=spec.name,
            repos=spec.repos,
        )

    def _user(self, agent: str) -> int | None:
        return None if self.isolation is None else self.isolation.file_user(agent)

    def vacate(self, agent: str) -> None:
        if self.isolation is not None:
            self.isolation.vacate(agent)
        if self.logins is not None:
            self.logins.take_back(agent)


def _write_client_file(own: int, home: Path, file: ClientFile) -> None:
    write_beneath(own, file.path.relative_to(home).parts, file.text.encode(), file.mode)


def _write(own: int, path: str, content: str) -> None:
    """Write below the agent's home and nowhere else, whatever a plug-in names."""
    target = Path(os.path.normpath(path))
    if target.is_absolute() or target.parts[:1] in ((), ("..",)):
        raise Refused("seats", f"{path} lies outside of the agent's home")
    write_beneath(own, target.parts, content.encode())


def _base(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    beside = str(Path(sys.executable).parent)
    kept["PATH"] = os.pathsep.join([kept.get("PATH", os.defpath), beside])
    return {
        "LANG": "C.UTF-8",
        **kept,
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "HIVE_PYTHON": sys.executable,
    }


def _own(launch: Launch, spec: AgentSpec) -> Launch:
    """The operator's own command and environment go before the backend's."""
    return replace(
        launch,
        argv=spec.command or launch.argv,
        environment={**launch.environment, **dict(spec.environment)},
    )
