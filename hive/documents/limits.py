"""How large an input may be. Chosen well above any honest one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one input.

    Attributes:
        size: Bytes.
        depth: Nested mappings and lists.
        values: Values in all, aliases counted as what they expand to.
    """

    size: int = 32 * 1024 * 1024
    depth: int = 64
    values: int = 2_000_000
