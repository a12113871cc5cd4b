"""What a GraphQL document costs, by GitHub's documented rule.

Every connection is one request for each object that it hangs on, at most as many as its parents' `first` or
`last` allow; a hundred requests are a point, rounded, one at least.  The objects that could be returned in
all are the nodes, of which no document may ask for more than 500,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import language as ast

MOST_NODES = 500_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Points, and the nodes that could be returned."""

    points: int
    nodes: int


def of(document: ast.DocumentNode, variables: Mapping[str, Any], operation: str | None = None) -> Cost:
    """The cost of the operation of a document."""
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, ast.FragmentDefinitionNode)}
    chosen = [
        d
        for d in document.definitions
        if isinstance(d, ast.OperationDefinitionNode)
        and (operation is None or (d.name is not None and d.name.value == operation))
    ]
    if not chosen:
        return Cost(1, 0)
    known = {**_defaults(chosen[0]), **variables}
    requests, nodes = _count(chosen[0].selection_set, 1, known, fragments)
    return Cost(max(1, round(requests / 100)), nodes)


def _defaults(operation: ast.OperationDefinitionNode) -> dict[str, Any]:
    found = {}
    for definition in operation.variable_definitions or ():
        if isinstance(definition.default_value, ast.IntValueNode):
            found[definition.variable.name.value] = int(definition.default_value.value)
    return found


def _count(
    selection: ast.SelectionSetNode | None,
    parents: int,
    variables: Mapping[str, Any],
    fragments: Mapping[str, ast.FragmentDefinitionNode],
) -> tuple[int, int]:
    """Requests and nodes of a selection on `parents` objects."""
    requests = nodes = 0
    for each in selection.selections if selection else ():
        if isinstance(each, ast.FragmentSpreadNode):
            fragment = fragments.get(each.name.value)
            inner, size, here = (fragment.selection_set if fragment else None), parents, 0
        elif isinstance(each, ast.FieldNode):
            most = _page(each, variables)
            inner, here = each.selection_set, parents if most is not None else 0
            size = parents * (most or 1)
            nodes += size if most is not None else 0
        elif isinstance(each, ast.InlineFragmentNode):
            inner, size, here = each.selection_set, parents, 0
        else:
            continue
        below, more = _count(inner, size, variables, fragments)
        requests, nodes = requests + here + below, nodes + more
    return requests, nodes


def _page(field: ast.FieldNode, variables: Mapping[str, Any]) -> int | None:
    """How many objects a connection may return; None for a field that is none."""
    for argument in field.arguments or ():
        if argument.name.value not in ("first", "last"):
            continue
        if isinstance(argument.value, ast.IntValueNode):
            return int(argument.value.value)
        if isinstance(argument.value, ast.VariableNode):
            given = variables.get(argument.value.name.value)
            if isinstance(given, int):
                return given
    return None
