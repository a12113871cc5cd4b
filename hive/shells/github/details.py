"""What is read of one pull request besides: why its checks failed, and what reviewers said.

Reviews and threads come by one query for all of them; a failed job's log is read once, for it never changes.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from hive.errors import Missing, Refused, Unreachable
from hive.facts.pull_details import (
    LOG_LINES,
    CheckFailure,
    DetailsWanted,
    PullDetails,
    ReviewText,
    ReviewThread,
    ThreadComment,
)
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.queries import CONVERSATIONS

_AT_ONCE = 10
"""Pull requests of one query: 100 threads with 50 comments each are 5,000 nodes of the 500,000 that one query
may ask for (documented)."""
_LONGEST_LINE = 2000
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
"""Before each line of a job's log."""
_ERROR = "##[error]"
_KEPT = 200
"""Failures that are remembered."""


_Conversation: TypeAlias = tuple[tuple[ReviewText, ...], tuple[ReviewThread, ...], bool]
"""Reviews, threads, and whether those are all."""


class Details:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._failures: dict[int, CheckFailure] = {}

    def read(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        """By number; of which nothing could be read, nothing is in it."""
        talks = self._conversations(repo, [one.number for one in wanted if one.talks])
        found = {}
        for one in wanted:
            if one.talks and one.number not in talks:
                continue
            reviews, threads, is_whole = talks.get(one.number, ((), (), True))
            failures = tuple(self._failure(repo, number) for number in one.failed)
            found[one.number] = PullDetails(one.number, one.head, failures, threads, reviews, is_whole)
        return found

    def _conversations(self, repo: str, numbers: Sequence[int]) -> dict[int, _Conversation]:
        owner, name = repo.split("/")
        found: dict[int, _Conversation] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            asked = "\n    ".join(f"p{one}: pullRequest(number: {one}) {{ ...Conversation }}" for one in some)
            query = CONVERSATIONS.format(asked=asked)
            try:
                data = self._calls.query(query, {"owner": owner, "name": name})
            except (Refused, Unreachable):
                return found
            for one in some:
                told = (data.get("repository") or {}).get(f"p{one}")
                if told is not None:
                    found[one] = _conversation(told)
        return found

    def _failure(self, repo: str, number: int) -> CheckFailure:
        known = self._failures.get(number)
        if known is None:
            known = self._read_failure(repo, number)
            self._failures[number] = known
            while len(self._failures) > _KEPT:
                del self._failures[next(iter(self._failures))]
        return known

    def _read_failure(self, repo: str, number: int) -> CheckFailure:
        """A check run of Actions is a job and has the same number (documented: `check_run_url` of a job)."""
        run = self._calls.get(f"/repos/{repo}/check-runs/{number}")
        name, conclusion = str(run["name"]), str(run.get("conclusion") or "failure")
        try:
            job = self._calls.get(f"/repos/{repo}/actions/jobs/{number}")
            lines = _last(self._calls.lines(f"/repos/{repo}/actions/jobs/{number}/logs"))
        except (Missing, Refused):
            return CheckFailure(number, name, conclusion, lines=_reported(run))
        failed = [str(one["name"]) for one in job.get("steps") or () if one.get("conclusion") == "failure"]
        return CheckFailure(number, name, conclusion, failed[0] if failed else "", lines)


def _last(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines up to the last error that the runner itself marks: what comes after is its cleaning up."""
    kept: deque[str] = deque(maxlen=LOG_LINES)
    until: tuple[str, ...] = ()
    for line in lines:
        plain = _TIME.sub("", line.rstrip("\r\n"))[:_LONGEST_LINE]
        kept.append(plain)
        if plain.startswith(_ERROR):
            until = tuple(kept)
    return until or tuple(kept)


def _reported(run: Mapping[str, Any]) -> tuple[str, ...]:
    """What the check itself said, where it has no log."""
    output = run.get("output") or {}
    told = "\n".join(str(output[key]) for key in ("title", "summary", "text") if output.get(key))
    return tuple(line[:_LONGEST_LINE] for line in told.split("\n")[-LOG_LINES:])


def _conversation(told: Mapping[str, Any]) -> _Conversation:
    reviews, threads = told["reviews"], told["reviewThreads"]
    is_whole = not threads["pageInfo"]["hasNextPage"] and not reviews["pageInfo"]["hasPreviousPage"]
    return (
        tuple(_review(one) for one in reviews["nodes"] if one["state"] != "PENDING"),
        tuple(_thread(one) for one in threads["nodes"] if one["comments"]["nodes"]),
        is_whole,
    )


def _review(one: Mapping[str, Any]) -> ReviewText:
    commit = one.get("commit") or {}
    return ReviewText(
        by=nouns.actor_of_node(one.get("author"), one.get("authorAssociation")),
        state=str(one["state"]).lower(),
        head=commit.get("oid"),
        at=nouns.moment(one.get("submittedAt")),
        body=str(one.get("body") or ""),
    )


def _thread(one: Mapping[str, Any]) -> ReviewThread:
    comments = [*one["comments"]["nodes"], *one["newest"]["nodes"]]
    return ReviewThread(
        path=str(one["path"]),
        line=one.get("line"),
        is_resolved=bool(one["isResolved"]),
        is_outdated=bool(one["isOutdated"]),
        comments=tuple({comment.id: comment for comment in map(_comment, comments)}.values()),
    )


def _comment(one: Mapping[str, Any]) -> ThreadComment:
    return ThreadComment(
        id=int(one["databaseId"]),
        by=nouns.actor_of_node(one.get("author"), one.get("authorAssociation")),
        at=nouns.moment(one.get("createdAt")),
        body=str(one.get("body") or ""),
    )
