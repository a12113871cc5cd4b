"""What only an issue's history tells: who put on which label, when title and body were last edited.

One GraphQL query tells it of fifty issues; it is asked again when GitHub lists an issue otherwise than
before. Where GraphQL does not answer, REST is asked issue by issue; it does not know of edits of bodies,
so that the last change of the whole issue stands for one: what is not known counts as edited.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from hive.errors import Refused, Unreachable
from hive.facts.actors import Actor
from hive.facts.forge import Comment
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.nouns import Labelings
from hive.shells.github.queries import ISSUE_HISTORIES

_AT_ONCE = 50
"""Issues of one query (chosen: with 100 comments each, well under GitHub's bounds on nodes and time)."""

_FRESH = timedelta(minutes=10)
"""How long a history is believed of an issue that is listed as before (chosen): GitHub does not promise
that an edit of a comment shows in the list."""


@dataclass(frozen=True, slots=True)
class History:
    """Title and body are of the same moment as the times of their edits."""

    title: str
    body: str
    title_edited_at: datetime | None = None
    edited_at: datetime | None = None
    title_edited_by: Actor | None = None
    edited_by: Actor | None = None
    labelings: Labelings = field(default_factory=lambda: nouns.NO_LABELINGS)
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True)
class _Known:
    listed: bytes
    at: datetime
    history: History


class Histories:
    """Of open issues, given as REST lists them; by repository and number."""

    def __init__(self, calls: Calls, now: Callable[[], datetime]) -> None:
        self._calls = calls
        self._now = now
        self._known: dict[tuple[str, int], _Known] = {}

    def of(self, repo: str, issues: Sequence[Mapping[str, Any]]) -> dict[int, History]:
        """One for each. What is known of issues of `repo` that are not among them is dropped."""
        found = {int(item["number"]): self._at_hand(repo, item) for item in issues}
        wanted = [item for item in issues if found[int(item["number"])] is None]
        told = dict(self._told(repo, wanted))
        at = self._now()
        for item in wanted:
            number = int(item["number"])
            history = told.get(number)
            if history is not None:
                self._known[repo, number] = _Known(_digest(item), at, history)
            found[number] = history or self._piecemeal(repo, item)
        self._known = {key: one for key, one in self._known.items() if key[0] != repo or key[1] in found}
        return {number: history for number, history in found.items() if history is not None}

    def _at_hand(self, repo: str, item: Mapping[str, Any]) -> History | None:
        """The history of an issue to which nothing happened since it is known, or ever."""
        untouched = item.get("updated_at") == item.get("created_at")
        if untouched and not item.get("labels") and not item.get("comments"):
            return History(item.get("title") or "", item.get("body") or "")
        known = self._known.get((repo, int(item["number"])))
        if known is None or known.listed != _digest(item) or self._now() - known.at > _FRESH:
            return None
        return known.history

    def _told(self, repo: str, items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, History]]:
        """What GraphQL tells; nothing more once it does not answer. Raises `Throttled`."""
        for start in range(0, len(items), _AT_ONCE):
            listed = {
                str(one["node_id"]): one for one in items[start : start + _AT_ONCE] if one.get("node_id")
            }
            try:
                nodes = self._calls.query(ISSUE_HISTORIES, {"ids": list(listed)})["nodes"]
            except (Refused, Unreachable, KeyError):
                return
            for item, node in zip(listed.values(), nodes or (), strict=False):
                history = _history(item, node)
                if history is not None and len(history.comments) < int(item.get("comments") or 0):
                    history = replace(history, comments=self._comments(repo, item))
                if history is not None:
                    yield int(item["number"]), history

    def _comments(self, repo: str, item: Mapping[str, Any]) -> tuple[Comment, ...]:
        if not item.get("comments"):
            return ()
        pages = self._calls.pages(f"/repos/{repo}/issues/{item['number']}/comments")
        return tuple(map(nouns.comment, pages))

    def _piecemeal(self, repo: str, item: Mapping[str, Any]) -> History:
        latest = nouns.moment(item.get("updated_at")) or self._now()
        known = History(
            title=item.get("title") or "",
            body=item.get("body") or "",
            title_edited_at=latest,
            edited_at=latest,
            comments=self._comments(repo, item),
        )
        if not item.get("labels"):
            return known
        events = self._calls.pages(f"/repos/{repo}/issues/{item['number']}/events")
        renamed = [nouns.moment(one.get("created_at")) for one in events if one.get("event") == "renamed"]
        return replace(
            known,
            title_edited_at=max((at for at in renamed if at is not None), default=None),
            labelings=nouns.labelings(events),
        )


def _history(item: Mapping[str, Any], node: Any) -> History | None:
    """What a GraphQL node tells of an issue; `None` where it lacks something, or is older than the list."""
    try:
        if node["number"] != item["number"] or node["updatedAt"] < item["updated_at"]:
            return None
        renamed = next(iter(node["renamings"]["nodes"][-1:]), None)
        return History(
            title=node["title"],
            body=node["body"] or "",
            title_edited_at=nouns.moment(renamed["createdAt"]) if renamed else None,
            edited_at=nouns.moment(node["lastEditedAt"]),
            title_edited_by=nouns.actor_of_node(renamed["actor"]) if renamed else None,
            edited_by=nouns.actor_of_node(node["editor"]),
            labelings=nouns.labelings_of_nodes(node["labelings"]["nodes"]),
            comments=tuple(map(nouns.comment_of_node, node["comments"]["nodes"])),
        )
    except (KeyError, TypeError):
        return None


def _digest(item: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(item, sort_keys=True).encode()).digest()
