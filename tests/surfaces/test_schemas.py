from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from hive.errors import ConfigError
from hive.surfaces.schemas import SCHEMAS
from hive.surfaces.triage import triage_document


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_each_schema_is_one(name: str) -> None:
    schema = SCHEMAS[name]()
    jsonschema_rs.meta.validate(schema)
    assert schema["type"] == "object"


def test_durations_are_written_as_people_write_them() -> None:
    settle = SCHEMAS["judge"]()["$defs"]["MergePolicyModel"]["properties"]["settle"]
    assert (settle["type"], settle["default"]) == ("string", "5m")


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-30T12:00:00Z",
        "2026-11-30 12:00+0200",
        "2026-11-30t12:00:00.123456789-08:00",
        "2026-11-30",
        "2026-11-30T12:00:00",
        "2026-11-30T12:00:00 Europe/Berlin",
        "1764504000",
        "12:00Z",
        "",
    ],
)
def test_the_schema_and_hive_agree_on_what_a_time_is(time: str) -> None:
    file = {"now": time, "issues": []}
    schema_accepts = jsonschema_rs.validator_for(SCHEMAS["triage"]()).is_valid(file)
    try:
        hive_accepts = bool(triage_document(json.dumps(file).encode(), "t.json"))
    except ConfigError:
        hive_accepts = False
    assert schema_accepts == hive_accepts


def test_the_schema_knows_that_a_check_has_a_name() -> None:
    policy = jsonschema_rs.validator_for(_merge_policy())
    assert policy.is_valid({"required": ["build", {"name": "test"}]})
    assert not policy.is_valid({"required": [""]})


def _merge_policy() -> dict[str, Any]:
    schema = SCHEMAS["judge"]()
    return {"$defs": schema["$defs"], "$ref": "#/$defs/MergePolicyModel"}
