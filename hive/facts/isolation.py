"""How agents on one machine are kept apart from it and from each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

ISOLATION = "isolation"
"""Its name among what may fail."""


class IsolationMode(StrEnum):
    """From the strongest to none."""

    UID = "uid"
    """A user of its own and namespaces; takes root."""
    USERNS = "userns"
    """Hive's own user in a user namespace, with a view that leaves out what is hive's."""
    NONE = "none"
    """Nothing but a HOME of its own."""


class Network(StrEnum):
    GATEWAY = "gateway"
    """Loopback of its own; hive's gateway is the only way out."""
    HOST = "host"
    """The machine's own."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one agent with all that it starts.

    Attributes:
        memory: Bytes; None for no limit.
        cpus: Cores; None for no limit.
        processes: Threads count too.
    """

    memory: int | None = None
    cpus: float | None = None
    processes: int = 2000

    @property
    def need_control_groups(self) -> bool:
        """Whether the operator asked for what only control groups can do."""
        return self.memory is not None or self.cpus is not None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``HOST:PORT`` outside of the place that agents may reach through hive."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class IsolationOptions:
    """What the operator wants.

    Attributes:
        mode: None for the strongest that works.
        uids: First and last of the users for agents.
        readable: Absolute paths that agents may read although they lie in what is hidden.
        degrade: Agents start without what cannot be had.
        disk: Bytes that an agent's home may hold before it gets no further working copy; None for no limit.
        disk_full: The share of its volume from which on nobody gets one, from 0 to 1.
    """

    mode: IsolationMode | None = None
    uids: tuple[int, int] = (60000, 64999)
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.GATEWAY
    allow: tuple[Endpoint, ...] = ()
    readable: tuple[str, ...] = ()
    degrade: bool = False
    disk: int | None = None
    disk_full: float = 0.95
