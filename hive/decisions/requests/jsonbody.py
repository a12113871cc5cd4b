"""A request's JSON body, read so that nobody else can read it differently."""

from __future__ import annotations

import base64
import binascii
import json

from hive.decisions.requests.model import NotUnderstood

_DEEPEST = 64

JsonObject = dict[str, object]


def parse(body: bytes) -> object:
    """The body's value; an empty body is an empty object.

    Raises `NotUnderstood` for what is not JSON in UTF-8, for a key given twice, for NaN and infinities,
    and for nesting beyond 64 levels.
    """
    if not body.strip():
        return {}
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise NotUnderstood("its body is not JSON") from None
    _bounded(value, 0)
    return value


def write(value: object) -> bytes:
    """What `parse` read, as JSON in ASCII."""
    return json.dumps(value).encode("ascii")


def parse_object(body: bytes) -> JsonObject:
    """As `parse`, for an object."""
    value = parse(body)
    if not isinstance(value, dict):
        raise NotUnderstood("its body is not a JSON object")
    return value


def _once(pairs: list[tuple[str, object]]) -> JsonObject:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise NotUnderstood("its body gives a key twice")
    return result


def _no_constant(name: str) -> object:
    raise NotUnderstood(f"its body holds {name}")


def _bounded(value: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise NotUnderstood("its body is nested too deeply")
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        _bounded(child, depth + 1)


def text(fields: JsonObject, key: str, default: str = "") -> str:
    """A text field; `default` where it is missing or null. Raises `NotUnderstood` for other types."""
    value = fields.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise NotUnderstood(f"{key} is not text")
    return value


def decoded(fields: JsonObject, key: str) -> str:
    """What a field holds in base64, as text; empty where it is missing or null.

    Raises `NotUnderstood` where readers could differ about what it holds.
    """
    coded = "".join(text(fields, key).split())
    try:
        return base64.b64decode(coded, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        raise NotUnderstood(f"{key} is not base64") from None


def texts(fields: JsonObject, key: str) -> tuple[str, ...]:
    """A list of texts; empty where it is missing or null."""
    value = fields.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise NotUnderstood(f"{key} is not a list of texts")
    found = tuple(item for item in value if isinstance(item, str))
    if len(found) != len(value):
        raise NotUnderstood(f"{key} is not a list of texts")
    return found


def flag(fields: JsonObject, key: str) -> bool:
    """A truth value; false where it is missing or null."""
    value = fields.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise NotUnderstood(f"{key} is neither true nor false")
    return value
