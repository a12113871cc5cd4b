"""Open issues with what triage and prompts need, asked for where something happened to them.

GitHub does not promise that every change shows in an issue's ``updatedAt`` (a label that gets another name
does not), so that what is known is asked for again once it is old.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hive.facts.forge import Comment, Issue, Label
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.overview import IssueStub

_FRESH = timedelta(hours=1)
"""How long an issue is believed to which nothing happened (chosen)."""

_SETTLED = timedelta(seconds=5)
"""GitHub's times have a resolution of one second; the rest is for clocks that differ (chosen)."""

_OLD_ONES_AT_ONCE = 50
"""Issues that are asked for again in one look for their age alone (chosen): a look stays one request."""


@dataclass(frozen=True, slots=True)
class _Known:
    updated_at: str
    at: datetime
    issue: Issue


class Issues:
    """By repository and number. `now` is for how long they are believed."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: dict[str, dict[int, _Known]] = {}

    def wanted(self, repo: str, stubs: Sequence[IssueStub], now: datetime) -> tuple[str, ...]:
        """Node ids of those that have to be asked for."""
        known = self._known.get(repo, {})
        changed = [one.id for one in stubs if not _is_known(known.get(one.number), one)]
        old = [
            (known[one.number].at, one.id)
            for one in stubs
            if _is_known(known.get(one.number), one) and now - known[one.number].at > _FRESH
        ]
        return (*changed, *(key for _, key in sorted(old)[:_OLD_ONES_AT_ONCE]))

    def of(
        self,
        repo: str,
        stubs: Sequence[IssueStub],
        told: Mapping[str, Mapping[str, Any] | None],
        now: datetime,
    ) -> tuple[Issue, ...]:
        """All of them but those that are gone. Of one that was never told only its number is known: nobody
        wrote it, so that nothing is done about it. What is known of others of `repo` is dropped."""
        before, kept = self._known.get(repo, {}), {}
        found: list[Issue] = []
        for stub in stubs:
            if stub.id in told and told[stub.id] is None:
                continue
            issue = self._read(repo, stub, told.get(stub.id))
            if issue is not None:
                kept[stub.number] = _Known(stub.updated_at, now, issue)
            elif stub.number in before:
                kept[stub.number] = before[stub.number]
            found.append(kept[stub.number].issue if stub.number in kept else Issue(stub.number, repo=repo))
        self._known[repo] = kept
        return tuple(found)

    def _read(self, repo: str, stub: IssueStub, node: Mapping[str, Any] | None) -> Issue | None:
        """`None` where a part was not told, or is older than the list."""
        try:
            if node is None or node["updatedAt"] < stub.updated_at:
                return None
            names = [str(one["name"]) for one in node["labels"]["nodes"]]
            renamed = next(iter(node["renamings"]["nodes"][-1:]), None)
            return Issue(
                number=stub.number,
                title=str(node["title"]),
                body=node["body"] or "",
                repo=repo,
                author=nouns.actor_of_node(node["author"], node["authorAssociation"]),
                created_at=nouns.moment(node["createdAt"]),
                title_edited_at=nouns.moment(renamed["createdAt"]) if renamed else None,
                edited_at=nouns.moment(node["lastEditedAt"]),
                title_edited_by=nouns.actor_of_node(renamed["actor"]) if renamed else None,
                edited_by=nouns.actor_of_node(node["editor"]),
                labels=labels_put_on(self._calls, repo, stub.number, names, node["labelings"]),
                comments=self._comments(repo, stub.number, node["comments"]),
                assignees=tuple(filter(None, map(nouns.actor_of_node, node["assignees"]["nodes"]))),
                blocked_by=tuple(
                    int(one["number"])
                    for one in node["blockedBy"]["nodes"]
                    if one["state"] == "OPEN"
                    and one["repository"]["nameWithOwner"].casefold() == repo.casefold()
                ),
            )
        except (KeyError, TypeError):
            return None

    def _comments(self, repo: str, number: int, told: Mapping[str, Any]) -> tuple[Comment, ...]:
        """All of them: where there are more than a page, REST tells them page by page."""
        if int(told["totalCount"]) > len(told["nodes"]):
            pages = self._calls.pages(f"/repos/{repo}/issues/{number}/comments")
            return tuple(map(nouns.comment, pages))
        return tuple(map(nouns.comment_of_node, told["nodes"]))


def is_settled(updated_at: str, read_at: datetime) -> bool:
    """Whether another change in the second of the last one would have been seen by what was read then."""
    changed = nouns.moment(updated_at)
    return changed is not None and read_at - changed > _SETTLED


def labels_put_on(
    calls: Calls, repo: str, number: int, names: Iterable[str], told: Mapping[str, Any]
) -> tuple[Label, ...]:
    """Labels with who put each on and when; from all events where the newest page tells not of every one."""
    labelings = nouns.labelings_of_nodes(told["nodes"])
    wanted = list(names)
    if told["pageInfo"]["hasPreviousPage"] and any(one.casefold() not in labelings for one in wanted):
        labelings = nouns.labelings(calls.pages(f"/repos/{repo}/issues/{number}/events"))
    return tuple(Label(name, *labelings.get(name.casefold(), (None, None))) for name in wanted)


def _is_known(known: _Known | None, stub: IssueStub) -> bool:
    return known is not None and known.updated_at == stub.updated_at and is_settled(stub.updated_at, known.at)
