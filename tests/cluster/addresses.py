"""Which subnets a node takes: the first pair that nothing on this machine uses, other runs included."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from tests.cluster.unavailable import Unavailable

_LINKS, _PODS = "10.199", "10.200"
"""Chosen: private, and far from what container engines and cloud networks take by default."""


@dataclass(frozen=True)
class Subnets:
    """A /24 between the host and a node, and a /24 for the node's pods."""

    number: int

    @property
    def host(self) -> str:
        """The host's end of the link: what a pod can reach of the host."""
        return f"{_LINKS}.{self.number}.1"

    @property
    def node(self) -> str:
        return f"{_LINKS}.{self.number}.2"

    @property
    def pods(self) -> str:
        return f"{_PODS}.{self.number}.0/24"


def first_free() -> Subnets:
    """Ask under a lock that is held until the addresses are taken."""
    shown = _ip("-4", "-o", "addr", "show") + _ip("-4", "route", "show", "table", "all")
    used = {int(number) for number in re.findall(r"\b10\.(?:199|200)\.(\d+)\.", shown)}
    for number in range(256):
        if number not in used:
            return Subnets(number)
    raise Unavailable(f"all subnets of {_LINKS}.0.0/16 are in use: see `ip addr`")


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=True).stdout
