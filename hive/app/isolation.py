"""Places for agents on this machine: which kind, whose user, what is to be seen, which way out."""

from __future__ import annotations

import logging
import os
import pwd
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from hive.app.places import Places
from hive.contracts.backend import Launch
from hive.decisions.isolation import Allowed, Choice, choose
from hive.errors import Refused
from hive.facts.events import Event, PortFailed, PortRecovered
from hive.facts.isolation import ISOLATION, IsolationMode, IsolationOptions, Network
from hive.settings.settings import Settings
from hive.shells.isolation.cgroups import ControlGroups
from hive.shells.isolation.closed import Closed, closed_to_others
from hive.shells.isolation.order import Forward, PlaceOrder, written
from hive.shells.isolation.place import Outcome, launcher, run_in_place
from hive.shells.isolation.probing import fault_of
from hive.shells.isolation.view import closed_folders, hidden_folders, names_of, needed_paths, program_paths
from hive.shells.system.files import write_private

_LOG = logging.getLogger(__name__)
_OF_ROOT = ("/etc", "/var", "/srv", "/opt")
"""Where services keep what only root may read."""
_LOOPBACK = ("localhost", "127.0.0.1")


@dataclass(slots=True)
class AgentPlaces:
    """Thread-safe. What the machine allows is tried once, when somebody first asks.

    Attributes:
        options: What the operator wants now.
        masked: Files with secrets of hive's, wherever they lie.
    """

    places: Places
    options: Callable[[], IsolationOptions]
    masked: Callable[[], tuple[str, ...]] = tuple
    groups: ControlGroups = field(init=False)
    _allowed: Allowed | None = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.groups = ControlGroups(self.places.state)

    def allowed(self) -> Allowed:
        """What the machine allows."""
        with self._lock:
            if self._allowed is None:
                uid = self.options().uids[0]
                self._allowed = Allowed(
                    uid=fault_of(IsolationMode.UID, uid),
                    userns=fault_of(IsolationMode.USERNS, uid),
                    control_groups=self.groups.fault,
                    as_root=os.geteuid() == 0,
                )
            return self._allowed

    def choice(self) -> Choice:
        options = self.options()
        if options.mode is IsolationMode.NONE and not options.limits.need_control_groups:
            return Choice(IsolationMode.NONE)
        return choose(options, self.allowed())

    def news(self, known: Mapping[str, str]) -> tuple[Event, ...]:
        """What to write down of what is missing, where `known` (port to failure) says otherwise."""
        choice = self.choice()
        said = choice.because and (
            f"agents run with less than was asked for: {choice.because}"
            if choice.is_degraded
            else f"agents are not started: {choice.because}; remedy: {choice.remedy}"
        )
        if said == known.get(ISOLATION, ""):
            return ()
        return (PortFailed(port=ISOLATION, message=said) if said else PortRecovered(port=ISOLATION),)

    def mode(self) -> IsolationMode:
        """The kind of place that agents get. Raises `Refused` where they are not to be started."""
        choice = self.choice()
        if choice.mode is None:
            raise Refused(ISOLATION, f"{choice.because}; remedy: {choice.remedy}")
        return choice.mode

    def file_user(self, agent: str) -> int | None:
        """Whose the agent's files are to be, where that is not hive's own user. Raises `Refused`."""
        return self._uid(agent) if self.mode() is IsolationMode.UID else None

    def peer(self, agent: str) -> int | None:
        """The user whose programs alone may show the agent's token; None where anybody's may."""
        try:
            mode = self.mode()
        except Refused:
            return None
        if mode is IsolationMode.NONE or self.options().network is Network.HOST:
            return None
        return self._uid(agent) if mode is IsolationMode.UID else os.geteuid()

    def agent_of(self, uid: int) -> str | None:
        """Whose user that is."""
        return next((name for name, owner in self._owners().items() if owner == uid), None)

    def arrange(self, agent: str, launch: Launch, workdir: Path, proxy_url: str) -> Launch:
        """How to start `launch` in the agent's place. Raises `Refused`, `OSError`."""
        if self.mode() is IsolationMode.NONE:
            return launch
        environment = self._with_proxy(launch.environment, proxy_url)
        order = self.order(agent, launch.argv, workdir, proxy_url, path=environment.get("PATH", os.defpath))
        order = replace(order, cgroups=self.groups.make(agent, self.options().limits))
        path = self.places.order(agent)
        write_private(path, written(order))
        return replace(launch, argv=launcher(path), environment=environment)

    def order(
        self, agent: str, argv: tuple[str, ...], workdir: Path, proxy_url: str, *, path: str
    ) -> PlaceOrder:
        """The agent's place, without a control group. Raises `Refused`."""
        own_user = self.mode() is IsolationMode.UID
        options = self.options()
        uid = self._uid(agent) if own_user else os.geteuid()
        home = str(self.places.agent(agent))
        always = (*needed_paths(), str(self.places.gate), *options.readable)
        shown = (*always, *program_paths(argv[0], path, always))
        closed = Closed() if own_user or os.geteuid() != 0 else closed_to_others(_OF_ROOT)
        return PlaceOrder(
            argv=argv,
            uid=uid,
            gid=uid if own_user else os.getegid(),
            own_user=own_user,
            user="agent",
            home=home,
            workdir=str(workdir),
            hidden=(
                *hidden_folders(self.places.state, self.places.sockets),
                *(closed_folders([*shown, home]) if own_user else ()),
                *closed.folders,
            ),
            masked=(*self.masked(), *closed.files),
            shown=shown,
            own_network=options.network is Network.GATEWAY,
            forwards=self._forwards(proxy_url),
        )

    def _forwards(self, proxy_url: str) -> tuple[Forward, ...]:
        socket = str(self.places.proxy_socket)
        own = {each.port: str(each) for each in self.options().allow if each.host in _LOOPBACK}
        proxy = urlsplit(proxy_url).port or 0
        own.pop(proxy, None)
        return (Forward(proxy, socket), *(Forward(port, socket, target) for port, target in own.items()))

    def _with_proxy(self, environment: Mapping[str, str], proxy_url: str) -> dict[str, str]:
        """Endpoints beyond this machine are reached by the proxy; whatever the operator set goes before."""
        options = self.options()
        beyond = any(each.host not in _LOOPBACK for each in options.allow)
        if options.network is Network.HOST or not beyond:
            return dict(environment)
        here = ",".join((*_LOOPBACK, "::1"))
        added = {"HTTPS_PROXY": proxy_url, "https_proxy": proxy_url, "NO_PROXY": here, "no_proxy": here}
        return {**added, **environment}

    def vacate(self, agent: str) -> None:
        """End whatever of the agent is left. Raises `Refused` where that takes too long."""
        try:
            gone = self.groups.end(agent)
        except OSError as error:
            raise Refused(ISOLATION, f"the control group of {agent} cannot be ended: {error}") from error
        if not gone:
            raise Refused(ISOLATION, f"processes of {agent} are still there after they were killed")

    def reap(self, alive: Iterable[str]) -> tuple[str, ...]:
        """End what is left of agents that have no session; returns those of whom there was something."""
        left = sorted(self.groups.agents() - set(alive))
        for agent in left:
            try:
                self.vacate(agent)
            except Refused as error:
                _LOG.warning("%s", error)
        return tuple(left)

    def killed_by(self, agent: str) -> str:
        """What the machine has ended processes of the agent for since its start; empty for nothing."""
        if not self.groups.out_of_memory(agent):
            return ""
        limit = self.options().limits.memory
        return f"out of memory (limit {limit / 2**30:g} GiB)" if limit else "out of memory"

    def _uid(self, agent: str) -> int:
        """Stable: it is whose home the agent's is. Raises `Refused` where none is left."""
        first, last = self.options().uids
        owners = self._owners()
        if first <= owners.get(agent, -1) <= last:
            return owners[agent]
        taken = set(owners.values())
        size = last - first + 1
        # Two hives begin at different users, and so rarely have one in common.
        begin = zlib.crc32(os.fsencode(self.places.state))
        for step in range(size):
            uid = first + (begin + step) % size
            if uid not in taken and not _is_somebody(uid):
                return uid
        raise Refused(ISOLATION, f"no user is left for {agent}; widen isolation.uids ({first}-{last})")

    def _owners(self) -> dict[str, int]:
        folder = self.places.agent("x").parent
        try:
            return {entry.name: entry.stat(follow_symlinks=False).st_uid for entry in os.scandir(folder)}
        except FileNotFoundError:
            return {}


