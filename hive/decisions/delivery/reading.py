"""What the hub's API server answers, into the facts that placement and delivery decide on."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from hive.decisions.manifests.shapes import BindingPolicySpec, SandboxRequestSpec
from hive.decisions.manifests.written import as_written
from hive.facts.fleet import BindingPolicy, SandboxRequest, WorkloadObject
from hive.facts.kubernetes import Manifest, ResourceType, is_deleting, labels_of, name_of, namespace_of

M = TypeVar("M", bound=BaseModel)


def request_of(manifest: Manifest) -> SandboxRequest:
    """Raises `ValueError` with what is wrong in it."""
    spec = _read(SandboxRequestSpec, manifest.get("spec"))
    return spec.fact(namespace_of(manifest), name_of(manifest))


def policy_of(manifest: Manifest) -> BindingPolicy:
    """Raises `ValueError` with what is wrong in it."""
    spec = _read(BindingPolicySpec, manifest.get("spec"))
    return spec.fact(name_of(manifest), is_inert=is_deleting(manifest))


def workload_object_of(kind: ResourceType, manifest: Manifest) -> WorkloadObject:
    return WorkloadObject(
        kind.group,
        kind.version,
        kind.plural,
        namespace_of(manifest) if kind.is_namespaced else "",
        name_of(manifest),
        labels_of(manifest),
    )


def destinations_of(binding: Manifest) -> tuple[str, ...]:
    spec = binding.get("spec") or {}
    return tuple(sorted(str(each["clusterId"]) for each in spec.get("destinations") or ()))


def _read(model: type[M], value: Any) -> M:
    try:
        return model.model_validate(as_written(value or {}))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in ("spec", *first["loc"]))
        raise ValueError(f"{where}: {first['msg']}") from error
