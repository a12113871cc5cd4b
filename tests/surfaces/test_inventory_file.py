from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.decisions.inventory.roll import Declared
from hive.errors import ConfigError
from hive.facts.fleet import UNIT, Cluster, Node, Observation, Problem, Taint
from hive.surfaces.inventory_file import read_inventory

CLUSTERS = """\
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: east, labels: {env: prod}}
spec:
  hubAcceptsClient: true
  taints: [{key: dedicated, value: gpu, effect: NoSelect}]
---
apiVersion: hive.fleet/v1alpha1
kind: ClusterFacts
metadata: {name: east}
spec:
  observedAt: 2026-11-30T12:00:00Z
  nodes:
    - {name: n, allocatable: {cpu: "4"}}
---
apiVersion: hive.fleet/v1alpha1
kind: ClusterFacts
metadata: {name: west}
spec:
  observedAt: 2026-11-30T12:00:00Z
"""
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WEST = Observation("west", NOON)
FACTS = "hive.fleet/v1alpha1/clusterfacts//east"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "clusters.yaml"
    path.write_text(CLUSTERS)
    return path


def test_a_file_describes_clusters_and_what_was_observed_in_them(path: Path) -> None:
    taint = Taint("dedicated", "gpu", "NoSelect")
    assert read_inventory(path) == Declared(
        clusters=(Cluster("east", {"env": "prod"}, (taint,), available=None),),
        observations={
            "east": Observation("east", NOON, (Node("n", allocatable={"cpu": 4 * UNIT}),)),
            "west": WEST,
        },
    )


@pytest.mark.parametrize(
    ("wrong", "object_", "message"),
    [
        (
            'allocatable: {cpu: "four"}',
            FACTS,
            "'four' is no quantity; write it like 2, 500m, 1.5, 64Gi or 1e3",
        ),
        ('requested: {cpu: "-1"}', FACTS, "'-1' is less than nothing; write 0 or more"),
        ("count: none", FACTS, "spec.nodes[0].count: "),
    ],
)
def test_a_wrong_value_is_a_problem_of_its_object_and_all_else_counts(
    path: Path, wrong: str, object_: str, message: str
) -> None:
    path.write_text(CLUSTERS.replace('allocatable: {cpu: "4"}', wrong))
    found = read_inventory(path)
    assert ([each.name for each in found.clusters], found.observations) == (["east"], {"west": WEST})
    ((where, said),) = [(each.object, each.message) for each in found.problems]
    assert where == object_
    assert message in said


def test_what_has_no_business_in_an_inventory_is_said(path: Path) -> None:
    policy = """\
---
apiVersion: control.kubestellar.io/v1alpha1
kind: BindingPolicy
metadata: {name: p}
spec: {clusterSelectors: [{matchExpressions: [{key: env, operator: In}]}]}
"""
    path.write_text(CLUSTERS + policy)
    assert read_inventory(path).problems == (
        Problem(
            "control.kubestellar.io/v1alpha1/bindingpolicies//p",
            "an inventory has ManagedClusters and ClusterFacts; take it out of the file",
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [\n", r"clusters.yaml:2: this is not valid YAML"),
        (
            CLUSTERS.replace("observedAt", "observdAt"),
            r"clusters.yaml:12: unknown key 'observdAt'.*'observedAt'",
        ),
        (CLUSTERS.replace("12:00:00Z", "12:00:00"), r"clusters.yaml:12: .*is no time with zone"),
    ],
)
def test_a_file_that_cannot_be_read_at_all_is_one_line_with_the_place(
    path: Path, text: str, message: str
) -> None:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_inventory(path)
    assert re.search(message, str(caught.value))


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the inventory cannot be read: No such file or directory"):
        read_inventory(tmp_path / "none.yaml")
