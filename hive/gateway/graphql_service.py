"""GraphQL requests that were ruled on: passed on, but for new pull requests, which hive opens itself."""

from __future__ import annotations

from hive.decisions.requests import NotUnderstood, Request
from hive.decisions.requests.graphql_document import Document, read_document
from hive.facts.autonomy import Action
from hive.gateway import answers, creation_answer, creations, rulings
from hive.gateway.installations import Installations
from hive.gateway.opening import Openings
from hive.gateway.published import Words
from hive.gateway.rewriting import written_document
from hive.gateway.rulings import Ruled
from hive.gateway.selections import has_directives
from hive.gateway.upstream import Reply, Upstream
from hive.gateway.wire import Response
from hive.gateway.writes import Writes
from hive.ports.authority import Identity

_UNDIRECTED = "hive opens a pull request itself; ask for it without directives such as @skip"
_ALONE = "open one pull request in one request, and nothing else"


class GraphqlService:
    """Thread-safe."""

    def __init__(
        self,
        upstream: Upstream,
        openings: Openings,
        writes: Writes,
        installations: Installations | None = None,
    ) -> None:
        self._writes = writes
        self._installations = installations or Installations()
        self._upstream = upstream
        self._openings = openings

    def answer(
        self, identity: Identity, request: Request, ruled: Ruled, words: Words, request_id: str
    ) -> Response:
        """Do what was allowed. Raises `WorldError`, `JournalError`."""
        document = read_document(request.body)
        if ruled.only(Action.OPEN_PR) is not None:
            return self._open(identity, document, ruled)
        try:
            repo = self._installations.only(rulings.repository_of(one.target) for one in ruled.asked)
        except NotUnderstood as reason:
            return answers.graphql_refusal(f"hive: {reason}")
        body = document.body
        writes = any(operation.action is not Action.READ for operation, _ in ruled.operations)
        if writes:
            try:
                body = written_document(document, words)
            except NotUnderstood as reason:
                return answers.graphql_refusal(str(reason))
        self._openings.hold_targets(ruled)
        reply = (
            self._writes.send(
                identity,
                request_id,
                creations.of_graphql(document, ruled.asked, words),
                lambda: self._upstream.graphql(body, request.headers, writes=True, repo=repo),
                _made_already,
            )
            if writes
            else self._upstream.graphql(body, request.headers, writes=False, repo=repo)
        )
        return Response(reply.status, reply.headers, reply.body)

    def _open(self, identity: Identity, document: Document, ruled: Ruled) -> Response:
        fields = document.root_fields()
        operation = ruled.operations[0][0]
        if len(fields) != 1 or operation.opens is None:
            return answers.graphql_refusal(_ALONE)
        if has_directives([document.operation, *document.fragments.values()]):
            return answers.graphql_refusal(_UNDIRECTED)
        opened = self._openings.open(identity, operation.opens, held=ruled.held(Action.OPEN_PR))
        if opened.reply is not None:
            return _as_graphql(opened.reply)
        query = creation_answer.pull_request_query(document, fields[0], opened.node_id)
        if query is None:
            return answers.as_json(200, creation_answer.payload(document, fields[0], {}))
        reply = self._upstream.graphql(query, writes=False, repo=operation.opens.repo)
        value = reply.json()
        data = value.get("data") if isinstance(value, dict) else None
        if not isinstance(data, dict):
            return Response(reply.status, reply.headers, answers.as_json(200, value).body)
        return answers.as_json(200, creation_answer.payload(document, fields[0], data))


def _made_already(where: str) -> Reply:
    """For what was made though no answer came; its fields are not known in the shape that was asked for."""
    said = answers.graphql_refusal(f"that was done already, do not repeat it: {where}")
    assert isinstance(said.body, bytes)
    return Reply(200, said.headers, said.body)


def _as_graphql(reply: Reply) -> Response:
    """A refusal that the forge gave by REST, for a tool that asked by GraphQL."""
    value = reply.json()
    said = str(value.get("message", "")) if isinstance(value, dict) else ""
    errors = value.get("errors") if isinstance(value, dict) else None
    more = [str(item.get("message", "")) for item in errors or [] if isinstance(item, dict)]
    message = "; ".join(part for part in [said, *more] if part) or f"the forge answered {reply.status}"
    kind = "UNPROCESSABLE" if reply.status == 422 else "FORBIDDEN"
    return answers.as_json(200, {"data": None, "errors": [{"type": kind, "message": message}]})
