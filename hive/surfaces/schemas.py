"""JSON Schemas of what the surfaces read and print, for `hive schema NAME` and for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from hive.surfaces.acmm import DecideAnswer, TableAnswer
from hive.surfaces.judge import JudgeAnswer, JudgeFile
from hive.surfaces.triage import PromptAnswer, TriageAnswer, TriageFile


class InputSchema(GenerateJsonSchema):
    """Schemas of documents as people write them: durations are ``5m``, not ISO 8601's ``PT5M``."""

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return {"type": "string", "pattern": r"^\s*\d{1,9}\s*[smhd]\s*$"}

    def encode_default(self, dft: Any) -> Any:
        return spell_duration(dft) if hasattr(dft, "total_seconds") else super().encode_default(dft)


def spell_duration(span: Any) -> str:
    """A `timedelta` as it is written in a document, in its largest whole unit."""
    seconds = int(span.total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _reads(model: type[BaseModel]) -> Callable[[], dict[str, Any]]:
    return lambda: model.model_json_schema(schema_generator=InputSchema)


def _prints(model: type[BaseModel]) -> Callable[[], dict[str, Any]]:
    return lambda: model.model_json_schema(mode="serialization")


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "acmm-decide-output": _prints(DecideAnswer),
    "acmm-table-output": _prints(TableAnswer),
    "judge": _reads(JudgeFile),
    "judge-output": _prints(JudgeAnswer),
    "triage": _reads(TriageFile),
    "triage-output": _prints(TriageAnswer),
    "triage-prompt-output": _prints(PromptAnswer),
}
"""By the name that `hive schema` takes; built when asked for."""
