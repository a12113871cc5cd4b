"""The GraphQL half of the cut: a schema document reduced to some of its types."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from graphql import language as ast
from graphql import parse, print_ast


def _named(node: ast.TypeNode) -> str:
    while not isinstance(node, ast.NamedTypeNode):
        node = node.type  # type: ignore[attr-defined]  # lists and non-nulls wrap another type
    return node.name.value


class _Cut:
    """One cut: `kept` grows by the scalars, enumerations and inputs that kept fields need."""

    def __init__(self, text: str, kept: Iterable[str], fields: dict[str, frozenset[str]]) -> None:
        definitions = parse(text, no_location=True).definitions
        self.types: dict[str, Any] = {d.name.value: d for d in definitions if hasattr(d, "name")}
        self.kept = set(kept) | {"String", "Int", "Float", "Boolean", "ID"}
        self.fields = fields

    def document(self) -> str:
        """The kept definitions, by name."""
        output = {name: self._reduced(name) for name in sorted(self.kept & set(self.types))}
        # Inputs and enumerations were found while fields were looked at.
        for name in sorted(self.kept & set(self.types) - set(output)):
            output[name] = _plain(self.types[name])
        return "\n\n".join(print_ast(output[name]) for name in sorted(output)) + "\n"

    def _reduced(self, name: str) -> Any:
        definition = self.types[name]
        if isinstance(definition, ast.UnionTypeDefinitionNode):
            types = tuple(t for t in definition.types or () if t.name.value in self.kept)
            return _plain(replace(definition, types=types))
        if not isinstance(definition, ast.ObjectTypeDefinitionNode | ast.InterfaceTypeDefinitionNode):
            return _plain(definition)
        interfaces = tuple(i for i in definition.interfaces or () if i.name.value in self.kept)
        fields = tuple(f for f in definition.fields or () if self._keeps(name, f))
        return _plain(replace(definition, interfaces=interfaces, fields=fields))

    def _keeps(self, owner: str, field: Any) -> bool:
        chosen = self.fields.get(owner)
        if chosen is not None and field.name.value not in chosen:
            return False
        if not self._reachable(_named(field.type)):
            return False
        for argument in field.arguments or ():
            self._take(_named(argument.type))
        return True

    def _reachable(self, name: str) -> bool:
        if isinstance(self.types.get(name), ast.ScalarTypeDefinitionNode | ast.EnumTypeDefinitionNode):
            self.kept.add(name)
        return name in self.kept

    def _take(self, name: str) -> None:
        """Keep an argument's type and all that it is made of."""
        if name in self.kept or name not in self.types:
            return
        self.kept.add(name)
        for field in getattr(self.types[name], "fields", None) or ():
            self._take(_named(field.type))


def _plain(node: Any, *, keep: str = "") -> Any:
    """A definition without descriptions and directives (but `keep`), its own or those of its parts."""
    changes: dict[str, Any] = {"description": None}
    if hasattr(node, "directives"):
        changes["directives"] = tuple(d for d in node.directives or () if d.name.value == keep)
    for parts in ("fields", "values", "arguments"):
        if getattr(node, parts, None):
            changes[parts] = tuple(_plain(part, keep="deprecated") for part in getattr(node, parts))
    return replace(node, **changes)


def cut(text: str, kept: Iterable[str], fields: dict[str, frozenset[str]]) -> str:
    """The schema reduced to the types `kept`; `fields` names the only fields that some of them keep."""
    return _Cut(text, kept, fields).document()
