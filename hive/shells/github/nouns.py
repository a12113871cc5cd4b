"""GitHub's JSON into hive's facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import ChangedFile, Check, Comment, Label, PullRequestRef, Review

_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:(?P<repo>[\w.-]+/[\w.-]+))?#(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
"""GitHub's closing keywords (docs: "Linking a pull request to an issue")."""


_KINDS = {"User": ActorKind.PERSON, "Bot": ActorKind.APP}
"""Organizations and mannequins are neither: what they do, nobody in particular did."""

Labelings = Mapping[str, tuple[Actor | None, datetime | None]]
"""By a label's name without case: who put it on last, and when."""

NO_LABELINGS: Labelings = MappingProxyType({})


def moment(text: str | None) -> datetime | None:
    """GitHub's time, aware, in UTC."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC) if text else None


def actor(user: Mapping[str, Any] | None, association: str | None = None) -> Actor | None:
    """An account; None for a deleted one. A login may not say what its type does not."""
    if not user or not user.get("login"):
        return None
    known = association if association in Association.__members__ else None
    return Actor(str(user["login"]), _KINDS.get(str(user.get("type"))), Association(known) if known else None)


def actor_of_node(node: Mapping[str, Any] | None, association: str | None = None) -> Actor | None:
    """As `actor`, of GraphQL's, whose logins of apps lack the ``[bot]`` that REST's have."""
    if not node:
        return None
    kind = node.get("__typename")
    suffix = "[bot]" if kind == "Bot" else ""
    return actor({"login": f"{node.get('login') or ''}{suffix}", "type": kind}, association)


def labelings(events: Iterable[Mapping[str, Any]]) -> Labelings:
    """Who put each label on last, as far as `events` (of the issue, in order) tell."""
    return {
        str(event["label"]["name"]).casefold(): (actor(event.get("actor")), moment(event.get("created_at")))
        for event in events
        if event.get("event") == "labeled" and event.get("label")
    }


def labelings_of_nodes(nodes: Iterable[Mapping[str, Any]]) -> Labelings:
    """As `labelings`, of GraphQL's LabeledEvents."""
    return {
        str(node["label"]["name"]).casefold(): (actor_of_node(node["actor"]), moment(node["createdAt"]))
        for node in nodes
    }


def labels(item: Mapping[str, Any], put_on: Labelings = NO_LABELINGS) -> tuple[Label, ...]:
    """The labels that an item has, with who put each on and when, where `put_on` tells."""
    names = [str(label["name"]) for label in item.get("labels") or ()]
    return tuple(Label(name, *put_on.get(name.casefold(), (None, None))) for name in names)


def comment(item: Mapping[str, Any]) -> Comment:
    created, updated = moment(item.get("created_at")), moment(item.get("updated_at"))
    return Comment(
        by=actor(item.get("user"), item.get("author_association")),
        at=created,
        edited_at=updated if updated != created else None,
        body=item.get("body") or "",
    )


def comment_of_node(node: Mapping[str, Any]) -> Comment:
    """As `comment`, of GraphQL's."""
    return Comment(
        by=actor_of_node(node["author"], node["authorAssociation"]),
        at=moment(node["createdAt"]),
        edited_at=moment(node["lastEditedAt"]),
        edited_by=actor_of_node(node["editor"]),
        body=node["body"] or "",
    )


def check_run(item: Mapping[str, Any]) -> Check:
    return Check(
        id=int(item["id"]),
        name=str(item["name"]),
        source="check",
        head=str(item["head_sha"]),
        status=str(item["status"]),
        conclusion=item.get("conclusion"),
        app=(item.get("app") or {}).get("slug"),
        app_id=(item.get("app") or {}).get("id"),
        completed_at=moment(item.get("completed_at")),
    )


def status(item: Mapping[str, Any], head: str) -> Check:
    """A commit status in the words of a check run: pending is under way, error is failure."""
    pending = item["state"] == "pending"
    conclusion = {"error": "failure"}.get(item["state"], item["state"])
    return Check(
        id=int(item["id"]),
        name=str(item["context"]),
        source="status",
        head=head,
        status="in_progress" if pending else "completed",
        conclusion=None if pending else conclusion,
        completed_at=None if pending else moment(item.get("updated_at")),
    )


def review(item: Mapping[str, Any]) -> Review:
    return Review(
        by=actor(item.get("user"), item.get("author_association")),
        state=str(item["state"]).lower(),
        head=item.get("commit_id"),
        at=moment(item.get("submitted_at")),
    )


def changed_file(item: Mapping[str, Any]) -> ChangedFile:
    return ChangedFile(path=str(item["filename"]), previous=item.get("previous_filename"))


def closes(text: str, repo: str) -> tuple[int, ...]:
    """Numbers of `repo`'s issues that a pull request's text says it closes."""
    return tuple(
        int(match["number"])
        for match in _CLOSES.finditer(text)
        if match["repo"] is None or match["repo"].casefold() == repo.casefold()
    )


def pull_state(item: Mapping[str, Any]) -> str:
    """open, closed or merged."""
    return "merged" if item.get("merged_at") or item.get("merged") else str(item["state"])


def claim(item: Mapping[str, Any]) -> PullRequestRef:
    return PullRequestRef(int(item["number"]), pull_state(item), actor(item.get("user")))
