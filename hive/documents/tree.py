"""What a parsed document is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"
"""Scalars are text or None."""

Location: TypeAlias = tuple[str | int, ...]
"""Keys and list positions, from the root."""


@dataclass(slots=True)
class Tree:
    value: Value
    lines: dict[Location, int] = field(default_factory=dict)


def spell(location: Location) -> str:
    """A location as people write it: ``agents[2].role``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
