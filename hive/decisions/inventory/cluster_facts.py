"""ClusterFacts on the hub: what somebody else observed in a cluster."""

from __future__ import annotations

from pydantic import ValidationError

from hive.decisions.manifests.shapes import ClusterFactsShape
from hive.decisions.manifests.written import as_written
from hive.facts.fleet import Observation
from hive.facts.kubernetes import CLUSTER_FACTS, Manifest, name_of


def observation_of(manifest: Manifest) -> Observation:
    """Raises `ValueError` with what is wrong in it."""
    document = {
        "apiVersion": CLUSTER_FACTS.api_version,
        "kind": CLUSTER_FACTS.kind,
        "metadata": {"name": name_of(manifest)},
        "spec": as_written(manifest.get("spec") or {}),
    }
    try:
        return ClusterFactsShape.model_validate(document).fact()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
