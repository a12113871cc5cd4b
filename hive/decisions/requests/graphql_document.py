"""A GraphQL request read whole: one document, one operation, fragments expanded, variables filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    ListValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Undefined,
    ValueNode,
    VariableNode,
    parse,
    value_from_ast_untyped,
)

from hive.decisions.requests import jsonbody
from hive.decisions.requests.model import NotUnderstood

_MOST_TOKENS = 15_000
_MOST_FIELDS = 5_000
_SHORT = 8_000
"""Characters of a document up to which it is kept when parsed: 32 of these take a few megabytes."""
_KEYS = {"query", "variables", "operationName"}

JsonObject = jsonbody.JsonObject
Fragments = Mapping[str, FragmentDefinitionNode]


class Document:
    """A parsed request body with its one operation.

    Attributes:
        body: The JSON object as it came.
        variables: With the operation's defaults filled in.
    """

    def __init__(self, body: bytes) -> None:
        """Raises `NotUnderstood` for anything but one operation in one document."""
        self.body = jsonbody.parse_object(body)
        if not self.body.keys() <= _KEYS:
            raise NotUnderstood(
                "a GraphQL request has a query, variables and an operation's name, nothing else"
            )
        query = jsonbody.text(self.body, "query")
        self.operation, self.fragments = _known(query) if len(query) < _SHORT else _parse(query)
        named = self.body.get("operationName")
        if named not in (None, "", self.operation.name.value if self.operation.name else ""):
            raise NotUnderstood("operationName names an operation that is not there")
        self.variables = self._given()

    def _given(self) -> dict[str, object]:
        given = self.body.get("variables")
        if given is not None and not isinstance(given, dict):
            raise NotUnderstood("variables is not an object")
        values: dict[str, object] = dict(given or {})
        definitions = self.operation.variable_definitions or ()
        _once(definition.variable.name.value for definition in definitions)
        for definition in definitions:
            if definition.default_value is not None:
                _check_fields(definition.default_value)
                default: object = value_from_ast_untyped(definition.default_value)
                values.setdefault(definition.variable.name.value, default)
        return values

    def root_fields(self) -> tuple[FieldNode, ...]:
        """The operation's own fields, fragments expanded, those that directives leave out included."""
        return tuple(expand(self.operation.selection_set, self.fragments))

    def below(self, field: FieldNode) -> tuple[FieldNode, ...]:
        """The fields selected below `field`, fragments expanded."""
        return tuple(expand(field.selection_set, self.fragments)) if field.selection_set else ()

    def argument(self, field: FieldNode, name: str) -> object:
        """An argument's value with the variables filled in; `None` where it is not given.

        Raises `NotUnderstood` for an argument, or a field of its value, that is given twice.
        """
        _once(argument.name.value for argument in field.arguments or ())
        for argument in field.arguments or ():
            if argument.name.value == name:
                return self.value(argument.value)
        return None

    def value(self, node: ValueNode) -> object:
        if isinstance(node, VariableNode):
            return self.variables.get(node.name.value)
        _check_fields(node)
        return _given(value_from_ast_untyped(node, self.variables))


def _once(names: Iterable[str]) -> None:
    """Refuse a name that is given twice: who reads it next may take the other one."""
    listed = list(names)
    if len(set(listed)) != len(listed):
        raise NotUnderstood("its GraphQL gives a name twice")


def _given(value: object) -> object:
    """Without the fields whose variable has no value: GraphQL takes them for not given."""
    if isinstance(value, dict):
        return {key: _given(item) for key, item in value.items() if item is not Undefined}
    if isinstance(value, list):
        return [None if item is Undefined else _given(item) for item in value]
    return None if value is Undefined else value


def _check_fields(value: ValueNode) -> None:
    if isinstance(value, ObjectValueNode):
        _once(field.name.value for field in value.fields)
        for field in value.fields:
            _check_fields(field.value)
    elif isinstance(value, ListValueNode):
        for item in value.values:
            _check_fields(item)


def read_document(body: bytes) -> Document:
    """As `Document`: the same one for the same bytes, where they are few. Raises `NotUnderstood`.

    A request is looked at by several rules on its way; nobody changes what was read.
    """
    return _read(body) if len(body) < _SHORT else Document(body)


@lru_cache(maxsize=32)
def _read(body: bytes) -> Document:
    return Document(body)


@lru_cache(maxsize=32)
def _known(query: str) -> tuple[OperationDefinitionNode, Fragments]:
    """As `_parse`: a document is read several times on its way, and tools send few different ones.

    Nobody changes what is parsed.
    """
    return _parse(query)


def _parse(query: str) -> tuple[OperationDefinitionNode, Fragments]:
    try:
        tree = parse(query, no_location=True, max_tokens=_MOST_TOKENS)
    except (GraphQLError, RecursionError) as error:
        what = error.message if isinstance(error, GraphQLError) else "it is nested too deeply"
        raise NotUnderstood(f"its GraphQL cannot be read: {what}") from None
    operations = [node for node in tree.definitions if isinstance(node, OperationDefinitionNode)]
    fragments = [node for node in tree.definitions if isinstance(node, FragmentDefinitionNode)]
    if len(operations) != 1 or len(operations) + len(fragments) != len(tree.definitions):
        raise NotUnderstood("a GraphQL request has exactly one operation")
    by_name = {node.name.value: node for node in fragments}
    if len(by_name) != len(fragments):
        raise NotUnderstood("a fragment is defined twice")
    return operations[0], by_name


def expand(selection: SelectionSetNode, fragments: Fragments) -> Iterator[FieldNode]:
    """Fields of a selection set, those inside fragments included. Raises `NotUnderstood` for rings."""
    for count, field in enumerate(_expand(selection, fragments, ())):
        if count > _MOST_FIELDS:
            raise NotUnderstood("its GraphQL selects too much")
        yield field


def _expand(
    selection: SelectionSetNode, fragments: Fragments, inside: tuple[str, ...]
) -> Iterator[FieldNode]:
    for node in selection.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _expand(node.selection_set, fragments, inside)
        elif isinstance(node, FragmentSpreadNode):
            name = node.name.value
            if name in inside or name not in fragments:
                raise NotUnderstood(f"the fragment {name} is missing, or contains itself")
            yield from _expand(fragments[name].selection_set, fragments, (*inside, name))
