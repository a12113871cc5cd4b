from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import jsonschema_rs
import pytest
import yaml

from hive.decisions.durations import spell
from hive.settings.example import init_text
from hive.settings.schema import hive_schema
from tests.settings.conftest import GOOD
from tests.settings.test_check import FLEET

SCHEMA = hive_schema()


def editors_view(text: str) -> Any:
    """What an editor checks: YAML with its types, and keys that are text."""
    return json.loads(json.dumps(yaml.safe_load(text)))


def test_it_is_a_json_schema() -> None:
    jsonschema_rs.meta.validate(SCHEMA)
    assert SCHEMA["title"] == "hive.yaml"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        init_text("o/r"),
        FLEET,
        GOOD + "tick: ${TICK}\nstrict: ${STRICT}\nlifecycle: {attempts: '${N}'}\n",
        GOOD.replace("- o/r", "- {name: o/r, merge: {required: [a, {name: b}], settle: 90s}}"),
        GOOD + 'roles: {scanner: {4: advisory, 6: "-"}}\n',
    ],
)
def test_what_hive_reads_is_valid(text: str) -> None:
    jsonschema_rs.validate(SCHEMA, editors_view(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("level: 4", "levle: 4"),
        ("level: 4", "level: 9"),
        ("level: 4", "tick: 5"),
        ("level: 4", "tick: soon"),
        ("level: 4", "strict: maybe"),
        ("level: 4", "gateway: {port: 70000}"),
        ("level: 4", "lifecycle: {attempts: 0}"),
        ("level: 4", "merge: {method: sqash}"),
        ("level: 4", "merge: {settle: PT5M}"),
        ("level: 4", "roles: {scanner: {9: advisory}}"),
        ("level: 4", "roles: {scanner: {4: advizory}}"),
        ("level: 4", "raise: {scanner: {4: {mode: full}}}"),
        ("backend: claude", "bakend: claude"),
        ("backend: claude", "backend: claude, count: 0"),
        ("  - o/r", "  - {name: o/r, levl: 2}"),
        ("  - o/r", "  []"),
        ("  token: ${GITHUB_TOKEN}", "  tokn: ${GITHUB_TOKEN}"),
    ],
)
def test_what_hive_refuses_an_editor_marks(old: str, new: str) -> None:
    assert old in GOOD
    assert not jsonschema_rs.is_valid(SCHEMA, editors_view(GOOD.replace(old, new, 1)))


def keys(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of every mapping in the schema, with what is said about it."""
    if isinstance(part, dict):
        for name, about in part.get("properties", {}).items():
            yield f"{path}.{name}", about
        for key, inner in part.items():
            yield from keys(inner, f"{path}.{key}")


def test_every_key_is_described() -> None:
    def says(about: dict[str, Any]) -> bool:
        referred = SCHEMA["$defs"].get(str(about.get("$ref", "")).rpartition("/")[2], {})
        return "description" in about or "description" in referred

    found = dict(keys(SCHEMA))
    assert len(found) > 60
    assert [path for path, about in found.items() if not says(about)] == []


def test_durations_are_written_as_people_write_them() -> None:
    settle = SCHEMA["$defs"]["MergeModel"]["properties"]["settle"]
    assert settle["default"] == "5m"
    assert "PT" not in str(SCHEMA)


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
    assert spell(span) == text
