"""`isolation`: how agents on this machine are kept apart from it and from each other."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hive.decisions.placement.quantities import parse_size
from hive.documents.values import Flag, Text, Whole
from hive.facts.fleet import UNIT
from hive.facts.isolation import Endpoint, IsolationMode, IsolationOptions, Limits, Network
from hive.settings.policies import SettingsModel

_LEAST_MEMORY = 32 * 1024 * 1024
_LEAST_DISK = 64 * 1024 * 1024
_HIGHEST_UID = 2**31 - 2


def _memory(text: str) -> int:
    size = parse_size(text) // UNIT
    if size < _LEAST_MEMORY:
        raise ValueError(f"'{text}' is too little for an agent; at least 32Mi")
    return size


def _disk(text: str) -> int:
    size = parse_size(text) // UNIT
    if size < _LEAST_DISK:
        raise ValueError(f"'{text}' is too little for an agent's home; at least 64Mi")
    return size


def _cpus(text: str) -> float:
    share = parse_size(text) / UNIT
    if share < 0.01:
        raise ValueError(f"'{text}' is too little for an agent; at least 10m, a hundredth of a core")
    return share


def _uids(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,10})-(\d{1,10})", text)
    if match is None:
        raise ValueError(f"'{text}' is no range of users; write it like 60000-64999")
    first, last = int(match[1]), int(match[2])
    if not 1000 <= first <= last <= _HIGHEST_UID:
        raise ValueError(f"'{text}' is no range for agents; from 1000 on, the smaller number first")
    return first, last


def _endpoint(text: str) -> Endpoint:
    host, colon, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]") if ":" in host else host
    if not colon or re.fullmatch(r"[A-Za-z0-9._:-]+", bare) is None or re.fullmatch(r"\d{1,5}", port) is None:
        raise ValueError(f"'{text}' is no HOST:PORT; write it like api.example.com:443")
    if not 1 <= int(port) <= 65535:
        raise ValueError(f"'{text}' has no such port; from 1 to 65535")
    return Endpoint(bare.rstrip(".").lower(), int(port))


def _absolute(text: str) -> str:
    if not os.path.isabs(text) or text == "/":
        raise ValueError(f"'{text}' is no absolute path of a folder or a file")
    return os.path.normpath(text)


def _checked(read: Callable[[str], object]) -> AfterValidator:
    def check(text: str) -> str:
        read(text)
        return text

    return AfterValidator(check)


class IsolationModel(SettingsModel):
    """How agents on this machine are kept apart from it and from each other."""

    mode: Literal["auto", "uid", "userns", "none"] = Field(
        default="auto",
        description="uid (takes root), userns, none; auto: the strongest that works here.",
    )
    uids: Annotated[Text, _checked(_uids)] = Field(
        default="60000-64999", description="Users for agents, FIRST-LAST; nobody else's."
    )
    memory: Annotated[Text, _checked(_memory)] | None = Field(
        default=None, description="Most memory of one agent, like 4Gi; left out: no limit."
    )
    cpus: Annotated[Text, _checked(_cpus)] | None = Field(
        default=None, description='Most cores of one agent, like "2" or 500m; left out: no limit.'
    )
    processes: Annotated[Whole, Field(ge=16, le=1_000_000)] = Field(
        default=2000, description="Most processes and threads of one agent, where that can be limited."
    )
    disk: Annotated[Text, _checked(_disk)] | None = Field(
        default=None,
        description="Most that one agent's home may hold, like 20Gi, before it gets no further working copy.",
    )
    disk_full: Annotated[Whole, Field(ge=50, le=100)] = Field(
        default=95, description="Percent of its volume from which on no agent gets a further working copy."
    )
    network: Literal["gateway", "host"] = Field(
        default="gateway", description="gateway: hive is the only way out; host: the machine's own network."
    )
    allow: list[Annotated[Text, _checked(_endpoint)]] = Field(
        default=[], description="HOST:PORT that agents may reach besides, through hive: model endpoints."
    )
    readable: list[Annotated[Text, AfterValidator(_absolute)]] = Field(
        default=[], description="Absolute paths that agents may read although hive hides what is around."
    )
    degrade: Flag = Field(default=False, description="Start agents even without what cannot be had here.")

    def options(self) -> IsolationOptions:
        return IsolationOptions(
            mode=None if self.mode == "auto" else IsolationMode(self.mode),
            uids=_uids(self.uids),
            limits=Limits(
                memory=None if self.memory is None else _memory(self.memory),
                cpus=None if self.cpus is None else _cpus(self.cpus),
                processes=self.processes,
            ),
            network=Network(self.network),
            allow=tuple(_endpoint(each) for each in self.allow),
            readable=tuple(self.readable),
            degrade=self.degrade,
            disk=None if self.disk is None else _disk(self.disk),
            disk_full=self.disk_full / 100,
        )
