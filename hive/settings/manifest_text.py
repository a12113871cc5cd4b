"""Manifests as they are written in YAML: with numbers, flags and nulls, as Kubernetes reads them.

Elsewhere hive takes text as it is written and lets the model say what it is; of a manifest's fields hive
knows few, so here YAML's own core schema says it (1.2: ``no`` and ``on`` are text).
"""

from __future__ import annotations

import re
from typing import Any, cast

import yaml

from hive.decisions.sandbox.template import Json
from hive.documents import Document
from hive.documents.tree import Location, Value


class _CoreSchema(yaml.SafeLoader):
    """Plain scalars only, by the core schema of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    _CoreSchema.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first)
    )


def typed(document: Document, location: Location = ()) -> Json:
    """The value of `document` at `location`, typed. Raises `ConfigError` for a key that is not text."""
    # The text was read strictly before: no tags, no key twice, no deep nesting, few aliases.
    value: Any = yaml.load(document.text, Loader=_CoreSchema)  # noqa: S506
    plain: Value = document.value
    for part in location:
        value, plain = value[part], cast(Any, plain)[part]
    return _checked(document, value, location)


def _checked(document: Document, value: Any, at: Location) -> Json:
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise document.error(f"the key '{key}' is not text; write it in quotes", (*at, str(key)))
        return {key: _checked(document, inner, (*at, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_checked(document, inner, (*at, place)) for place, inner in enumerate(value)]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise document.error(f"'{value}' is neither text, nor a number, nor true, false or null", at)
