"""What every template has to hold, whoever wrote it.

One copy of the agent at a time, no credential of the cluster in its pod, and no parameter that does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from hive.decisions.sandbox.asks import LIMITS
from hive.decisions.sandbox.egress import GatewayAddress
from hive.decisions.sandbox.naming import SANDBOX
from hive.decisions.sandbox.render import GIVEN, PARAMETER, WHEN, render
from hive.decisions.sandbox.template import Json, Location, Parameter, ParameterType, SandboxTemplate
from hive.facts.fleet import SandboxRequest
from hive.facts.kubernetes import Manifest

Complaint: TypeAlias = tuple[Location, str]
_READ_BY_HIVE = frozenset({"cpu", "memory", "gpu_count", "gpu_resource", *LIMITS})
"""Parameters that come into a manifest by way of `requests` and `limits`."""
_SAMPLES = {
    ParameterType.STRING: "sample",
    ParameterType.QUANTITY: "1",
    ParameterType.INTEGER: "1",
    ParameterType.BOOLEAN: "true",
}


def unsound(template: SandboxTemplate) -> Iterator[Complaint]:
    """What is wrong, and where; empty for a template that can be used.

    Raises `ConfigError` for a reference to what is not there.
    """
    used = {name for place, node in enumerate(template.objects) for name in _parameters_in(node)}
    for name in template.parameters:
        if name not in used | _READ_BY_HIVE:
            yield ("parameters", name), f"parameter '{name}' is used by no object; remove it"
    for place, node in enumerate(template.objects):
        yield from _of_metadata(node, ("objects", place))
    for given in _trials(template):
        yield from _of_manifests(_tried(template, given))


def _parameters_in(node: Json) -> Iterator[str]:
    if isinstance(node, dict):
        name = node.get(PARAMETER)
        if node.keys() <= {PARAMETER, "is"} and isinstance(name, str):
            yield name
        for inner in node.values():
            yield from _parameters_in(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _parameters_in(inner)


def _of_metadata(node: Json, at: Location) -> Iterator[Complaint]:
    """Of one object as it is written; one that depends on a parameter is looked at in both ways."""
    if not isinstance(node, dict):
        yield at, "an object is a mapping of keys"
        return
    if WHEN in node:
        for branch in ("then", "else"):
            if branch in node:
                yield from _of_metadata(node[branch], (*at, branch))
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(node.get(key), str):
            yield at, f"the object has no {key}"
    metadata = node.get("metadata")
    if not isinstance(metadata, dict) or "name" not in metadata:
        yield at, f"the object has no metadata.name; write {{{GIVEN}: name}}"
    elif "namespace" in metadata:
        yield (*at, "metadata"), "metadata.namespace is hive's to give; remove it"


def _trials(template: SandboxTemplate) -> Iterator[dict[str, str]]:
    """Parameters that use every branch: the defaults, and each other value of an enum or a flag."""
    base = {name: _sample(each) for name, each in template.parameters.items() if each.is_required}
    yield base
    for name, parameter in template.parameters.items():
        others = ("true", "false") if parameter.type is ParameterType.BOOLEAN else parameter.values
        for value in others:
            yield {**base, name: value}


def _sample(parameter: Parameter) -> str:
    return parameter.minimum or (parameter.values or (_SAMPLES.get(parameter.type, ""),))[0]


def _tried(template: SandboxTemplate, given: Mapping[str, str]) -> tuple[Manifest, ...]:
    request = SandboxRequest("hive", "sample", template.name)
    return render(
        template,
        request,
        parameters=given,
        image="sample",
        namespace="hive",
        gateway=GatewayAddress("192.0.2.1", 443),
    )


def _of_manifests(manifests: tuple[Manifest, ...]) -> Iterator[Complaint]:
    deployments = [each for each in manifests if each["kind"] == "Deployment"]
    if len(deployments) != 1:
        yield ("objects",), f"there has to be one Deployment, and there are {len(deployments)}"
        return
    spec = deployments[0].get("spec") or {}
    if spec.get("replicas") != 1 or (spec.get("strategy") or {}).get("type") != "Recreate":
        yield ("objects",), "of an agent there is one copy: write replicas: 1 and strategy: {type: Recreate}"
    pod = spec.get("template") or {}
    if SANDBOX not in ((pod.get("metadata") or {}).get("labels") or {}):
        yield ("objects",), f"the pod's metadata lacks hive's label; write labels: {{{GIVEN}: labels}}"
    if (pod.get("spec") or {}).get("automountServiceAccountToken") is not False:
        yield (
            ("objects",),
            "the pod's spec needs automountServiceAccountToken: false; agents get no such token",
        )
