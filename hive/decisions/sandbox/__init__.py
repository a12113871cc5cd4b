"""A sandbox request and a template become the objects of one pod: pure, and the same every time.

    template = load_templates()["gpu"]
    manifests = render(template, request, parameters={}, image=…, namespace="hive", gateway=…)

Nothing is put together from text: a template's leaf is a value, and a parameter's value takes its place.
"""

from hive.decisions.sandbox.asks import completed
from hive.decisions.sandbox.egress import GatewayAddress, gateway_address
from hive.decisions.sandbox.naming import SANDBOX, SandboxNames, names_of
from hive.decisions.sandbox.render import objection, render
from hive.decisions.sandbox.template import Json, Parameter, ParameterType, SandboxTemplate

__all__ = [
    "SANDBOX",
    "GatewayAddress",
    "Json",
    "Parameter",
    "ParameterType",
    "SandboxNames",
    "SandboxTemplate",
    "completed",
    "gateway_address",
    "names_of",
    "objection",
    "render",
]
