"""GitHub's published description of its REST answers, cut to what the stand-in serves."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

_FILE = Path(__file__).parent / "schema" / "rest.json.gz"


@cache
def _description() -> Any:
    return json.loads(gzip.decompress(_FILE.read_bytes()))


def _pattern(template: str) -> re.Pattern[str]:
    """A path parameter is one step, except those that GitHub lets contain slashes."""
    deep = re.sub(r"\{(path|ref|basehead|branch)\}", "<deep>", template)
    escaped = re.escape(re.sub(r"\{\w+\}", "<step>", deep))
    return re.compile("^" + escaped.replace("<deep>", ".+").replace("<step>", "[^/]+") + "$")


@cache
def _paths() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of the described paths, the most exact first."""
    templates = sorted(_description()["paths"], key=lambda path: (path.count("{"), -len(path)))
    return [(_pattern(template), template) for template in templates]


@cache
def _validator(path: str, method: str, status: int) -> Any:
    responses = _description()["paths"][path][method]["responses"]
    response = responses[str(status)]
    if "$ref" in response:
        response = _description()["components"]["responses"][response["$ref"].rsplit("/", 1)[-1]]
    schema = response.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return None
    whole = {**schema, "components": _description()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def problems(method: str, path: str, status: int, body: Any) -> list[str]:
    """What is wrong with an answer, by the description; a KeyError for one that is not described."""
    bare = path.split("?", maxsplit=1)[0]
    template = next(template for pattern, template in _paths() if pattern.match(bare))
    validator = _validator(template, method.lower(), status)
    if validator is None:
        return []
    return [f"{'/'.join(map(str, e.instance_path))}: {e.message[:300]}" for e in validator.iter_errors(body)]
