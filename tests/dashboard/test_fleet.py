"""Any document is worth showing, as far as it makes sense."""

from __future__ import annotations

import json

import pytest

from hive.dashboard.fleet import Agent, Fleet, Port, read, read_json
from tests.dashboard import world


def test_the_whole_document_is_read() -> None:
    fleet = read(world.document())
    assert fleet.unread == ()
    assert fleet.at == world.NOW
    assert [agent.name for agent in fleet.agents] == [agent["name"] for agent in world.agents()]
    assert [len(pull.obstacles) for pull in fleet.pull_requests] == [1, 3, 1, 0]


def test_what_is_published_reads_the_same_as_what_is_answered() -> None:
    assert read_json(json.dumps(world.document()).encode()) == read(world.document())


def test_an_empty_document_is_an_empty_hive() -> None:
    assert read({}) == Fleet()


def test_keys_that_are_missing_or_new_do_not_matter() -> None:
    document = {"agents": [{"name": "guide", "mood": "fine"}], "weather": "rain", "ok": True}
    assert read(document) == Fleet(agents=(Agent(name="guide"),))


def test_a_part_that_makes_no_sense_is_named_and_the_rest_is_shown() -> None:
    fleet = read({"agents": "many", "ports": [{"name": "github"}], "level": 4})
    assert fleet == Fleet(ports=(Port(name="github"),), level=4, unread=("agents",))


@pytest.mark.parametrize("published", [b"", b"[]", b"{", b"7"])
def test_what_is_no_document_is_a_value_error(published: bytes) -> None:
    with pytest.raises(ValueError):
        read_json(published)
