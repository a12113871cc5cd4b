"""Which fragments and variables a part of a GraphQL document needs: unused ones are errors to GitHub."""

from __future__ import annotations

from collections.abc import Iterable

from graphql import DirectiveNode, FragmentDefinitionNode, FragmentSpreadNode, VariableNode, Visitor, visit
from graphql.language.ast import Node as AstNode

from hive.decisions.requests.graphql_document import Document


class _Collector(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.variables: set[str] = set()
        self.spreads: set[str] = set()
        self.directs = False

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        self.directs = True

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        self.variables.add(node.name.value)

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        self.spreads.add(node.name.value)


def reached_fragments(parts: Iterable[AstNode], document: Document) -> list[FragmentDefinitionNode]:
    """The fragments that `parts` use, directly or through others."""
    found: dict[str, FragmentDefinitionNode] = {}
    waiting = list(parts)
    while waiting:
        collector = _Collector()
        visit(waiting.pop(), collector)
        for name in sorted(collector.spreads - found.keys()):
            found[name] = document.fragments[name]
            waiting.append(found[name])
    return list(found.values())


def used_variables(parts: Iterable[AstNode]) -> set[str]:
    """Names of the variables in `parts`."""
    collector = _Collector()
    for part in parts:
        visit(part, collector)
    return collector.variables


def has_directives(parts: Iterable[AstNode]) -> bool:
    """Whether any of `parts` may be left out, or is otherwise directed."""
    collector = _Collector()
    for part in parts:
        visit(part, collector)
    return collector.directs
