"""`hive acmm request FILE`: what the gateway would do with one raw HTTP request of an agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from hive import documents
from hive.decisions.autonomy import AutonomyTable, check_role, rule
from hive.decisions.requests import (
    Caller,
    Listed,
    Node,
    NotUnderstood,
    Operation,
    classify,
    not_understood,
)
from hive.decisions.requests.raw import parse_request
from hive.documents.models import StrictModel, first_error
from hive.documents.values import Whole
from hive.errors import ConfigError
from hive.facts.actors import ActorKind
from hive.facts.agents import is_agent_name
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.verdicts import Ruling, Verdict, strictest
from hive.settings.acmm import load_table
from hive.surfaces.acmm import level_of
from hive.surfaces.shapes import Answer, Name

_LARGEST = 64 * 1024 * 1024
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")

NodeKind = Literal[
    "repository", "pull-request", "issue", "comment", "review", "thread", "ref", "label", "user"
]


class NodeShape(StrictModel):
    """What an id or a number stands for; what is left out or null is not known."""

    kind: NodeKind
    repo: Name | None = None
    number: Whole | None = None
    author: Name | None = None
    author_kind: ActorKind | None = None
    head: Name | None = None
    base: Name | None = None
    labels: list[Name] | None = None
    name: Name | None = None

    def fact(self) -> Node:
        return Node(
            kind=self.kind,
            repo=self.repo or "",
            number=self.number,
            author=self.author,
            author_kind=None if self.author_kind is None else self.author_kind.value,
            head=self.head,
            base=self.base,
            labels=None if self.labels is None else tuple(self.labels),
            name=self.name,
        )


class OperationAnswer(Answer):
    action: Action
    target: str
    ruling: Ruling
    rule: str
    because: str


class RequestAnswer(Answer):
    """The output of `hive acmm request`; the ruling is the strictest of the operations."""

    ruling: Ruling
    operations: list[OperationAnswer]


def acmm_request(
    data: bytes,
    *,
    level: str,
    role: str,
    agent: str = "agent",
    repo: str = "o/r",
    nodes: bytes | None = None,
    nodes_source: str = "-",
) -> tuple[dict[str, Any], int]:
    """Rule on the raw request `data`; `nodes` is the content of a facts file.

    Returns the answer and the exit code: 0 for allow, 1 else. Raises `ConfigError` for bad options and a
    bad facts file; a request that cannot be read is denied as `unknown`, and no error.
    """
    table, at = load_table(), level_of(level)
    caller = _caller(table, role, agent, repo)
    facts = Listed(read_nodes(nodes, nodes_source) if nodes is not None else {})
    operations = _operations(data, caller, facts)
    answers = [_answer(operation, _verdict(table, at, role, operation)) for operation in operations]
    ruling = strictest(Verdict(each.ruling, each.rule, each.because) for each in answers).ruling
    answer = RequestAnswer(ruling=ruling, operations=answers)
    return answer.model_dump(mode="json"), 0 if ruling is Ruling.ALLOW else 1


def _caller(table: AutonomyTable, role: str, agent: str, repo: str) -> Caller:
    check_role(table, role)
    if not is_agent_name(agent):
        raise ConfigError(f"'{agent}' is no agent's name; use lower case letters, digits and inner hyphens")
    if not _REPO.fullmatch(repo):
        raise ConfigError(f"'{repo}' is no repository; write OWNER/NAME")
    return Caller(agent=agent, repos=(repo,))


def _operations(data: bytes, caller: Caller, facts: Listed) -> tuple[Operation, ...]:
    if len(data) > _LARGEST:
        return (not_understood(caller, f"it is larger than {_LARGEST >> 20} MiB"),)
    try:
        return classify(parse_request(data), caller, facts)
    except NotUnderstood as reason:
        return (not_understood(caller, str(reason)),)


def _verdict(table: AutonomyTable, level: AcmmLevel, role: str, operation: Operation) -> Verdict:
    if operation.refused_by:
        return Verdict(Ruling.DENY, operation.refused_by, operation.because)
    return rule(table, level, role, operation.action).verdict


def _answer(operation: Operation, verdict: Verdict) -> OperationAnswer:
    return OperationAnswer(
        action=operation.action,
        target=operation.target,
        ruling=verdict.ruling,
        rule=verdict.rule,
        because=verdict.because,
    )


def read_nodes(data: bytes, source: str) -> Mapping[str, Node]:
    """The facts file: ids and ``o/r#7`` to what they are. Raises `ConfigError`."""
    document = documents.read(data, source)
    if not isinstance(document.value, dict):
        raise document.error("a mapping of ids to what they are is expected here")
    found: dict[str, Node] = {}
    for key, value in document.value.items():
        if not isinstance(value, dict):
            raise document.error(f"{key}: a mapping of keys is expected here", (key,))
        try:
            found[key] = NodeShape.model_validate(value).fact()
        except ValidationError as error:
            raise first_error(document, NodeShape, error, at=(key,)) from error
        if "#" in key and found[key].target.lower() != key.lower():
            raise document.error(f"{key}: its repo and number say {found[key].target}", (key,))
    return found


def render_request(answer: Mapping[str, Any]) -> str:
    """The same facts for a person."""
    lines = [str(answer["ruling"])]
    lines += [
        f"  {each['ruling']}: {each['action']} {each['target']}: {each['because']} [{each['rule']}]"
        for each in answer["operations"]
    ]
    return "\n".join(lines)
