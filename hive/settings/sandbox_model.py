"""The `sandbox` of an agent: the spec of a SandboxRequest, key by key as the hub has it."""

from __future__ import annotations

from pydantic import Field

from hive.decisions.manifests.shapes import (
    GpuShape,
    PreferShape,
    Quantity,
    SandboxRequestSpec,
    SelectorShape,
    TolerationShape,
)
from hive.settings.policies import Name


class SandboxModel(SandboxRequestSpec):
    """A pod for the agent, on whichever cluster of the fleet suits."""

    template: Name = Field(description="A sandbox template, by its name.")
    resources: dict[str, Quantity] | None = Field(
        default=None, description="What the pod needs: cpu, memory, or any resource of a node."
    )
    gpu: GpuShape | None = Field(default=None, description="GPUs: product (any of), memory, count, resource.")
    clusters: SelectorShape | None = Field(
        default=None, description="Which clusters, by their labels; left out: any."
    )
    tolerations: list[TolerationShape] | None = Field(
        default=None, description="Taints of clusters and nodes that do not matter."
    )
    prefer: PreferShape | None = Field(
        default=None, description="Among clusters that fit: bin-pack (the fullest) or spread."
    )
    parameters: dict[str, str] | None = Field(default=None, description="Parameters of the template.")
