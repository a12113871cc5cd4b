"""A template, a request and parameters into manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hive.decisions.sandbox.asks import affinity_of, completed, limits_of, requests_of, tolerations_of
from hive.decisions.sandbox.egress import GatewayAddress, egress_rules
from hive.decisions.sandbox.naming import SANDBOX, names_of
from hive.decisions.sandbox.parameters import parameter_values
from hive.decisions.sandbox.template import Json, Location, SandboxTemplate
from hive.errors import ConfigError
from hive.facts.fleet import SandboxRequest
from hive.facts.kubernetes import Manifest

PARAMETER, GIVEN, WHEN = "parameter", "given", "when"
GIVEN_NAMES = frozenset(
    {"name", "namespace", "secret", "labels", "requests", "limits", "tolerations", "affinity", "egress"}
)
"""What hive gives every template; each of them is what its name says in a manifest."""


class _Absent:
    """Stands for a leaf that has no value."""


_ABSENT: Final = _Absent()


def render(
    template: SandboxTemplate,
    request: SandboxRequest,
    *,
    image: str,
    namespace: str,
    gateway: GatewayAddress | None,
    parameters: Mapping[str, str] | None = None,
) -> tuple[Manifest, ...]:
    """The objects of one sandbox, in the template's order, each in `namespace` and labelled with `SANDBOX`.

    Args:
        image: Of the agent, where no parameter names one.
        gateway: What the sandbox may connect to; None for nothing at all.
        parameters: In the place of the request's own.

    Raises `ConfigError`, which names the template, its file and line, and the parameter.
    """
    chosen = request.parameters if parameters is None else parameters
    whole = completed(request, template, chosen)
    own = {"image": image} if image and "image" in template.parameters else {}
    values = parameter_values(template, {**own, **_said(whole, template), **chosen})
    names = names_of(request.name)
    given: dict[str, Json] = {
        "name": names.name,
        "namespace": namespace,
        "secret": names.secret,
        "labels": {SANDBOX: names.name},
        "requests": requests_of(whole),
        "limits": limits_of(whole, template, values, chosen),
        "tolerations": [*tolerations_of(whole)] or None,
        "affinity": affinity_of(whole),
        "egress": egress_rules(gateway),
    }
    fill = _Fill(template, values, given)
    filled = [fill.of(node, ("objects", place)) for place, node in enumerate(template.objects)]
    return tuple(_placed(each, namespace, names.name) for each in filled if isinstance(each, dict))


def objection(template: SandboxTemplate, request: SandboxRequest, image: str = "") -> str | None:
    """Why `template` would not take `request`, in words for its author; None where it would."""
    try:
        render(template, request, image=image, namespace=request.namespace, gateway=None)
    except ConfigError as error:
        return error.message
    return None


def _said(request: SandboxRequest, template: SandboxTemplate) -> dict[str, str]:
    """Parameters whose value the request itself says."""
    said = requests_of(request)
    if request.gpu is not None:
        said |= {"gpu_count": str(request.gpu.count), "gpu_resource": request.gpu.resource}
    return {name: str(text) for name, text in said.items() if name in template.parameters}


@dataclass(frozen=True, slots=True)
class _Fill:
    template: SandboxTemplate
    values: Mapping[str, Json]
    given: Mapping[str, Json]

    def of(self, node: Json, at: Location) -> Json | _Absent:
        """`node` with values in the place of its references; what has none is absent."""
        if isinstance(node, list):
            items = (self.of(item, (*at, place)) for place, item in enumerate(node))
            return [item for item in items if not isinstance(item, _Absent)]
        if not isinstance(node, dict):
            return node
        if WHEN in node:
            return self._choice(node, at)
        if node.keys() == {PARAMETER}:
            return self._known(self.values, node[PARAMETER], "parameter", at)
        if node.keys() == {GIVEN}:
            return self._known(self.given, node[GIVEN], "given value", at)
        entries = ((key, self.of(value, (*at, key))) for key, value in node.items())
        return {key: value for key, value in entries if not isinstance(value, _Absent)}

    def _known(self, known: Mapping[str, Json], name: Json, kind: str, at: Location) -> Json | _Absent:
        if not isinstance(name, str) or name not in known:
            raise self.template.error(
                f"there is no {kind} '{name}'; there are: {', '.join(sorted(known))}", at
            )
        value = known[name]
        return _ABSENT if value is None else value

    def _choice(self, node: dict[str, Json], at: Location) -> Json | _Absent:
        """``{when: {parameter: NAME, is: VALUE}, then: …, else: …}``; without `is`, whether it has a value
        other than false."""
        test = node[WHEN]
        if not isinstance(test, dict) or not {PARAMETER} <= test.keys() <= {PARAMETER, "is"}:
            raise self.template.error("when: write {parameter: NAME} or {parameter: NAME, is: VALUE}", at)
        if not {WHEN, "then"} <= node.keys() <= {WHEN, "then", "else"}:
            raise self.template.error("beside when there is a then, and nothing else but an else", at)
        value = self._known(self.values, test[PARAMETER], "parameter", (*at, WHEN))
        is_so = value == test["is"] if "is" in test else not isinstance(value, _Absent) and value is not False
        branch = "then" if is_so else "else"
        return self.of(node[branch], (*at, branch)) if branch in node else _ABSENT


def _placed(manifest: dict[str, Json], namespace: str, name: str) -> Manifest:
    metadata = manifest.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    labels = known.get("labels")
    own = {**(labels if isinstance(labels, dict) else {}), SANDBOX: name}
    return {**manifest, "metadata": {**known, "namespace": namespace, "labels": own}}
