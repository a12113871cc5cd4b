"""Requests as bytes: REST, GraphQL, and git's own, with no tool in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.gateway.place import REPO

ZEROS = "0" * 40


@dataclass(frozen=True)
class Call:
    """Attributes:
    value: The body before it is JSON, for tools that write it themselves.
    """

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    value: object = None


def rest(method: str, below: str, value: object = None, **headers: str) -> Call:
    """A REST request below the repository."""
    path = f"/repos/{REPO}{below}"
    return Call(method, path, None if value is None else json.dumps(value).encode(), headers, value)


def finding(title: str) -> Call:
    """What an agent tells hive itself."""
    value = {"repo": REPO, "title": title}
    return Call("POST", "/v1/findings", json.dumps(value).encode(), {"Host": "hive"}, value)


def graphql(field_name: str, given: Mapping[str, object], answer: str = "clientMutationId") -> Call:
    """One mutation, its input in a variable as tools send it."""
    kind = f"{field_name[0].upper()}{field_name[1:]}Input!"
    query = f"mutation($i: {kind}) {{ {field_name}(input: $i) {{ {answer} }} }}"
    return document(query, {"i": dict(given)})


def document(query: str, variables: object = None) -> Call:
    value = {"query": query, "variables": variables or {}}
    return Call("POST", "/graphql", json.dumps(value).encode(), {}, value)


def push(*updates: tuple[str, str, str], options: str = "") -> Call:
    """A push of ``(REF, OLD, NEW)`` that brings no objects: what it points at is there already."""
    offered = f" report-status side-band-64k{options}"
    lines = [f"{old or ZEROS} {new or ZEROS} {ref}" for ref, old, new in updates]
    body = b"".join(
        _packet(line.encode() + (b"\0" + offered.encode() if not index else b""))
        for index, line in enumerate(lines)
    )
    body += b"0000"
    if any(new for _, _, new in updates):
        pack = b"PACK" + (2).to_bytes(4, "big") + (0).to_bytes(4, "big")
        body += pack + hashlib.sha1(pack, usedforsecurity=False).digest()
    headers = {"Host": "github.com", "Content-Type": "application/x-git-receive-pack-request"}
    return Call("POST", f"/{REPO}.git/git-receive-pack", body, headers)


def _packet(data: bytes) -> bytes:
    return b"%04x%b" % (len(data) + 4, data)
