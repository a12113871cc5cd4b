"""JSON, with scalars kept as they are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hive.documents.limits import Limits
from hive.documents.tree import Value
from hive.errors import ConfigError


@dataclass(frozen=True, slots=True)
class JsonValue:
    value: Value


class _DuplicateKey(Exception):
    pass


def read_json(text: str, source: str, limits: Limits) -> JsonValue | None:
    """Read `text` as one JSON document; None where it is no JSON (it may be YAML's flow style).

    Raises `ConfigError` for JSON that is valid and not acceptable.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_mapping, parse_int=str, parse_float=str, parse_constant=str
        )
    except _DuplicateKey:
        return None  # YAML's reader says the same with the line
    except RecursionError as error:
        raise too_deep(source, limits) from error
    except ValueError:
        return None
    return JsonValue(_checked(value, source, limits))


def too_deep(source: str, limits: Limits, line: int | None = None) -> ConfigError:
    return ConfigError(f"the input is nested deeper than {limits.depth} levels", source=source, line=line)


def _mapping(pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for key, value in pairs:
        if key in result:
            raise _DuplicateKey
        result[key] = value
    return result


def _checked(value: object, source: str, limits: Limits) -> Value:
    """Turn booleans into text and refuse what is too deep, too much or no Unicode."""
    count = 0

    def walk(item: object, depth: int) -> Value:
        nonlocal count
        count += 1
        if depth > limits.depth:
            raise too_deep(source, limits)
        if count > limits.values:
            raise ConfigError(f"the input has more than {limits.values} values", source=source)
        if isinstance(item, dict):
            return {_unicode(key, source): walk(entry, depth + 1) for key, entry in item.items()}
        if isinstance(item, list):
            return [walk(entry, depth + 1) for entry in item]
        if isinstance(item, bool):
            return "true" if item else "false"
        return None if item is None else _unicode(str(item), source)

    return walk(value, 1)


def _unicode(text: str, source: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ConfigError("a text holds half of a surrogate pair, which is no character", source=source)
    return text
