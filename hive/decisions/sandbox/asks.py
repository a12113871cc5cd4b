"""What a sandbox asks of a node: the same amounts and devices that placement decided on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hive.decisions.placement.quantities import parse_size, spell
from hive.decisions.sandbox.parameters import parameter_value
from hive.decisions.sandbox.template import Json, SandboxTemplate
from hive.facts.fleet import UNIT, Amount, GpuNeed, SandboxRequest, Toleration

_SIZES = ("cpu", "memory")
"""Resources for which a parameter of the same name stands where a request does not name them."""
_GPU_COUNT, _GPU_RESOURCE = "gpu_count", "gpu_resource"
_EPHEMERAL = "ephemeral-storage"
LIMITS = {"cpu_limit": "cpu", "ephemeral_storage": _EPHEMERAL}
"""Parameters that let a container use more of a resource than is kept free for it."""
_NOT_OF_CONTAINERS = frozenset({"pods"})
_MIB = 1024 * 1024 * UNIT
_NODE_EFFECTS = frozenset({"", "NoSchedule", "PreferNoSchedule", "NoExecute"})


def completed(
    request: SandboxRequest, template: SandboxTemplate, parameters: Mapping[str, str] | None = None
) -> SandboxRequest:
    """`request` with all that its pod will ask for, so that placement counts what the scheduler counts.

    `parameters` stand in the place of the request's own. Idempotent. Raises `ConfigError` for a wrong
    parameter, for GPUs of a template that gives none, and for an amount that request and parameters say
    differently.
    """
    given = request.parameters if parameters is None else parameters
    resources = dict(request.resources)
    for name in _SIZES:
        if name in template.parameters:
            value = parameter_value(template, name, given)
            if isinstance(value, str):
                asked = resources.setdefault(name, parse_size(value))
                _agree(template, name, given, spell(asked), is_same=asked == parse_size(value))
    return replace(request, resources=resources, gpu=_gpu(request.gpu, template, given))


def _gpu(gpu: GpuNeed | None, template: SandboxTemplate, given: Mapping[str, str]) -> GpuNeed | None:
    if _GPU_COUNT not in template.parameters:
        if gpu is not None:
            raise template.error(f"it gives no GPUs (it has no parameter '{_GPU_COUNT}'); name one that does")
        return None
    count, resource = parameter_value(template, _GPU_COUNT, given), None
    if _GPU_RESOURCE in template.parameters:
        resource = parameter_value(template, _GPU_RESOURCE, given)
    if gpu is None:
        return GpuNeed(
            count=count if isinstance(count, int) else 1, resource=str(resource or GpuNeed().resource)
        )
    _agree(template, _GPU_COUNT, given, str(gpu.count), is_same=gpu.count == count)
    _agree(template, _GPU_RESOURCE, given, gpu.resource, is_same=gpu.resource == resource)
    return gpu


def _agree(
    template: SandboxTemplate, name: str, given: Mapping[str, str], asked: str, *, is_same: bool
) -> None:
    """Only what was given contradicts a request; a default gives way."""
    if name in given and not is_same:
        raise template.error(
            f"parameter '{name}' is {given[name]}, but the request itself asks for {asked}; say it once",
            ("parameters", name),
        )


def amounts(request: SandboxRequest) -> dict[str, Amount]:
    """By resource name, sorted; GPUs are counted once."""
    needs = {name: need for name, need in request.resources.items() if name not in _NOT_OF_CONTAINERS}
    if request.gpu is not None:
        resource = request.gpu.resource
        needs[resource] = max(needs.get(resource, 0), request.gpu.count * UNIT)
    return {name: needs[name] for name in sorted(needs) if needs[name] > 0}


def requests_of(request: SandboxRequest) -> dict[str, Json]:
    """Of a container. Where no ephemeral storage is asked for, none is: Kubernetes would take the limit."""
    return {_EPHEMERAL: "0", **{name: spell(need) for name, need in amounts(request).items()}}


def limits_of(
    request: SandboxRequest, template: SandboxTemplate, values: Mapping[str, Json], given: Mapping[str, str]
) -> dict[str, Json]:
    """Of a container: what it asks for, or more where a parameter says so.

    Raises `ConfigError` for a parameter in `given` that says less.
    """
    limits = amounts(request)
    for name, resource in LIMITS.items():
        value = values.get(name)
        if isinstance(value, str):
            asked, limit = limits.get(resource, 0), parse_size(value)
            if limit < asked and name in given:
                said = f"parameter '{name}' is {value}, less than the {spell(asked)} that are asked for"
                raise template.error(said, ("parameters", name))
            limits[resource] = max(asked, limit)
    return {name: spell(limit) for name, limit in sorted(limits.items())}


def tolerations_of(request: SandboxRequest) -> list[Json]:
    """Of nodes' taints; those of clusters were weighed before."""
    return [_toleration(each) for each in request.tolerations if _is_for_nodes(each)]


def _is_for_nodes(toleration: Toleration) -> bool:
    # Kubernetes takes no toleration without a key that wants a certain value.
    return toleration.effect in _NODE_EFFECTS and bool(toleration.key or toleration.operator == "Exists")


def _toleration(toleration: Toleration) -> Json:
    parts = {"key": toleration.key, "value": toleration.value, "effect": toleration.effect}
    return {"operator": toleration.operator, **{name: text for name, text in parts.items() if text}}


def affinity_of(request: SandboxRequest) -> Json:
    """To the nodes whose GPUs placement counted on; None where any node will do."""
    gpu = request.gpu
    if gpu is None or not (gpu.products or gpu.memory):
        return None
    memory = _memory_expressions(gpu)
    terms: list[Json] = [
        {"matchExpressions": [{"key": label, "operator": "In", "values": [*gpu.products]}, *memory]}
        for label in _product_labels(gpu.resource)
    ]
    if not gpu.products:
        terms = [{"matchExpressions": memory}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _memory_expressions(gpu: GpuNeed) -> list[Json]:
    """At least so many MiB on each device: the label holds a whole number of them."""
    if not gpu.memory:
        return []
    label = f"{gpu.resource.removesuffix('.shared')}.memory"
    below = -(-gpu.memory // _MIB) - 1
    return [{"key": label, "operator": "Gt", "values": [str(below)]}]


def _product_labels(resource: str) -> tuple[str, ...]:
    """Where vendors' discovery writes the product: the same labels that placement reads."""
    vendor = resource.rpartition("/")[0]
    names = (f"{resource}.product", f"{resource}.product-name", f"{vendor}/gpu.product", f"{vendor}/product")
    return tuple(dict.fromkeys(name for name in names if not name.startswith("/")))
