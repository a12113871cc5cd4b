"""The status document as the dashboard reads it: what is missing or unknown never stops the reading.

A newer or older supervisor may write other keys than these; its document is still worth showing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the document; every key may be missing."""


class TaskOf(_Part, frozen=True, kw_only=True):
    id: str = ""
    repo: str = ""
    issue: int | None = None
    title: str | None = None
    branch: str | None = None


class PauseOf(_Part, frozen=True, kw_only=True):
    by: str = ""
    why: str | None = None
    at: datetime | None = None


class Agent(_Part, frozen=True, kw_only=True):
    """`state` is one of `facts.agents.AgentState`, or a newer word that is shown as it is."""

    name: str
    role: str = ""
    backend: str = ""
    mode: str | None = None
    level: int | None = None
    state: str = "unseen"
    detail: str | None = None
    since: datetime | None = None
    task: TaskOf | None = None
    paused: PauseOf | None = None
    starts: int = 0
    repos: tuple[str, ...] = ()
    session: str | None = None
    attach: str | None = None
    options: tuple[str, ...] = ()
    """Of the box on its screen."""


class Work(_Part, frozen=True, kw_only=True):
    repo: str
    number: int
    title: str | None = None
    eligible: bool = False
    rank: int | None = None
    lane: str | None = None
    because: str | None = None
    agent: str | None = None
    task: str | None = None
    attempts: int = 0


class Obstacle(_Part, frozen=True, kw_only=True):
    code: str = ""
    subject: str | None = None
    because: str = ""
    until: datetime | None = None


class Pull(_Part, frozen=True, kw_only=True):
    repo: str
    number: int
    title: str | None = None
    url: str | None = None
    agent: str | None = None
    issue: int | None = None
    head: str | None = None
    state: str = "open"
    draft: bool = False
    held: bool = False
    labels: tuple[str, ...] = ()
    verdict: str | None = None
    obstacles: tuple[Obstacle, ...] = ()


class Finding(_Part, frozen=True, kw_only=True):
    id: str
    agent: str = ""
    repo: str = ""
    issue: int | None = None
    title: str | None = None
    at: datetime | None = None


class Refusal(_Part, frozen=True, kw_only=True):
    agent: str = ""
    action: str = ""
    target: str = ""
    rule: str = ""
    at: datetime | None = None


class Port(_Part, frozen=True, kw_only=True):
    name: str
    state: str = "ok"
    message: str | None = None
    since: datetime | None = None
    abandoned: int = 0


class Need(_Part, frozen=True, kw_only=True):
    """Something that waits for a person (`facts.needs.Need`)."""

    kind: str = ""
    about: str = ""
    text: str | None = None
    command: str = ""
    since: datetime | None = None


class Hold(_Part, frozen=True, kw_only=True):
    """Something that an agent wants to do and that waits for a person (`decisions.holds.rows`)."""

    id: str
    state: str = ""
    agent: str = ""
    action: str = ""
    target: str = ""
    rule: str = ""
    because: str = ""
    shown: str = ""
    until: datetime | None = None


class Incident(_Part, frozen=True, kw_only=True):
    """What hive's account did without hive (`decisions.incident_rows`)."""

    id: str
    state: str = ""
    kind: str = ""
    where: str = ""
    repo: str = ""
    evidence: str = ""
    agent: str | None = None


class Fleet(_Part, frozen=True, kw_only=True):
    """Everything of one status document; `unread` names the parts that made no sense."""

    at: datetime | None = None
    tick: int | None = None
    pid: int | None = None
    level: int | None = None
    level_name: str | None = None
    settled: bool = False
    state: str | None = None
    verdict: str | None = None
    agents: tuple[Agent, ...] = ()
    work: tuple[Work, ...] = ()
    pull_requests: tuple[Pull, ...] = ()
    findings: tuple[Finding, ...] = ()
    refused: tuple[Refusal, ...] = ()
    ports: tuple[Port, ...] = ()
    needs: tuple[Need, ...] = ()
    holds: tuple[Hold, ...] = ()
    incidents: tuple[Incident, ...] = ()
    unread: tuple[str, ...] = ()


def read(document: Mapping[str, Any]) -> Fleet:
    """The document as a `Fleet`; a part of a wrong shape is left out and named in `unread`."""
    try:
        return msgspec.convert(dict(document), Fleet, strict=False)
    except msgspec.ValidationError:
        return _read_by_parts(document)


def read_json(document: bytes) -> Fleet:
    """The same for what the journal holds. Raises `ValueError` for what is no JSON object."""
    decoded = msgspec.json.decode(document)
    if not isinstance(decoded, dict):
        raise ValueError("the published status is no JSON object")
    return read(decoded)


def _read_by_parts(document: Mapping[str, Any]) -> Fleet:
    parts: dict[str, Any] = {}
    unread = []
    for field in msgspec.structs.fields(Fleet):
        if field.name not in document:
            continue
        try:
            parts[field.name] = msgspec.convert(document[field.name], field.type, strict=False)
        except msgspec.ValidationError:
            unread.append(field.name)
    return msgspec.structs.replace(Fleet(**parts), unread=tuple(unread))
