from __future__ import annotations

from datetime import timedelta

import jsonschema_rs
import pytest

from hive.surfaces.schemas import SCHEMAS, spell_duration


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_each_schema_is_one(name: str) -> None:
    schema = SCHEMAS[name]()
    jsonschema_rs.meta.validate(schema)
    assert schema["type"] == "object"


def test_durations_are_written_as_people_write_them() -> None:
    settle = SCHEMAS["judge"]()["$defs"]["MergePolicyModel"]["properties"]["settle"]
    assert (settle["type"], settle["default"]) == ("string", "5m")


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(seconds=90), "90s"),
        (timedelta(minutes=5), "5m"),
        (timedelta(hours=4), "4h"),
        (timedelta(days=2), "2d"),
        (timedelta(0), "0s"),
    ],
)
def test_a_duration_is_spelled_in_its_largest_unit(span: timedelta, text: str) -> None:
    assert spell_duration(span) == text
