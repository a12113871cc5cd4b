"""GraphQL: every root field of the one operation is ruled on.

Names prove nothing (`mutation IssueCreate { mergePullRequest … }` merges): only the parsed root fields
and their arguments count.
"""

from __future__ import annotations

from graphql import FieldNode, OperationType

from hive.decisions.requests import graphql_reads, mutations
from hive.decisions.requests.graphql_document import Document, read_document
from hive.decisions.requests.model import Caller, Facts, NotUnderstood, Operation
from hive.decisions.requests.request import Request


def classify(request: Request, query: str, caller: Caller, facts: Facts) -> tuple[Operation, ...]:
    """The operations of a GraphQL request. Raises `NotUnderstood`."""
    if request.method != "POST" or query:
        raise NotUnderstood("GraphQL is asked by POST, without a query string")
    document = read_document(request.body)
    kind = document.operation.operation
    if kind is OperationType.QUERY:
        return graphql_reads.classify(document, caller, facts)
    if kind is not OperationType.MUTATION:
        raise NotUnderstood("subscriptions are not for agents")
    found: list[Operation] = []
    for field in document.root_fields():
        if field.name.value != "__typename":
            graphql_reads.check_selection(field, document, caller, facts)
            found += mutations.classify(field.name.value, input_of(document, field), caller, facts)
    if not found:
        raise NotUnderstood("it changes nothing")
    return tuple(found)


def input_of(document: Document, field: FieldNode) -> dict[str, object]:
    """The only argument of a mutation. Raises `NotUnderstood`."""
    names = [argument.name.value for argument in field.arguments or ()]
    value = document.argument(field, "input")
    if names != ["input"] or not isinstance(value, dict):
        raise NotUnderstood(f"{field.name.value} takes exactly one input")
    return value
