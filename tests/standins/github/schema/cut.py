"""Cut GitHub's published descriptions down to what the stand-in serves.

    python -m tests.standins.github.schema.cut openapi IN.json OUT.json.gz
    python -m tests.standins.github.schema.cut graphql IN.graphql OUT.graphql

The first input is `generated/api.github.com.json` of the npm package `@octokit/openapi` (23.0.2 was used),
the second `schema.graphql` of `@octokit/graphql-schema` (15.26.1 was used); both are MIT-licensed.
The REST result is JSON Schema 2020-12 under the description's own paths, for the tests alone.  The GraphQL
result is shipped, since the stand-in executes queries on it: whole types, minus the fields that lead to types
which are not kept.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.standins.github.schema import graphql_cut
from tests.standins.github.schema.kept import KEPT_FIELDS, KEPT_TYPES, OPERATIONS

# Documentation, not constraints; GitHub's own examples often fail their own schema.
_NOT_CONSTRAINTS = frozenset(
    {"example", "examples", "discriminator", "description", "summary", "externalDocs"}
)


def _references(node: Any) -> Iterator[str]:
    """Every `$ref` under `node`, examples left out."""
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            elif key not in ("example", "examples"):
                yield from _references(value)


def _look_up(document: Any, reference: str) -> Any:
    for step in reference.removeprefix("#/").split("/"):
        document = document[step.replace("~1", "/").replace("~0", "~")]
    return document


def _closure(document: Any, roots: list[Any]) -> set[str]:
    """The references reachable from `roots`, through other references too."""
    reached: set[str] = set()
    waiting = [reference for root in roots for reference in _references(root)]
    while waiting:
        reference = waiting.pop()
        if reference not in reached:
            reached.add(reference)
            waiting.extend(_references(_look_up(document, reference)))
    return reached


def _as_json_schema(node: Any, *, names: bool = False) -> Any:
    """OpenAPI 3.0's `nullable` made real; `names` is true where the keys are property names, not keywords."""
    if isinstance(node, list):
        return [_as_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _as_json_schema(value, names=not names and key in ("properties", "schemas", "patternProperties"))
        for key, value in node.items()
        if names or (key not in _NOT_CONSTRAINTS and not key.startswith("x-"))
    }
    return kept if names else _with_null(kept)


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.pop("nullable", None) is not True:
        return schema
    if not isinstance(schema.get("type"), str):
        return {"anyOf": [schema, {"type": "null"}]}
    schema["type"] = [schema["type"], "null"]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema


def cut_openapi(document: Any) -> Any:
    """The operations of `kept.OPERATIONS` with all that they refer to."""
    slim: dict[str, Any] = {"info": document["info"], "paths": {}, "components": {}}
    for operation in OPERATIONS:
        method, path = operation.split(" ")
        slim["paths"].setdefault(path, {})[method.lower()] = document["paths"][path][method.lower()]
    for reference in sorted(_closure(document, [slim["paths"]])):
        _, _, section, name = reference.split("/")[:4]
        if section != "examples":
            slim["components"].setdefault(section, {})[name] = document["components"][section][name]
    return _as_json_schema(slim)


def cut_graphql(text: str) -> str:
    """The types of `kept.KEPT_TYPES`, without descriptions and without what leads to other types."""
    return graphql_cut.cut(text, KEPT_TYPES, KEPT_FIELDS)


def main(arguments: list[str]) -> None:
    """Run one of the two cuts."""
    which, source, target = arguments
    text = Path(source).read_text(encoding="utf-8")
    if which == "graphql":
        Path(target).write_text(cut_graphql(text), encoding="utf-8")
        return
    slim = json.dumps(cut_openapi(json.loads(text)), separators=(",", ":"), sort_keys=True)
    # A fixed time in the gzip header: equal input gives equal bytes.
    Path(target).write_bytes(gzip.compress(slim.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
