"""An agent's place in a pod, as far as the gateway can tell: TLS to an address, files of a Secret."""

from __future__ import annotations

import socket
import ssl
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from hive.gateway import Gateway, Limits, PodsDoor, pod_client_files
from hive.ports.authority import Identity
from hive.ports.models import ModelAuthority
from hive.shells.system.clock import SystemClock
from tests.gateway.client_folder import write_client_files
from tests.gateway.place import AGENT, REPO, Place

POD_TOKEN = "hive-token-of-the-sandbox"
IN_POD = Identity(AGENT, "quality", (REPO,), None, cluster="east")
ADDRESS = "127.0.0.2"
"""Loopback, but no address that any tool takes for this machine's own by its name."""


@dataclass
class Pod(Place):
    """Attributes:
    folder: Mounted at /run/secrets/hive in a real one.
    """

    folder: Path = Path()

    def equip(self, gh: Path | None = None) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "token").write_text(f"{self.token}\n")
        (self.folder / "ca.pem").write_bytes(self.gateway.ca_file.read_bytes())
        url = self.gateway.pods_url
        assert url is not None
        files, environment = pod_client_files(
            proxy_url=url,
            agent=self.agent,
            repos=(REPO,),
            home=self.home,
            secret=self.folder,
            path=f"{gh.parent}:/usr/bin:/bin" if gh else "/usr/bin:/bin",
        )
        write_client_files(files, environment)
        self.environment = dict(environment)

    def run(
        self, *command: str, cwd: Path | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        launch = str(self.home / ".config" / "hive" / "launch")
        return super().run(launch, *command, cwd=cwd, given=given)

    def connect(self) -> ssl.SSLSocket:
        """TLS to the door, with hive's authority alone trusted."""
        pods = self.settings.pods
        assert pods is not None
        context = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
        return context.wrap_socket(self.plain(), server_hostname=pods.name)

    def plain(self) -> socket.socket:
        pods = self.settings.pods
        assert pods is not None
        return socket.create_connection((pods.host, self.port), timeout=20)

    @property
    def port(self) -> int:
        return self.gateway.pods_port

    def says(self, data: bytes) -> bytes:
        """Everything that is answered to `data` within TLS until the connection is closed."""
        with self.connect() as connection:
            connection.sendall(data)
            answer = b""
            while piece := connection.recv(65_536):
                answer += piece
        return answer


def pod_in(
    place: Place,
    limits: Limits | None = None,
    door: PodsDoor | None = None,
    models: ModelAuthority | None = None,
) -> Pod:
    """The same place with a door for pods, and an agent in one. The gateway is another."""
    settings = replace(
        place.settings,
        pods=door or PodsDoor(ADDRESS, 0, ADDRESS),
        limits=limits or place.settings.limits,
    )
    place.gateway.close()
    place.authority.identities[POD_TOKEN] = IN_POD
    place.settings = settings
    place.gateway = Gateway(settings, place.authority, SystemClock(), models)
    place.gateway.start()
    pod = Pod(
        place.root,
        place.forge,
        place.authority,
        settings,
        place.gateway,
        token=POD_TOKEN,
        folder=place.root / "secret",
    )
    pod.equip()
    return pod
