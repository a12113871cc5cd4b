"""The model that a request names, wherever it stands and however it is cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.gateway.relay.asked_model import AskedModel

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["model", "a", 'q"']) | st.text(), inner),
    max_leaves=12,
)
NAMES = st.sampled_from(["a", "messages", 'mo"del', "\\model"]) | st.text().filter(
    lambda name: name.casefold() != "model"
)


def asked(data: bytes, step: int = 100_000) -> AskedModel:
    found = AskedModel()
    for at in range(0, len(data), step):
        found.feed(data[at : at + step])
    return found


@given(st.dictionaries(NAMES, JSON), st.text(max_size=100), st.integers(1, 9), st.booleans(), st.data())
def test_it_is_read_as_a_json_reader_does(
    others: dict[str, Any], model: str, step: int, plain: bool, data: st.DataObject
) -> None:
    items = list(others.items())
    items.insert(data.draw(st.integers(0, len(items))), ("model", model))
    found = asked(json.dumps(dict(items), ensure_ascii=plain).encode("utf-8", "surrogatepass"), step)
    assert (found.model, found.is_doubtful) == (model.encode("utf-8", "replace").decode(), False)


@given(st.dictionaries(NAMES, JSON), st.integers(1, 9))
def test_one_that_is_named_elsewhere_is_none(others: dict[str, Any], step: int) -> None:
    assert asked(json.dumps(others).encode(), step).model == ""


@given(st.binary())
def test_nothing_that_it_is_fed_makes_it_fail(data: bytes) -> None:
    asked(b'{"model":' + data, 3)


@pytest.mark.parametrize(
    "data",
    [b'{"model":"a","model":"a"}', b'{"model":{"model":"a"}}', b'{"MODEL":"a","model":"b"}'],
)
def test_what_two_readers_may_read_in_two_ways_is_in_doubt(data: bytes) -> None:
    assert asked(data, 2).is_doubtful


def test_a_name_that_never_ends_takes_no_memory() -> None:
    found = AskedModel()
    found.feed(b'{"model":"')
    for _ in range(100):
        found.feed(b"x" * 100_000)
    found.feed(b'"}')
    assert len(found.model) <= 200
    assert found._length <= 4096 + 100_000
