"""The JSON Schema of one document for `hive place`: strict for what hive knows every key of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from hive.decisions.manifests.shapes import BindingPolicySpec, ClusterFactsShape, SandboxRequestShape
from hive.settings.schema import DIALECT, schema_of


def place_schema() -> dict[str, Any]:
    """Any Kubernetes object; hive's own kinds and a BindingPolicy's spec exactly."""
    shared: dict[str, Any] = {}
    facts, request, policy = (
        _part(model, shared) for model in (ClusterFactsShape, SandboxRequestShape, BindingPolicySpec)
    )
    return {
        "$schema": DIALECT,
        "title": "hive place -f FILE",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}},
        "allOf": [
            _where("^hive\\.fleet/", "ClusterFacts", facts),
            _where("^hive\\.fleet/", "SandboxRequest", request),
            _where("^control\\.kubestellar\\.io/", "BindingPolicy", {"properties": {"spec": policy}}),
        ],
        "$defs": shared,
    }


def _part(model: type[BaseModel], shared: dict[str, Any]) -> dict[str, Any]:
    """The schema of `model`, whose definitions go to `shared`."""
    schema = schema_of(model, title=model.__name__)
    shared.update(schema.pop("$defs", {}))
    return {key: value for key, value in schema.items() if key not in ("$schema", "title")}


def _where(api_version: str, kind: str, then: dict[str, Any]) -> dict[str, Any]:
    is_it = {"properties": {"apiVersion": {"pattern": api_version}, "kind": {"const": kind}}}
    return {"if": is_it, "then": then}
