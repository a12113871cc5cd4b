from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.inventory.observe import Look
from hive.decisions.inventory.overview import HEADINGS, Survey, overview, rows
from hive.facts.fleet import UNIT, Cluster, Node, Observation, Problem, Taint

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STALE = timedelta(minutes=5)
GIB = 1024**3 * UNIT


def seen(name: str, ago: int = 0) -> Observation:
    whole = {"cpu": 4 * UNIT, "memory": 8 * GIB, "nvidia.com/gpu": 2 * UNIT, "pods": 110 * UNIT}
    asked = {"cpu": UNIT, "memory": 2 * GIB, "nvidia.com/gpu": UNIT, "pods": 3 * UNIT}
    nodes = (
        Node("n1", allocatable=whole, requested=asked),
        Node("n2", taints=(Taint("node.kubernetes.io/not-ready", "", "NoSchedule"),), allocatable=whole),
    )
    return Observation(name, NOW - timedelta(seconds=ago), nodes)


SURVEY = Survey(
    hub="hub",
    contexts={"east": "kind-east", "west": "west"},
    clusters=(
        Cluster("east", {"env": "prod"}, (Taint("k", "v", "NoSelect"),), seen=seen("east", 7)),
        Cluster("far", available=None, is_accepted=False),
    ),
    looks={"east": Look(seen("east", 7), "v1.36.3")},
    away={"west": Away(NOW - timedelta(minutes=2), "nobody answers")},
    problems=(Problem("o", "m"),),
    sandboxes={"east": 2},
)

EAST = {
    "name": "east",
    "context": "kind-east",
    "registered": True,
    "available": "True",
    "reachable": True,
    "since": None,
    "message": "",
    "accepted": True,
    "deleting": False,
    "observed_at": "2026-11-30T11:59:53Z",
    "age_seconds": 7,
    "stale": False,
    "version": "v1.36.3",
    "nodes": {"ready": 1, "total": 2},
    "resources": {
        "cpu": {"free": "3", "allocatable": "4"},
        "memory": {"free": "6Gi", "allocatable": "8Gi"},
        "nvidia.com/gpu": {"free": "1", "allocatable": "2"},
        "pods": {"free": "107", "allocatable": "110"},
    },
    "labels": {"env": "prod"},
    "taints": ["k=v:NoSelect"],
    "sandboxes": 2,
}
NOTHING = {"observed_at": None, "age_seconds": None, "stale": True, "version": None, "nodes": None}
FAR = {
    **EAST,
    **NOTHING,
    "name": "far",
    "context": None,
    "available": None,
    "reachable": None,
    "accepted": False,
    "resources": {},
    "labels": {},
    "taints": [],
    "sandboxes": 0,
}
WEST = {
    **FAR,
    "name": "west",
    "context": "west",
    "registered": False,
    "available": "Unknown",
    "reachable": False,
    "since": "2026-11-30T11:58:00Z",
    "message": "nobody answers",
}


def test_every_cluster_that_anybody_knows_of_has_its_row() -> None:
    assert overview(SURVEY, NOW, STALE) == {
        "at": "2026-11-30T12:00:00Z",
        "hub": {"context": "hub", "reachable": True, "message": ""},
        "clusters": [EAST, FAR, WEST],
        "problems": [{"object": "o", "message": "m"}],
    }


def test_a_person_reads_the_same_in_a_table() -> None:
    found = [dict(zip(HEADINGS, row, strict=True)) for row in rows(overview(SURVEY, NOW, STALE))]
    assert found[0] == {
        "CLUSTER": "east",
        "AVAILABLE": "yes",
        "SEEN": "7s ago",
        "VERSION": "v1.36.3",
        "NODES": "1/2",
        "CPU": "3/4",
        "MEMORY": "6Gi/8Gi",
        "GPU": "nvidia.com/gpu 1/2",
        "SANDBOXES": 2,
        "NOTES": "k=v:NoSelect",
    }
    told = [(row["AVAILABLE"], row["NOTES"]) for row in found[1:]]
    assert told == [
        ("not said", "no context leads to it; the hub has not accepted it"),
        ("unknown, away", "not on the hub yet"),
    ]


def test_without_the_hub_the_members_are_still_seen() -> None:
    alone = replace(SURVEY, clusters=(), hub_failure="no connection in time", sandboxes=None)
    document = overview(alone, NOW, STALE)
    assert document["hub"] == {"context": "hub", "reachable": False, "message": "no connection in time"}
    east, west = document["clusters"]
    bare = {"registered": False, "accepted": False, "labels": {}, "taints": [], "sandboxes": None}
    assert east == {**EAST, **bare}
    assert west == {**WEST, "sandboxes": None}


@pytest.mark.parametrize(
    ("changes", "is_blind"),
    [
        ({}, False),
        ({"hub_failure": "x"}, False),
        ({"hub_failure": "x", "away": dict.fromkeys(("east", "west"), Away(NOW, "y"))}, True),
        ({"away": dict.fromkeys(("east", "west"), Away(NOW, "y"))}, False),
    ],
)
def test_a_survey_is_blind_only_where_nothing_could_be_reached(
    changes: dict[str, Any], is_blind: bool
) -> None:
    assert replace(SURVEY, **changes).is_blind is is_blind


def test_an_old_look_is_said_to_be_old() -> None:
    (cluster, _) = SURVEY.clusters
    old = replace(SURVEY, clusters=(replace(cluster, seen=seen("east", 400)),))
    row = overview(old, NOW, STALE)["clusters"][0]
    assert (row["age_seconds"], row["stale"]) == (400, True)
    assert next(iter(rows(overview(old, NOW, STALE))))[-1] == "too old to count; k=v:NoSelect"


@pytest.mark.parametrize(
    ("memory", "shown"),
    [
        (8 * GIB, "8Gi"),
        (24632456 * 1024 * UNIT, "23.5Gi"),
        (267847642337 * UNIT, "249.5Gi"),
        (512 * UNIT, "512"),
    ],
)
def test_memory_is_rounded_for_a_person(memory: int, shown: str) -> None:
    node = Node("n", allocatable={"memory": memory})
    cluster = Cluster("east", seen=Observation("east", NOW, (node,)))
    document = overview(replace(SURVEY, clusters=(cluster,)), NOW, STALE)
    assert next(iter(rows(document)))[6] == f"{shown}/{shown}"
