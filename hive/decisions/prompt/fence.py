"""A fence around foreign text that nothing inside can close or imitate.

Each foreign line begins with a mark, so none can stand where hive's own lines stand; and the fence carries
a digest of all that it holds, so its text cannot be known beforehand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

MARK = "| "


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of foreign text, already cleaned; `heading` is hive's own line above it."""

    heading: str
    text: str


def fenced(parts: Sequence[Part], seal: str) -> tuple[str, str]:
    """Return the fence's name and the whole fenced block; `seal` makes one prompt's name its own."""
    name = _name(parts, seal)
    lines = [f"=== foreign text {name} ==="]
    for part in parts:
        lines.append(part.heading)
        lines.extend(MARK + line if line else MARK.rstrip() for line in part.text.split("\n"))
    lines.append(f"=== end of foreign text {name} ===")
    return name, "\n".join(lines)


def _name(parts: Sequence[Part], seal: str) -> str:
    everything = "\0".join([seal, *(piece for part in parts for piece in (part.heading, part.text))])
    for attempt in range(1_000_000):
        name = hashlib.sha256(f"{attempt}\0{everything}".encode()).hexdigest()[:16]
        if name not in everything:
            return name
    raise AssertionError("a digest cannot be foreseen a million times")
