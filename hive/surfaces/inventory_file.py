"""The operator's inventory file: ManagedClusters and ClusterFacts that nobody reports to the hub."""

from __future__ import annotations

from pathlib import Path

from hive.decisions.inventory.roll import Declared
from hive.errors import ConfigError
from hive.facts.fleet import (
    BindingPolicy,
    Cluster,
    Observation,
    Problem,
    RequestBinding,
    SandboxRequest,
    WorkloadObject,
    object_id,
)
from hive.surfaces.place_reading import Fact, read_facts

_ONLY = "an inventory has ManagedClusters and ClusterFacts; take it out of the file"


def read_inventory(path: Path) -> Declared:
    """What `path` says; an object with a wrong value is a problem of its own, and the others count.

    Raises `ConfigError`, with file and line, for what cannot be read at all.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the inventory cannot be read: {error.strerror}", source=str(path)) from error
    facts, problems = read_facts([(data, str(path))])
    strangers = tuple(
        Problem(_name(fact), _ONLY) for fact in facts if not isinstance(fact, Cluster | Observation)
    )
    return Declared(
        clusters=tuple(fact for fact in facts if isinstance(fact, Cluster)),
        observations={fact.cluster: fact for fact in facts if isinstance(fact, Observation)},
        problems=tuple(sorted((*problems, *strangers), key=lambda one: (one.object, one.message))),
    )


def _name(fact: Fact) -> str:
    match fact:
        case SandboxRequest():
            return object_id("hive.fleet", "v1alpha1", "sandboxrequests", fact.namespace, fact.name)
        case BindingPolicy():
            return object_id("control.kubestellar.io", "v1alpha1", "bindingpolicies", "", fact.name)
        case RequestBinding():
            return object_id("control.kubestellar.io", "v1alpha1", "bindings", "", fact.name)
        case WorkloadObject():
            return fact.id
        case Cluster():
            return object_id("cluster.open-cluster-management.io", "v1", "managedclusters", "", fact.name)
        case Observation():
            return object_id("hive.fleet", "v1alpha1", "clusterfacts", "", fact.cluster)
