"""The shipped templates, and one small one to spoil."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from hive.decisions.sandbox import GatewayAddress, SandboxTemplate, render
from hive.facts.fleet import SandboxRequest
from hive.settings.sandbox_templates import load_templates, read_template

GATEWAY = GatewayAddress("10.0.0.1", 8443)

SMALL = """\
name: small
description: A pod.
parameters:
  image: {type: string, description: The image}
  disk: {type: quantity, default: 1Gi, minimum: 1Mi, maximum: 2Gi, description: The disk}
  count: {type: integer, default: "3", minimum: "1", maximum: "5", description: A number}
  loud: {type: boolean, default: "false", description: A flag}
  kind: {type: enum, values: [a, b], default: a, description: A choice}
  note: {type: string, required: false, pattern: "[a-z ]+", description: A text}
objects:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {name: {given: name}, annotations: {note: {parameter: note}, plain: "1"}}
    spec:
      replicas: 1
      strategy: {type: Recreate}
      selector: {matchLabels: {given: labels}}
      template:
        metadata: {labels: {given: labels}}
        spec:
          automountServiceAccountToken: false
          containers:
            - name: agent
              image: {parameter: image}
              stdin: {parameter: loud}
              args:
                - when: {parameter: loud}
                  then: --loud
                - when: {parameter: kind, is: b}
                  then: --b
                  else: --a
              ports: [{containerPort: {parameter: count}}]
          volumes: [{name: d, emptyDir: {sizeLimit: {parameter: disk}}}]
"""


@cache
def shipped() -> Mapping[str, SandboxTemplate]:
    return load_templates()


def small(text: str = SMALL) -> SandboxTemplate:
    return read_template(text.encode(), "own/small.yaml")


def request(name: str = "trainer", /, template: str = "cpu", **fields: Any) -> SandboxRequest:
    return SandboxRequest("hive", name, template, **fields)


def objects(wanted: SandboxRequest, **more: Any) -> dict[str, Any]:
    """The rendered manifests by kind."""
    given = {"image": "hive-agent:1", "namespace": "hive", "gateway": GATEWAY, **more}
    return {each["kind"]: each for each in render(shipped()[wanted.template], wanted, **given)}


def pod(wanted: SandboxRequest, **more: Any) -> Any:
    """The spec of the rendered pod."""
    return objects(wanted, **more)["Deployment"]["spec"]["template"]["spec"]


def small_objects(template: SandboxTemplate | None = None, **parameters: str) -> Any:
    """The Deployment of the small template."""
    wanted = request(template="small", parameters=parameters)
    (deployment,) = render(template or small(), wanted, image="i", namespace="hive", gateway=None)
    return deployment
