"""The shape of the section `fleet` of `hive.yaml`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from hive.decisions.placement.selectors import why_broken
from hive.documents.values import Duration, Text
from hive.facts.fleet import LabelSelector
from hive.settings.fields import Day, Minute, between
from hive.settings.policies import Name, SettingsModel

DNS_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
"""What Kubernetes names namespaces by, and Open Cluster Management clusters: each has a namespace."""


def _dns_label(value: str) -> str:
    if DNS_LABEL.fullmatch(value) is None:
        raise ValueError(f"'{value}' is no name; lower case letters, digits and inner hyphens, at most 63")
    return value


DnsLabel = Annotated[Text, AfterValidator(_dns_label)]


def _labels(value: dict[str, str]) -> dict[str, str]:
    broken = why_broken(LabelSelector(tuple(value.items())))
    if broken:
        raise ValueError(broken)
    return value


def _image(value: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*", value, re.ASCII) is None:
        raise ValueError(f"'{value}' names no image; write it like registry.example.org/hive-agent:1.0")
    return value


Image = Annotated[Text, AfterValidator(_image)]
"""A reference to a container image."""


class MemberModel(SettingsModel):
    """A cluster that sandboxes may run on."""

    context: Name = Field(description="The context in the kubeconfig.")
    name: DnsLabel | None = Field(
        default=None, description="What the fleet calls it, where that is not the context's name."
    )
    labels: Annotated[dict[str, Text], AfterValidator(_labels)] = Field(
        default={}, description="Labels of the cluster, for policies to select by."
    )


def _member(value: Any) -> Any:
    return {"context": value} if isinstance(value, str) else value


_Context = Annotated[str, Field(min_length=1)]
MemberEntry = Annotated[MemberModel, BeforeValidator(_member, json_schema_input_type=_Context | MemberModel)]


class FleetModel(SettingsModel):
    """The clusters that agents' sandboxes may run on."""

    kubeconfig: Name | None = Field(
        default=None, description="A kubeconfig file; left out: KUBECONFIG, then ~/.kube/config."
    )
    hub: Name | None = Field(
        default=None,
        description="Context of the API server that holds requests and policies; left out: the current one.",
    )
    members: Annotated[list[MemberEntry], Field(min_length=1)] | None = Field(
        default=None, description="Contexts of the clusters; left out: all but the hub."
    )
    inventory: Name | None = Field(
        default=None, description="A file of ManagedClusters and ClusterFacts; relative to this file."
    )
    namespace: DnsLabel = Field(default="hive", description="Where sandbox requests live.")
    stale_after: Annotated[Duration, between(timedelta(seconds=1), Day)] = Field(
        default=5 * Minute, description="A look at a cluster that is older counts for nothing."
    )
    templates: Name | None = Field(
        default=None, description="A folder of sandbox templates of your own; relative to this file."
    )
    image: Image | None = Field(default=None, description="The image of sandboxes that name no other.")
