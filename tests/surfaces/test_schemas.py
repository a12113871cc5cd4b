from __future__ import annotations

import jsonschema_rs
import pytest

from hive.surfaces.schemas import SCHEMAS


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_each_schema_is_one(name: str) -> None:
    schema = SCHEMAS[name]()
    jsonschema_rs.meta.validate(schema)
    assert schema["type"] == "object"


def test_durations_are_written_as_people_write_them() -> None:
    settle = SCHEMAS["judge"]()["$defs"]["MergePolicyModel"]["properties"]["settle"]
    assert (settle["type"], settle["default"]) == ("string", "5m")
