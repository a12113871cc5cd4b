"""One good caller, some known things, and requests as an agent's tools send them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hive.decisions.requests import Caller, Listed, Node, Operation, Request, classify

CALLER = Caller(agent="quality", repos=("o/r",))

OWN_PULL = Node(
    "pull-request", "o/r", 7, "quality", "agent", head="hive/quality/x", base="main", labels=("bug", "Hold")
)
OTHERS_PULL = Node(
    "pull-request", "o/r", 8, "scanner", "agent", head="hive/scanner/y", base="main", labels=()
)
PERSONS_PULL = Node("pull-request", "o/r", 9, "ada", "person", head="ada/z", base="main", labels=())
OWN_ISSUE = Node("issue", "o/r", 4, "quality", "agent", labels=("bug",))
PERSONS_ISSUE = Node("issue", "o/r", 5, "ada", "person", labels=("bug",))

NODES: Mapping[str, Node] = {
    "R_1": Node("repository", "o/r"),
    "R_2": Node("repository", "other/place"),
    "PR_7": OWN_PULL,
    "PR_8": OTHERS_PULL,
    "PR_9": PERSONS_PULL,
    "I_4": OWN_ISSUE,
    "I_5": PERSONS_ISSUE,
    "I_X": Node("issue", "other/place", 1, "quality", "agent", labels=()),
    "L_hold": Node("label", "o/r", name="HOLD"),
    "L_bug": Node("label", "o/r", name="bug"),
    "C_own": Node("comment", "o/r", 5, "quality", "agent"),
    "C_ada": Node("comment", "o/r", 5, "ada", "person"),
    "T_own": Node("thread", "o/r", 8, "quality", "agent"),
    "T_ada": Node("thread", "o/r", 8, "ada", "person"),
    "V_8": Node("review", "o/r", 8, "quality", "agent"),
    "REF_own": Node("ref", "o/r", name="refs/heads/hive/quality/x2"),
    "REF_main": Node("ref", "o/r", name="refs/heads/main"),
    "U_1": Node("user"),
    "o/r/issues/comments/11": Node("comment", "o/r", 5, "quality", "agent"),
    "o/r/issues/comments/12": Node("comment", "o/r", 5, "ada", "person"),
}
FACTS = Listed(NODES)

Told = list[tuple[str, str]]


def told(operations: tuple[Operation, ...]) -> Told:
    """Action and target of each; `!` before the action where the request is refused by itself."""
    return [(("!" if o.refused_by else "") + o.action.value, o.target) for o in operations]


def rest(method: str, path: str, body: object = None, *, host: str = "api.github.com") -> Told:
    data = b"" if body is None else json.dumps(body).encode()
    request = Request(method, path, (("Host", host), ("Content-Length", str(len(data)))), data)
    return told(classify(request, CALLER, FACTS))


def graphql(query: str, variables: object = None, **more: object) -> Told:
    data = json.dumps({"query": query, "variables": variables or {}, **more}).encode()
    request = Request("POST", "/graphql", (("Host", "api.github.com"),), data)
    return told(classify(request, CALLER, FACTS))


def mutation(field: str, given: Mapping[str, object]) -> Told:
    """One mutation, its input in a variable as gh sends it."""
    return graphql(f"mutation($i: X!) {{ {field}(input: $i) {{ clientMutationId }} }}", {"i": given})


UNKNOWN: Told = [("!unknown", "o/r")]
