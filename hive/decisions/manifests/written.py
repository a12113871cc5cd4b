"""JSON values as they would be written in a file: what the shapes of documents read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_written(value: Any) -> Any:
    """The same with every scalar as text; null stays nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        return {key: as_written(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_written(each) for each in value]
    return value
