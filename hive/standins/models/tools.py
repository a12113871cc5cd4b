"""A scripted tool call, fitted to the tool that the program offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive.standins.models.replies import CallTool
from hive.standins.models.requests import Json


@dataclass(frozen=True, slots=True)
class FittedCall:
    name: str
    arguments: Mapping[str, object]


def fit(call: CallTool, tools: Mapping[str, Json]) -> FittedCall | None:
    """The call as the program's own schema wants it; None when it offers none of the tools."""
    name = next((name for name in call.names if name in tools), None)
    if name is None:
        return None
    schema = tools[name]
    properties: Json = schema.get("properties") or {}
    arguments = {key: value for key, value in call.arguments.items() if key in properties}
    for key in schema.get("required") or ():
        arguments.setdefault(key, placeholder(properties.get(key) or {}))
    for key, value in arguments.items():
        kind = _kind(properties.get(key) or {})
        if kind == "array" and isinstance(value, str):
            arguments[key] = ["bash", "-lc", value]
    return FittedCall(name, arguments)


def _kind(schema: Json) -> str:
    return str(schema.get("type", "")).lower()


def placeholder(schema: Json) -> object:
    """A value that the schema takes, for what the script does not name."""
    if schema.get("enum"):
        first: object = schema["enum"][0]
        return first
    if schema.get("properties"):
        return {name: placeholder(each) for name, each in schema["properties"].items()}
    blanks: dict[str, object] = {"boolean": False, "number": 30, "integer": 30, "array": [], "object": {}}
    return blanks.get(_kind(schema), "as scripted")
