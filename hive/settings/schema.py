"""JSON Schema of input models, for editors and for whoever writes the files with a program."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from hive.decisions.durations import spell
from hive.settings.hive_file import HiveFile
from hive.settings.interpolation import VARIABLE

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DURATION = r"^\s*[0-9]{1,9}\s*[smhd]\s*$"
_TIME = (
    r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"([Zz]|[+-][0-9]{2}:?[0-9]{2})\s*$"
)
"""A pattern, as most validators only note a `format`, and `date-time` is narrower than what hive reads."""


class InputSchema(GenerateJsonSchema):
    """Durations as people write them: ``5m``, not ISO 8601's ``PT5M``; times with their zone."""

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        return {"type": "string", "pattern": _TIME}

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return {"type": "string", "pattern": _DURATION}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        # A pattern of keys that closes nothing would let every other key pass.
        return {**made, "additionalProperties": False} if "patternProperties" in made else made

    def encode_default(self, dft: Any) -> Any:
        return spell(dft) if isinstance(dft, timedelta) else super().encode_default(dft)


class InterpolatedSchema(InputSchema):
    """The same where a variable may stand for any scalar: ``${NAME}``."""

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return _or_variable(super().timedelta_schema(schema))

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        return _or_variable(super().int_schema(schema))

    def bool_schema(self, schema: core_schema.BoolSchema) -> JsonSchemaValue:
        return _or_variable(super().bool_schema(schema))

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        return _or_variable(super().enum_schema(schema))

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        return _or_variable(super().literal_schema(schema))


def _or_variable(scalar: JsonSchemaValue) -> JsonSchemaValue:
    return {"anyOf": [scalar, {"type": "string", "pattern": f"^{VARIABLE}$"}]}


def hive_schema() -> dict[str, Any]:
    """The JSON Schema of `hive.yaml`."""
    return schema_of(HiveFile, title="hive.yaml", generator=InterpolatedSchema)


def schema_of(
    model: type[BaseModel], *, title: str, generator: type[GenerateJsonSchema] = InputSchema
) -> dict[str, Any]:
    """The JSON Schema of what `model` reads, as plain data."""
    made = model.model_json_schema(by_alias=True, schema_generator=generator, mode="validation")
    return {"$schema": DIALECT, "title": title, **_tidied(made)}


_BOUNDS = {"ge": "minimum", "le": "maximum"}
"""What pydantic leaves as it is, where a validator of ours stands before the number."""


def _tidied(part: Any) -> Any:
    """`part` without titles, which only repeat the keys, and with bounds in JSON Schema's words."""
    if isinstance(part, list):
        return [_tidied(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: {name: _tidied(inner) for name, inner in value.items()} if key in _NAMING else _tidied(value)
        for key, value in part.items()
        if not (key == "title" and isinstance(value, str))
    }
    bounds = {word: kept.pop(key) for key, word in _BOUNDS.items() if key in kept}
    return {**kept, **bounds}


_NAMING = ("properties", "$defs")
"""Keys whose entries are names of the reader's own, not words of JSON Schema."""
