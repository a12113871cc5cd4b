"""The answer to `createPullRequest` in the shape that the agent's tool asked for."""

from __future__ import annotations

import json

from graphql import FieldNode, print_ast

from hive.decisions.requests.graphql_document import Document, JsonObject
from hive.gateway.selections import reached_fragments, used_variables


def pull_request_query(document: Document, field: FieldNode, node_id: str) -> JsonObject | None:
    """A query for what `field` selects of the pull request; `None` where it selects nothing of it.

    Each selection of ``pullRequest`` keeps its response key.
    """
    wanted = [child.selection_set for child in document.below(field) if child.selection_set]
    keys = [_key(child) for child in document.below(field) if child.selection_set]
    if not wanted:
        return None
    fragments = reached_fragments(wanted, document)
    used = used_variables([*wanted, *fragments])
    parameters = ", ".join(
        print_ast(definition)
        for definition in document.operation.variable_definitions or ()
        if definition.variable.name.value in used
    )
    parts = [
        f"{key}: node(id: {json.dumps(node_id)}) {{ ... on PullRequest {print_ast(selection)} }}"
        for key, selection in zip(keys, wanted, strict=True)
    ]
    text = f"query{f'({parameters})' if parameters else ''} {{ {' '.join(parts)} }}"
    query = "\n".join([text, *(print_ast(fragment) for fragment in fragments)])
    return {"query": query, "variables": {k: v for k, v in document.variables.items() if k in used}}


def _key(field: FieldNode) -> str:
    return field.alias.value if field.alias else field.name.value


def payload(document: Document, field: FieldNode, pull: JsonObject) -> JsonObject:
    """The response body of the mutation; `pull` holds the pull request under each response key."""
    result: JsonObject = {}
    for child in document.below(field):
        name = child.name.value
        if name == "pullRequest":
            result[_key(child)] = pull.get(_key(child))
        elif name == "clientMutationId":
            given = document.argument(field, "input")
            result[_key(child)] = given.get("clientMutationId") if isinstance(given, dict) else None
        elif name == "__typename":
            result[_key(child)] = "CreatePullRequestPayload"
    return {"data": {_key(field): result}}
