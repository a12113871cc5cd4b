"""A hive's folders with two agents' seats in them, and commands run from an agent's place."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from pathlib import Path

from hive.app.isolation import AgentPlaces, agent_place
from hive.app.places import Places
from hive.app.seats import FolderSeats
from hive.facts.isolation import IsolationOptions
from hive.gateway import Gateway
from hive.gateway.settings import GatewaySettings, Limits
from hive.kernel.plugins import backends
from hive.ports.seats import ReadySeat
from hive.shells.isolation.place import Outcome
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess
from tests.decisions.worlds import spec
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import CREDENTIAL

TOKENS = {"a": "hive_token_of_a", "b": "hive_token_of_b"}


@dataclass
class Hive:
    """A gateway that listens, and seats of agents a and b behind it."""

    places: Places
    isolation: AgentPlaces
    seats: FolderSeats
    gateway: Gateway
    authority: FakeAuthority
    ready: dict[str, ReadySeat]

    def run(self, *argv: str, agent: str = "a", stdin: str = "", timeout: float = 30.0) -> Outcome:
        """Run a command as an agent would."""
        return agent_place(
            self.isolation,
            agent,
            argv,
            proxy_url=self.gateway.proxy_url,
            environment=self.ready[agent].launch.environment,
            stdin=stdin,
            timeout=timeout,
        )

    def shell(
        self, command: str, agent: str = "a", *, stdin: str = "", timeout: float = 60.0
    ) -> tuple[int | None, str]:
        """A line of sh as an agent's own: its exit code, and all that it says."""
        done = self.run("sh", "-c", f"exec 2>&1; {command}", agent=agent, stdin=stdin, timeout=timeout)
        return done.code, done.out.strip()

    def close(self) -> None:
        for agent in self.ready:
            self.isolation.vacate(agent)
        self.isolation.groups.close()
        self.gateway.close(0.2)


NOBODY = "http://127.0.0.1:9"
"""Of a forge that is not there: what would reach it fails, and what is refused before that is told apart."""


def a_hive(
    folder: Path, options: IsolationOptions, authority: FakeAuthority, forge: StandInProcess | None = None
) -> Hive:
    """`forge` is seeded as those of the gateway's tests; without one nobody is there."""
    places = Places(folder / "state")
    places.make()
    secrets = folder / "hive.yaml"
    secrets.write_text(f"token: {CREDENTIAL}\n")
    isolation = AgentPlaces(places, lambda: options, lambda: (str(secrets),))
    settings = GatewaySettings(
        socket_path=places.gateway_socket,
        state=places.gateway,
        credential=lambda: CREDENTIAL,
        socket_mode=0o666,
        proxy_path=places.proxy_socket,
        peer=isolation.peer,
        agent_of=isolation.agent_of,
        allow=lambda: options.allow,
        limits=Limits(connections=60, connections_each=40),
        api_url=forge.api_url if forge else NOBODY,
        graphql_url=f"{forge.url}/api/graphql" if forge else f"{NOBODY}/graphql",
        git_url=forge.url if forge else NOBODY,
        mirror_fresh_s=0.0,
    )
    gateway = Gateway(settings, authority, SystemClock())
    gateway.start()
    seats = FolderSeats(places, backends(), gateway.proxy_url, gateway.ca_file, isolation)
    ready = {name: seats.prepare(spec(name), generation=1, token=token) for name, token in TOKENS.items()}
    return Hive(places, isolation, seats, gateway, authority, ready)


class Echo:
    """A server on loopback that says back what it hears, and counts who came."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.came = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            self.came += 1
            with peer:
                while piece := peer.recv(65_536):
                    peer.sendall(piece)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
