"""What was done in a repository lately: a handful of lists, free of charge while unchanged.

Each is the newest page alone. GitHub's feed of events may be late by minutes (docs: "Events"), so that what
it tells is taken from lists that are not. Events are asked for first: what they are about is then in the
lists that come after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hive.errors import Missing, Refused
from hive.facts.activity import Activity, Told
from hive.facts.actors import same_login
from hive.facts.incidents import Act
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.standing import Standings

_MARKER = re.compile(r"<!-- hive:(?:task=\S* )?agent=([a-z0-9-]+) -->")
_COMMAND = re.compile(r"^[ \t]*/hive\b", re.MULTILINE)
_PAGE = {"per_page": "100"}
_NEWEST = {**_PAGE, "sort": "created", "direction": "desc"}
_SHOWN = 160
_LONGEST = 4000
"""Characters of a comment to hive that are read."""
_CONVERSATIONS = frozenset(
    {
        "labeled",
        "unlabeled",
        "closed",
        "reopened",
        "merged",
        "renamed",
        "assigned",
        "unassigned",
        "milestoned",
        "demilestoned",
        "locked",
        "unlocked",
        "ready_for_review",
        "convert_to_draft",
        "review_requested",
        "review_request_removed",
        "review_dismissed",
        "head_ref_force_pushed",
        "head_ref_deleted",
        "head_ref_restored",
        "base_ref_changed",
        "auto_merge_enabled",
        "auto_squash_enabled",
        "auto_rebase_enabled",
        "auto_merge_disabled",
        "added_to_merge_queue",
        "removed_from_merge_queue",
        "comment_deleted",
        "transferred",
        "pinned",
        "unpinned",
        "deployed",
        "converted_to_discussion",
    }
)
"""Events that their actor did: others befall an account (``mentioned``) or follow from another act."""


def activity_of(calls: Calls, standings: Standings, repo: str, account: str, approval_label: str) -> Activity:
    """Acts of `account` in `repo` and what others told hive, as far as the newest pages tell."""
    base = f"/repos/{repo}"
    events = _optional(calls, f"{base}/issues/events", _PAGE)
    moves = _optional(calls, f"{base}/activity", _PAGE)
    comments = _optional(calls, f"{base}/issues/comments", _NEWEST)
    remarks = _optional(calls, f"{base}/pulls/comments", _NEWEST)
    releases = _optional(calls, f"{base}/releases", _PAGE)
    issues = _optional(calls, f"{base}/issues", {**_NEWEST, "creator": account, "state": "all"})
    acts = [
        *(_event(repo, one, account) for one in events),
        *(_moved(repo, one, account) for one in moves),
        *(_made(repo, one, "comment", account) for one in comments),
        *(_made(repo, one, "review_comment", account) for one in remarks),
        *(_released(repo, one, account) for one in releases),
        *(_made(repo, one, "pull" if "pull_request" in one else "issue", account) for one in issues),
    ]
    told = [*_said(comments, account), *_labelings(standings, repo, events, account, approval_label)]
    return Activity(tuple(one for one in acts if one is not None), tuple(told))


def _optional(calls: Calls, path: str, parameters: Mapping[str, str]) -> list[Any]:
    """Empty where this forge has no such list (older ones lack ``activity``), or the credential may not
    read it."""
    try:
        return list(calls.get(path, parameters))
    except (Missing, Refused):
        return []


def _made(repo: str, one: Mapping[str, Any], kind: str, account: str) -> Act | None:
    at = nouns.moment(one.get("created_at"))
    if at is None or not _is_by(one.get("user"), account):
        return None
    body = str(one.get("body") or "")
    marked = _MARKER.findall(body)
    number = _number(one)
    return Act(
        key=f"{kind}:{number if kind in ('issue', 'pull') else one.get('id')}",
        kind=kind,
        repo=repo,
        at=at,
        number=number,
        shown=" ".join(str(one.get("title") or body).split())[:_SHOWN],
        agent=marked[-1] if marked else "",
    )


def _number(one: Mapping[str, Any]) -> int:
    if isinstance(one.get("number"), int):
        return int(one["number"])
    tail = str(one.get("issue_url") or one.get("pull_request_url") or "").rpartition("/")[2]
    return int(tail) if tail.isdecimal() else 0


def _event(repo: str, one: Mapping[str, Any], account: str) -> Act | None:
    at, kind = nouns.moment(one.get("created_at")), str(one.get("event"))
    # Of assignments the actor may be who was assigned.
    by = one.get("assigner") or one.get("review_requester") or one.get("actor")
    if at is None or kind not in _CONVERSATIONS or not _is_by(by, account):
        return None
    issue = one.get("issue") or {}
    label = (one.get("label") or {}).get("name")
    return Act(
        key=f"event:{one.get('id')}",
        kind=kind,
        repo=repo,
        at=at,
        number=int(issue.get("number") or 0),
        shown=str(label or issue.get("title") or "")[:_SHOWN],
    )


def _moved(repo: str, one: Mapping[str, Any], account: str) -> Act | None:
    at = nouns.moment(one.get("timestamp"))
    if at is None or not _is_by(one.get("actor"), account):
        return None
    return Act(
        key=f"activity:{one.get('id')}",
        kind=str(one.get("activity_type")),
        repo=repo,
        at=at,
        ref=str(one.get("ref") or ""),
        shown=str(one.get("after") or "")[:12],
        head=str(one.get("after") or ""),
    )


def _released(repo: str, one: Mapping[str, Any], account: str) -> Act | None:
    # `created_at` is the date of the commit that it is of.
    at = nouns.moment(one.get("published_at") or one.get("created_at"))
    if at is None or not _is_by(one.get("author"), account):
        return None
    tag = str(one.get("tag_name") or "")
    return Act(f"release:{one.get('id')}", "release", repo, at, ref=f"refs/tags/{tag}", shown=tag[:_SHOWN])


def _said(comments: Iterable[Mapping[str, Any]], account: str) -> Iterator[Told]:
    for one in comments:
        body, at = str(one.get("body") or ""), nouns.moment(one.get("created_at"))
        if at is None or not _COMMAND.search(body) or _is_by(one.get("user"), account):
            continue
        yield Told(
            key=f"comment:{one.get('id')}",
            by=nouns.actor(one.get("user"), one.get("author_association")),
            at=at,
            number=_number(one),
            text=body[:_LONGEST],
            edited=one.get("updated_at") != one.get("created_at"),
        )


def _labelings(
    standings: Standings, repo: str, events: Iterable[Mapping[str, Any]], account: str, label: str
) -> Iterator[Told]:
    for one in events if label else ():
        name, at = str((one.get("label") or {}).get("name") or ""), nouns.moment(one.get("created_at"))
        is_asked = one.get("event") == "labeled" and name.casefold() == label.casefold()
        if at is None or not is_asked or _is_by(one.get("actor"), account):
            continue
        by = standings.with_standing(repo, nouns.actor(one.get("actor")))
        number = int((one.get("issue") or {}).get("number") or 0)
        yield Told(key=f"event:{one.get('id')}", by=by, at=at, number=number)


def _is_by(user: Any, account: str) -> bool:
    return isinstance(user, dict) and same_login(str(user.get("login") or ""), account)
