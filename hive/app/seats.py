"""Seats for agents: their folders, the files that lead their git and gh to hive, their environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hive.app.places import Places
from hive.contracts.backend import Backend, Launch, Seat
from hive.errors import Refused
from hive.facts.agents import AgentSpec
from hive.gateway.client_files import client_files, token_files, write_client_files, write_files
from hive.ports.seats import ReadySeat
from hive.shells.system.files import private_folder, write_private

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""What an agent gets of hive's own environment: nothing that could hold a credential."""


@dataclass(frozen=True, slots=True)
class FolderSeats:
    """Implements `ports.seats.Seats` below the state folder.

    Attributes:
        proxy_url, ca_file: The gateway's, as it listens now.
    """

    places: Places
    backends: Mapping[str, Backend]
    proxy_url: str
    ca_file: Path

    def home(self, agent: str) -> str:
        return str(self.places.agent(agent))

    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        try:
            return self._prepare(spec, generation, token, resume)
        except OSError as error:
            raise Refused("seats", f"the folders of {spec.name} cannot be made: {error}") from error

    def renew(self, spec: AgentSpec, *, token: str) -> None:
        try:
            write_files(token_files(self.places.agent(spec.name), token))
        except OSError as error:
            raise Refused("seats", f"the token of {spec.name} cannot be written: {error}") from error

    def _prepare(self, spec: AgentSpec, generation: int, token: str, resume: str) -> ReadySeat:
        home = private_folder(self.places.agent(spec.name))
        workdir = private_folder(home / "work")
        private_folder(home / "tmp")
        files, environment = client_files(
            home,
            token=token,
            socket=self.places.gateway_socket,
            proxy_url=self.proxy_url,
            ca_file=self.ca_file,
            agent=spec.name,
            repos=spec.repos,
        )
        write_client_files(files, environment)
        seat = Seat(
            spec=spec,
            home=str(home),
            workdir=str(workdir),
            environment={**environment, **_base(home)},
            generation=generation,
            resume=resume,
        )
        launch = self.backends[spec.backend].launch(seat)
        for file in launch.files:
            _write(home, file.path, file.content)
        return ReadySeat(launch=_own(launch, spec), workdir=str(workdir))


def _write(home: Path, path: str, content: str) -> None:
    """Write below the agent's home and nowhere else, whatever a plug-in names."""
    target = (home / path).resolve()
    if not target.is_relative_to(home.resolve()):
        raise Refused("seats", f"{path} lies outside of the agent's home")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_private(target, content.encode())


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
