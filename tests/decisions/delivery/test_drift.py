"""Whether an object is as hive wrote it: defaults are none of its business, changes are."""

from __future__ import annotations

import pytest

from hive.decisions.delivery.drift import is_as_written, projection

WANTED = {"spec": {"replicas": 1, "ports": [{"port": 80}], "ingress": []}}


@pytest.mark.parametrize(
    "found",
    [
        {"spec": {"replicas": 1, "ports": [{"port": 80}], "ingress": []}},
        {"spec": {"replicas": 1, "ports": [{"port": 80, "protocol": "TCP"}]}, "status": {"replicas": 1}},
    ],
)
def test_what_the_server_adds_or_leaves_out_is_no_change(found: object) -> None:
    assert is_as_written(found, WANTED)


@pytest.mark.parametrize(
    "found",
    [
        {"spec": {"replicas": 2, "ports": [{"port": 80}]}},
        {"spec": {"replicas": 1, "ports": [{"port": 81}]}},
        {"spec": {"replicas": 1, "ports": [{"port": 80}, {"port": 81}]}},
        {"spec": {"replicas": 1, "ports": [{"port": 80}], "ingress": [{}]}},
        {"spec": {"ports": [{"port": 80}]}},
        {"spec": None},
        {},
    ],
)
def test_what_somebody_changed_is(found: object) -> None:
    assert not is_as_written(found, WANTED)


def test_a_value_in_the_servers_own_spelling_is_compared_with_what_it_answered() -> None:
    wanted, answered = {"limits": {"cpu": "1000m"}}, {"limits": {"cpu": "1", "pods": "1"}}
    assert not is_as_written(answered, wanted)
    assert projection(answered, wanted) == projection({"limits": {"cpu": "1", "memory": "2"}}, wanted)
