"""What the merge gate judges, out of what GraphQL tells of a pull request.

`None` where a part was not told: what is not known never merges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from hive.facts.bases import QueueEntry
from hive.facts.forge import ChangedFile, Check, PullRequest, Review
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.look_queries import MORE_THREADS

_MERGEABLE = {"MERGEABLE": True, "CONFLICTING": False}

_STATES = {"PENDING": None, "EXPECTED": None, "SUCCESS": "success", "FAILURE": "failure", "ERROR": "failure"}

_HAS_ANOTHER_NAME = frozenset({"RENAMED", "COPIED"})

EveryRun = Callable[[str, str], tuple[tuple[Check, ...], int, datetime | None]]
"""Every run on a commit of a repository, how many there are, and when the first began."""


def with_judged(pull: PullRequest, node: Mapping[str, Any], calls: Calls, every_run: EveryRun) -> PullRequest:
    """`pull` with what is judged at every look. Its `pushed_at` is when its first check began."""
    try:
        if node["headRefOid"] != pull.head:
            return pull
        checks, total, began = _checks(pull, node, every_run)
        entry, removed = node["mergeQueueEntry"], node["removed"]["nodes"]
        return replace(
            pull,
            mergeable=_MERGEABLE.get(str(node["mergeable"])),
            changed_files=node["changedFiles"],
            checks=checks,
            checks_total=total,
            pushed_at=began,
            reviews=_reviews(pull, node, calls),
            unresolved_threads=_unresolved(pull, node, calls),
            review_decision=str(node["reviewDecision"] or "").lower(),
            queued=QueueEntry(int(entry["position"]), str(entry["state"]).lower()) if entry else None,
            dequeued=str(removed[-1].get("reason") or "no reason was given") if removed else "",
        )
    except (KeyError, TypeError, IndexError):
        return pull


def _checks(
    pull: PullRequest, node: Mapping[str, Any], every_run: EveryRun
) -> tuple[tuple[Check, ...] | None, int | None, datetime | None]:
    """The newest run of each app and name, and the newest status of each context."""
    commit = node["commits"]["nodes"][-1]["commit"]
    if commit["oid"] != pull.head:
        return None, None, None
    rollup = commit["statusCheckRollup"]
    if rollup is None:
        return (), 0, None
    if rollup["contexts"]["pageInfo"]["hasNextPage"]:
        return every_run(pull.repo, str(pull.head))
    nodes = rollup["contexts"]["nodes"]
    began = [nouns.moment(one["startedAt"]) for one in nodes if one["__typename"] == "CheckRun"]
    runs = tuple(run_of_node(one, str(pull.head)) for one in nodes)
    return runs, int(rollup["contexts"]["totalCount"]), min(filter(None, began), default=None)


def run_of_node(node: Mapping[str, Any], head: str) -> Check:
    """The newest run of a check, or a status: of a name there is only one, so it needs no number."""
    if node["__typename"] == "CheckRun":
        app = (node["checkSuite"] or {}).get("app") or {}
        return Check(
            id=int(node["databaseId"]),
            name=str(node["name"]),
            source="check",
            head=head,
            status=str(node["status"]).lower(),
            conclusion=str(node["conclusion"]).lower() if node["conclusion"] else None,
            app=app.get("slug"),
            app_id=app.get("databaseId"),
            completed_at=nouns.moment(node["completedAt"]),
        )
    conclusion = _STATES.get(str(node["state"]))
    return Check(
        id=0,
        name=str(node["context"]),
        source="status",
        head=head,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        completed_at=nouns.moment(node["createdAt"]) if conclusion else None,
    )


def _reviews(pull: PullRequest, node: Mapping[str, Any], calls: Calls) -> tuple[Review, ...]:
    if node["reviews"]["pageInfo"]["hasNextPage"]:
        pages = calls.pages(f"/repos/{pull.repo}/pulls/{pull.number}/reviews")
        return tuple(map(nouns.review, pages))
    return tuple(
        Review(
            by=nouns.actor_of_node(one["author"], one["authorAssociation"]),
            state=str(one["state"]).lower(),
            head=(one["commit"] or {}).get("oid"),
            at=nouns.moment(one["submittedAt"]),
        )
        for one in node["reviews"]["nodes"]
    )


def _unresolved(pull: PullRequest, node: Mapping[str, Any], calls: Calls) -> int | None:
    """Review threads that nobody resolved, on every page; only GraphQL knows."""
    page = node["reviewThreads"]
    found = sum(not one["isResolved"] for one in page["nodes"])
    while page["pageInfo"]["hasNextPage"]:
        variables = {"id": node["id"], "after": page["pageInfo"]["endCursor"]}
        data, errors = calls.ask(MORE_THREADS, variables)
        if errors:
            return None
        page = data["node"]["reviewThreads"]
        found += sum(not one["isResolved"] for one in page["nodes"])
    return found


def changed_files(
    repo: str, number: int, node: Mapping[str, Any], calls: Calls
) -> tuple[ChangedFile, ...] | None:
    """All of them. GraphQL does not tell the old name of one that got another, so REST does."""
    try:
        files = node["files"]
        if files is None:
            return None
        is_whole = not files["pageInfo"]["hasNextPage"]
        if is_whole and not any(one["changeType"] in _HAS_ANOTHER_NAME for one in files["nodes"]):
            return tuple(ChangedFile(str(one["path"])) for one in files["nodes"])
    except (KeyError, TypeError):
        return None
    return tuple(map(nouns.changed_file, calls.pages(f"/repos/{repo}/pulls/{number}/files")))
