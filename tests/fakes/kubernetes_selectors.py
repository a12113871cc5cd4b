"""Label and field selectors, as the API reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SET = re.compile(r"^(\S+)\s+(in|notin)\s+\(([^)]*)\)$")


def labels_match(selector: str, labels: Mapping[str, str]) -> bool:
    """``app=x,tier!=a,env in (a, b),!old,new``; an empty selector matches all."""
    return all(_label(part, labels) for part in _parts(selector))


def fields_match(selector: str, manifest: Mapping[str, Any]) -> bool:
    """``metadata.name=x,status.phase!=Running``; a field that is not there is empty."""
    return all(_field(part, manifest) for part in _parts(selector))


def _parts(selector: str) -> list[str]:
    """Split at commas outside of parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", selector) if part.strip()]


def _label(part: str, labels: Mapping[str, str]) -> bool:
    if found := _SET.match(part):
        key, operator, listed = found.groups()
        values = {value.strip() for value in listed.split(",")}
        # As in the API: `notin` and `!=` match what has no such label at all.
        return (labels[key] in values) == (operator == "in") if key in labels else operator == "notin"
    if "=" in part:
        key, value, is_equal = _equation(part)
        return (labels.get(key) == value) == is_equal
    return part[1:].strip() not in labels if part.startswith("!") else part in labels


def _field(part: str, manifest: Mapping[str, Any]) -> bool:
    path, value, is_equal = _equation(part)
    at: Any = manifest
    for key in path.split("."):
        at = at.get(key) if isinstance(at, Mapping) else None
    return (str("" if at is None else at) == value) == is_equal


def _equation(part: str) -> tuple[str, str, bool]:
    if "!=" in part:
        key, _, value = part.partition("!=")
        return key.strip(), value.strip(), False
    key, _, value = part.partition("=")
    return key.strip(), value.lstrip("=").strip(), True