def tried(options: IsolationOptions, state: Path) -> tuple[Choice, Allowed]:
    """What isolation would be on this machine, and what it allows; nothing stays of the look."""
    places = AgentPlaces(Places(state), lambda: options)
    try:
        return places.choice(), places.allowed()
    finally:
        places.groups.close()


def secret_files(settings: Settings) -> tuple[str, ...]:
    """Files outside of the state folder in which hive's secrets are, or may be; by each of their names."""
    kubeconfig = settings.fleet.kubeconfig if settings.fleet is not None else None
    named = [settings.source, settings.github.token_file, kubeconfig]
    named += [settings.github.app.key_file] if settings.github.app else []
    named += [provider.key_file for provider in settings.models.values()]
    named += [login.file for login in settings.logins.values()]
    return tuple(dict.fromkeys(name for each in named if each for name in names_of(os.path.abspath(each))))


def _is_somebody(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def agent_place(
    places: AgentPlaces,
    agent: str,
    argv: tuple[str, ...],
    *,
    proxy_url: str,
    environment: Mapping[str, str],
    stdin: str = "",
    timeout: float = 30.0,
) -> Outcome:
    """Run `argv` from the place of `agent`, as its programs would. Its seat has been prepared.

    Raises `Refused` where agents are not to be started.
    """
    workdir = places.places.agent(agent) / "work"
    order = places.order(agent, argv, workdir, proxy_url, path=environment.get("PATH", os.defpath))
    order = replace(order, cgroups=places.groups.of(agent))
    order_file = places.places.order(f"{agent}.{os.getpid()}.{threading.get_ident()}")
    return run_in_place(order, argv, order_file, environment=environment, stdin=stdin, timeout=timeout)
