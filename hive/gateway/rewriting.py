"""What an agent publishes is defused and carries hive's hidden marker: under one account, nothing else
tells it apart."""

from __future__ import annotations

from graphql import FieldNode, print_ast

from hive.decisions.requests import NotUnderstood
from hive.decisions.requests.graphql import input_of
from hive.decisions.requests.graphql_document import Document, JsonObject
from hive.gateway.published import Words
from hive.gateway.selections import reached_fragments, used_variables

_LINES = ("title", "message", "headline", "commit_title", "commit_message", "commitHeadline", "commitBody")


def written_fields(value: object, words: Words, *, new_issue: bool = False) -> object:
    """A body of JSON with all that it says as `words` has it, a review's comments too.

    An unmarked body could carry the marker of another agent, and a new issue without one would be nobody's.
    """
    if not isinstance(value, dict):
        return value
    written = dict(value)
    body = value.get("body")
    if (isinstance(body, str) and body) or (new_issue and not body):
        written["body"] = words.body(body or "")
    for key in _LINES:
        if isinstance(value.get(key), str):
            written[key] = words.line(value[key])
    for key in ("comments", "threads"):
        if isinstance(value.get(key), list):
            written[key] = [written_fields(item, words) for item in value[key]]
    if isinstance(value.get("message"), dict):
        # Of `createCommitOnBranch`: no Markdown, and no place for a marker.
        written["message"] = {
            key: words.line(part) if isinstance(part, str) else part for key, part in value["message"].items()
        }
    return written


def written_document(document: Document, words: Words) -> JsonObject:
    """A mutation's request body, written anew where an input says something.

    Raises `NotUnderstood` where that cannot be done with certainty.
    """
    fields = document.root_fields()
    inputs: dict[int, JsonObject] = {
        index: written
        for index, field in enumerate(fields)
        if field.arguments
        and (written := _written(given := input_of(document, field), field, words)) != given
    }
    if not inputs:
        return document.body
    if any(not isinstance(node, FieldNode) for node in document.operation.selection_set.selections):
        raise NotUnderstood("write the fields of the mutation itself, not in fragments")
    variables: JsonObject = {f"hive{index}": written for index, written in inputs.items()}
    parts = [_field(field, f"hive{index}" if index in inputs else None) for index, field in enumerate(fields)]
    return _request(document, fields, inputs, parts, variables)


def _written(given: JsonObject, field: FieldNode, words: Words) -> JsonObject:
    written = written_fields(given, words, new_issue=field.name.value == "createIssue")
    assert isinstance(written, dict)
    return written


def _field(field: FieldNode, variable: str | None) -> str:
    if variable is None:
        return print_ast(field)
    key = f"{field.alias.value}: " if field.alias else ""
    directives = " ".join(print_ast(directive) for directive in field.directives or ())
    selection = print_ast(field.selection_set) if field.selection_set else ""
    return f"{key}{field.name.value}(input: ${variable}) {directives} {selection}"


def _request(
    document: Document,
    fields: tuple[FieldNode, ...],
    inputs: dict[int, JsonObject],
    parts: list[str],
    variables: JsonObject,
) -> JsonObject:
    kept = [selection for index in inputs if (selection := fields[index].selection_set)]
    others = [field for index, field in enumerate(fields) if index not in inputs]
    directives = [d for field in fields for d in field.directives or ()]
    fragments = reached_fragments([*kept, *others], document)
    used = used_variables([*kept, *others, *directives, *fragments])
    declared = [
        print_ast(definition)
        for definition in document.operation.variable_definitions or ()
        if definition.variable.name.value in used
    ]
    # GitHub names each mutation's input after the mutation.
    declared += [
        f"$hive{index}: {fields[index].name.value[0].upper()}{fields[index].name.value[1:]}Input!"
        for index in inputs
    ]
    query = f"mutation({', '.join(declared)}) {{ {' '.join(parts)} }}"
    given = {name: value for name, value in document.variables.items() if name in used}
    return {
        "query": "\n".join([query, *(print_ast(fragment) for fragment in fragments)]),
        "variables": {**given, **variables},
    }
