"""JSON Schemas of what the surfaces read and print, for `hive schema NAME` and for editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from hive.decisions.manifests.shapes import BindingPolicySpec, ClusterFactsShape, SandboxRequestShape
from hive.settings.schema import hive_schema, schema_of
from hive.surfaces.acmm import DecideAnswer, TableAnswer
from hive.surfaces.judge import JudgeAnswer, JudgeFile
from hive.surfaces.place import PlaceAnswer
from hive.surfaces.place_schema import place_schema
from hive.surfaces.triage import PromptAnswer, TriageAnswer, TriageFile


def _reads(model: type[BaseModel], title: str) -> Callable[[], dict[str, Any]]:
    return lambda: schema_of(model, title=title)


def _prints(model: type[BaseModel]) -> Callable[[], dict[str, Any]]:
    return lambda: model.model_json_schema(mode="serialization")


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "acmm-decide-output": _prints(DecideAnswer),
    "acmm-table-output": _prints(TableAnswer),
    "binding-policy-spec": _reads(BindingPolicySpec, "spec of a BindingPolicy"),
    "cluster-facts": _reads(ClusterFactsShape, "ClusterFacts"),
    "hive.yaml": hive_schema,
    "judge": _reads(JudgeFile, "hive judge FILE"),
    "judge-output": _prints(JudgeAnswer),
    "place": place_schema,
    "place-output": _prints(PlaceAnswer),
    "sandbox-request": _reads(SandboxRequestShape, "SandboxRequest"),
    "triage": _reads(TriageFile, "hive triage FILE"),
    "triage-output": _prints(TriageAnswer),
    "triage-prompt-output": _prints(PromptAnswer),
}
"""By the name that `hive schema` takes; built when asked for."""
