"""The document of `hive check` for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def render(document: Mapping[str, Any]) -> str:
    """Return `check.check_document`'s answer as text, without a newline at its end."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    github, gateway = document["github"], document["gateway"]
    port = f"port {gateway['port']}" if gateway["port"] else "any free port"
    yield f"{document['source']}: L{document['level']} ({document['level_name']})"
    yield f"  forge    {github['api_url']}, credential from {github['credential']}"
    for one in document["models"]:
        yield f"  models   {one['name']}: {one['base_url']} ({one['dialect']}), key from {one['credential']}"
    yield f"  gateway  {gateway['host']}, {port}; holds with the label '{gateway['hold_label']}'"
    if gateway["approval_label"]:
        yield f"  approve  trusted persons, by the label '{gateway['approval_label']}' as well"
    if document["incidents"]["shared_account"]:
        yield "  account  shared with a person: what hive's account does without hive is noted, no incident"
    yield from _isolation(document["isolation"])
    yield from _fleet(document["fleet"])
    if gateway["pods"]:
        pods = gateway["pods"]
        yield f"  pods     reach it at {pods['address']}; it listens on {pods['listen']}"
    if document["guardrails"]:
        yield f"  guards   {', '.join(document['guardrails'])}"
    yield f"  state    {document['state']}"
    yield f"  looks    every {document['tick']}, asks the forge every {document['poll']}"
    yield ""
    yield from _repositories(document["repositories"])
    yield from _started([agent for agent in document["agents"] if agent["started"]])
    yield from _section(
        "Fall back while limited",
        [
            f"{agent['name']}: {', then '.join(agent['fallback'])}"
            for agent in document["agents"]
            if agent["fallback"]
        ],
    )
    yield from _modes(document["modes"])
    yield from _section(
        "Not started",
        [f"{agent['name']}: {agent['because']}" for agent in document["agents"] if not agent["started"]],
    )
    yield from _section(
        "Raised above the table",
        [f"{one['role']} at L{one['level']} to {one['mode']}: {one['why']}" for one in document["raised"]],
    )
    yield from _section("Rejected", [one["message"] for one in document["rejected"]])
    yield _summary(document)


def _isolation(isolation: Mapping[str, Any]) -> Iterator[str]:
    taken = isolation["taken"]
    if taken is None and not isolation["because"]:
        return
    out = "the machine's own network"
    if isolation["network"] == "gateway":
        out = ", ".join(["hive's gateway", *isolation["allow"]])
    if taken == "none":
        yield "  isolation NONE: agents run as hive's own user, with all that it may do"
    elif taken is not None:
        yield f"  isolation {taken}; the way out is {out}"
    if isolation["because"]:
        told = "less than asked for" if taken is not None else "local agents are not started"
        yield f"  problem  {told}: {isolation['because']}"
        yield f"           remedy: {isolation['remedy']}"


def _fleet(fleet: Mapping[str, Any] | None) -> Iterator[str]:
    if fleet is None:
        return
    members = ", ".join(
        each["name"] if each["name"] == each["context"] else f"{each['name']} ({each['context']})"
        for each in fleet["members"]
    )
    yield f"  fleet    hub {fleet['hub']}; members {members}; requests in namespace {fleet['namespace']}"
    inventory = f"; inventory from {fleet['inventory']}" if fleet["inventory"] else ""
    yield f"  clusters from {fleet['kubeconfig']}{inventory}; a look counts for {fleet['stale_after']}"
    yield from (f"  problem  {each['object']}: {each['message']}" for each in fleet["problems"])


def _repositories(repositories: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    rows = [["repository", "level", "merged by", "required checks", "approvals"]]
    rows += [
        [one["name"], f"L{one['level']}", one["merge_method"], _required(one), str(one["approvals"])]
        for one in repositories
    ]
    yield from _table(rows)


def _required(repository: Mapping[str, Any]) -> str:
    if repository["required"] is None:
        return "every one"
    return ", ".join(repository["required"]) or "none"


def _started(agents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    rows = [["agent", "role", "backend", "repository", "level", "mode", "lanes"]]
    for agent in agents:
        rows += [
            [
                agent["name"],
                agent["role"],
                agent["backend"],
                place["name"],
                f"L{place['level']}",
                place["mode"] or "not started",
                ", ".join(agent["lanes"]) or "any",
            ]
            for place in agent["repositories"]
        ]
    if agents:
        yield from _table(rows)


def _modes(modes: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    for name, grants in modes.items():
        yield f"{name}: {', '.join(grants['allow'])}"
        if grants["hold"]:
            yield f"  with hive's hold: {', '.join(grants['hold'])}"
    if modes:
        yield ""


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)
        yield ""


def _summary(document: Mapping[str, Any]) -> str:
    started = sum(agent["started"] for agent in document["agents"])
    idle = len(document["agents"]) - started
    rejected = sum(len(one["names"]) for one in document["rejected"])
    parts = [f"{started} started", *([f"{idle} not started"] if idle else [])]
    return f"agents: {', '.join([*parts, f'{rejected} rejected'] if rejected else parts)}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell, and an empty line."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""
