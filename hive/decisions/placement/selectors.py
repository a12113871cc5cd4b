"""Kubernetes' LabelSelector: whether it is sound, and what it selects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hive.facts.fleet import LabelSelector, Operator, Requirement

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?", re.ASCII)
_PART = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_PREFIX = re.compile(rf"{_PART}(?:\.{_PART})*", re.ASCII)
_LONGEST = 63
"""Characters of a label's name or value; of its prefix it is 253."""


def matches(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a sound `selector` selects `labels`."""
    return all(labels.get(key) == value for key, value in selector.labels) and all(
        _holds(each, labels) for each in selector.expressions
    )


def unmet(selector: LabelSelector, labels: Mapping[str, str]) -> Iterator[str]:
    """What a sound `selector` asks of `labels` in vain, in words."""
    for key, value in selector.labels:
        if labels.get(key) != value:
            yield f"{key}={value}"
    for each in selector.expressions:
        if not _holds(each, labels):
            values = f" ({', '.join(each.values)})" if each.values else ""
            yield f"{each.key} {each.operator}{values}"


@lru_cache(maxsize=4096)  # asked again for every object that is tested
def why_broken(selector: LabelSelector) -> str | None:
    """Why the API machinery would not take `selector`, and the remedy; None for a sound one."""
    for key, value in selector.labels:
        broken = _why_no_key(key) or _why_no_value(value)
        if broken:
            return broken
    for each in selector.expressions:
        broken = _why_no_key(each.key) or _why_no_requirement(each)
        if broken:
            return broken
    return None


def _holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    match requirement.operator:
        case Operator.IN:
            return labels.get(requirement.key) in requirement.values
        case Operator.NOT_IN:
            return labels.get(requirement.key) not in requirement.values
        case Operator.EXISTS:
            return requirement.key in labels
        case Operator.DOES_NOT_EXIST:
            return requirement.key not in labels


def _why_no_requirement(requirement: Requirement) -> str | None:
    operator, values = requirement.operator, requirement.values
    if operator in (Operator.IN, Operator.NOT_IN) and not values:
        return f"{operator} of '{requirement.key}' has no values; give at least one"
    if operator in (Operator.EXISTS, Operator.DOES_NOT_EXIST) and values:
        return f"{operator} of '{requirement.key}' has values; leave them out, or write In"
    return next((broken for value in values if (broken := _why_no_value(value))), None)


def _why_no_key(key: str) -> str | None:
    prefix, slash, name = key.rpartition("/")
    sound_prefix = not slash or (len(prefix) <= 253 and _PREFIX.fullmatch(prefix))
    if sound_prefix and len(name) <= _LONGEST and _NAME.fullmatch(name):
        return None
    return (
        f"'{key}' is no label key; write up to {_LONGEST} letters, digits, '-', '_' and '.', "
        "a domain and '/' before them if need be"
    )


def _why_no_value(value: str) -> str | None:
    if not value or (len(value) <= _LONGEST and _NAME.fullmatch(value)):
        return None
    return f"'{value}' is no label value; write up to {_LONGEST} letters, digits, '-', '_' and '.'"
