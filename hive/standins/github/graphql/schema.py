"""The schema, built at the first query: a quarter of a second that REST clients need not wait for."""

from functools import cache
from importlib.resources import files
from typing import Any

from graphql import GraphQLSchema, build_schema, specified_rules
from graphql.validation import OverlappingFieldsCanBeMergedRule

from hive.standins.github.graphql.resolving import type_name

RULES: tuple[Any, ...] = tuple(
    rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule
)
"""GitHub does not hold queries to the rule left out, and gh's own query for an issue breaks it."""


@cache
def schema() -> GraphQLSchema:
    """GitHub's official schema, cut to what is served, with what its live service has beyond it."""
    folder = files("hive.standins.github") / "schema"
    text = "\n".join(
        (folder / name).read_text(encoding="utf-8") for name in ("github.graphql", "live.graphql")
    )
    # The cut leaves deprecations that graphql-core would object to; GitHub's server does not.
    built = build_schema(text, assume_valid=True, no_location=True)
    for kind in built.type_map.values():
        if hasattr(kind, "resolve_type"):
            kind.resolve_type = type_name
    return built
