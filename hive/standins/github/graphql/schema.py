"""The schema, built at the first query: a quarter of a second that REST clients need not wait for."""

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from graphql import DocumentNode, GraphQLError, GraphQLSchema, build_schema, parse, specified_rules, validate
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that may be executed, or why not: it cannot be read, or asks for what is not there."""

    document: DocumentNode | None
    unreadable: GraphQLError | None = None
    problems: tuple[GraphQLError, ...] = ()


@lru_cache(maxsize=256)
def prepare(query: str) -> Prepared:
    """Read and validate a document; clients send the same few texts again and again."""
    try:
        # GitHub refuses very large documents; the bound is ours.
        document = parse(query, max_tokens=20_000)
    except GraphQLError as error:
        return Prepared(None, unreadable=error)
    problems = tuple(validate(schema(), document, RULES))
    return Prepared(document, problems=problems)
