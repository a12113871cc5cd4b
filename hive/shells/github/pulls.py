"""Pull requests: the outline that a list gives, and in full what the merge gate judges.

Only hive's own are read in full: others are never judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from hive.decisions.lookup import reverted
from hive.errors import Refused, Unreachable
from hive.facts.actors import ActorKind, same_login
from hive.facts.forge import ChangedFile, Check, LinkedIssue, PullRequest
from hive.shells.github import nouns
from hive.shells.github.bases import Bases
from hive.shells.github.calls import Calls
from hive.shells.github.nouns import Labelings
from hive.shells.github.queries import REVIEW_THREADS

_AT_ONCE = 50
"""Pull requests of one query for threads (chosen)."""


class Pulls:
    """`account` tells hive's login; `now` is only for when a head was first seen; `up_to_date` is as in
    `Bases`."""

    def __init__(
        self,
        calls: Calls,
        account: Callable[[], str],
        now: Callable[[], datetime],
        up_to_date: Callable[[str], bool] = lambda repo: False,
    ) -> None:
        self._calls = calls
        self._account = account
        self._now = now
        self._bases = Bases(calls, self.checks_of, up_to_date)
        self._first_seen: dict[str, dict[str, datetime]] = {}
        self._files: dict[tuple[str, int], tuple[object, tuple[ChangedFile, ...]]] = {}
        self._labelings: dict[tuple[str, int], tuple[object, Labelings]] = {}

    def open(
        self, repo: str, items: Sequence[Mapping[str, Any]], open_issues: Iterable[int]
    ) -> tuple[PullRequest, ...]:
        """All that are open, from the list; hive's own in full. What is kept of others is dropped."""
        still_open = frozenset(open_issues)
        read = [self._read(repo, item, still_open) for item in items]
        self._forget(repo, [pull for pull, _ in read])
        threads = self._threads([full for _, full in read if full is not None])
        based = {one.number: one for one in self._bases.fill(repo, [pull for pull, full in read if full])}
        return tuple(
            replace(based.get(pull.number, pull), unresolved_threads=_thread_count(full, threads))
            for pull, full in read
        )

    def one(self, repo: str, item: Mapping[str, Any], open_issues: Iterable[int]) -> PullRequest:
        pull, full = self._read(repo, item, frozenset(open_issues))
        if full is not None and pull.state == "open":
            [pull] = self._bases.fill(repo, [pull])
        return replace(pull, unresolved_threads=_thread_count(full, self._threads([full] if full else [])))

    def _read(
        self, repo: str, item: Mapping[str, Any], open_issues: frozenset[int]
    ) -> tuple[PullRequest, Mapping[str, Any] | None]:
        """A pull request, and the whole of what REST tells of it where it is hive's own."""
        pull = outline(repo, item)
        if not self._is_ours(pull):
            return pull, None
        full = self._calls.get(f"/repos/{repo}/pulls/{pull.number}")
        return self._full(repo, outline(repo, full), full, open_issues), full

    def _full(
        self, repo: str, pull: PullRequest, full: Mapping[str, Any], open_issues: frozenset[int]
    ) -> PullRequest:
        head = str(pull.head)
        checks, total, started = self._checks(repo, head)
        reviews = self._calls.pages(f"/repos/{repo}/pulls/{pull.number}/reviews")
        return replace(
            pull,
            author=replace(pull.author, kind=ActorKind.AGENT) if pull.author else None,
            mergeable=full.get("mergeable"),
            labels=nouns.labels(full, self._put_on(repo, full)),
            checks=checks,
            checks_total=total,
            reviews=tuple(map(nouns.review, reviews)),
            files=self._changed(repo, full),
            changed_files=full.get("changed_files"),
            linked_issues=tuple(
                LinkedIssue(one, "open" if one in open_issues else "closed")
                for one in dict.fromkeys(nouns.closes(said(full), repo))
            ),
            pushed_at=self._pushed_at(repo, head, started),
        )

    def _is_ours(self, pull: PullRequest) -> bool:
        """By hive's own account and from a branch of this repository; a fork may use any branch name."""
        return (
            (pull.head_ref.startswith("hive/") or reverted(pull) > 0)
            and pull.author is not None
            and same_login(pull.author.login, self._account())
            and (pull.head_repo or "").casefold() == pull.repo.casefold()
        )

    def checks_of(self, repo: str, commit: str) -> tuple[Check, ...]:
        """Every run on a commit."""
        return self._checks(repo, commit)[0]

    def _checks(self, repo: str, head: str) -> tuple[tuple[Check, ...], int, datetime | None]:
        """Check runs and statuses of `head`, every page; how many there are; when the first one began."""
        base = f"/repos/{repo}/commits/{head}"
        runs, run_count = self._calls.counted_pages(f"{base}/check-runs", "check_runs", {"filter": "all"})
        statuses, status_count = self._calls.counted_pages(f"{base}/status", "statuses")
        began = [one for one in (nouns.moment(run.get("started_at")) for run in runs) if one]
        checks = (
            *map(nouns.check_run, runs),
            *(nouns.status(one, head) for one in statuses),
        )
        return checks, run_count + status_count, min(began, default=None)

    def _changed(self, repo: str, full: Mapping[str, Any]) -> tuple[ChangedFile, ...]:
        """Changed files; the same as long as neither head nor base moves."""
        number = int(full["number"])
        state = (full["head"]["sha"], full["base"]["sha"], full["base"]["ref"], full.get("changed_files"))
        known = self._files.get((repo, number))
        if known is None or known[0] != state:
            pages = self._calls.pages(f"/repos/{repo}/pulls/{number}/files")
            known = self._files[repo, number] = (state, tuple(map(nouns.changed_file, pages)))
        return known[1]

    def _put_on(self, repo: str, full: Mapping[str, Any]) -> Labelings:
        """Who put which label on; asked again when anything about the pull request has changed."""
        if not full.get("labels"):
            return nouns.NO_LABELINGS
        number = int(full["number"])
        state = (full.get("updated_at"), [one["name"] for one in full["labels"]])
        known = self._labelings.get((repo, number))
        if known is None or known[0] != state:
            events = self._calls.pages(f"/repos/{repo}/issues/{number}/events")
            known = self._labelings[repo, number] = (state, nouns.labelings(events))
        return known[1]

    def _pushed_at(self, repo: str, head: str, started: datetime | None) -> datetime:
        """When `head` arrived: hive's first sight of it, or the start of its first check if that is earlier.

        The commit's own date is the agent's to choose, and GitHub tells of no other.
        """
        seen = self._first_seen.setdefault(repo, {}).setdefault(head, self._now())
        return min(seen, started) if started is not None else seen

    def _threads(self, fulls: Sequence[Mapping[str, Any]]) -> dict[int, int]:
        """Review threads that nobody resolved, by number of those that have any comment on their lines.

        Only GraphQL knows; nothing of those of which it does not tell all.
        """
        found: dict[int, int] = {}
        ids = [str(full["node_id"]) for full in fulls if full.get("review_comments")]
        for start in range(0, len(ids), _AT_ONCE):
            try:
                nodes = self._calls.query(REVIEW_THREADS, {"ids": ids[start : start + _AT_ONCE]})["nodes"]
            except (Refused, Unreachable, KeyError):
                return found
            found.update(filter(None, map(_unresolved, nodes or ())))
        return found

    def _forget(self, repo: str, pulls: Sequence[PullRequest]) -> None:
        """Drop what is kept of `repo` beside these."""
        heads, numbers = {str(pull.head) for pull in pulls}, {pull.number for pull in pulls}
        seen = self._first_seen.get(repo, {})
        self._first_seen[repo] = {head: at for head, at in seen.items() if head in heads}
        self._files = {key: one for key, one in self._files.items() if key[0] != repo or key[1] in numbers}
        self._labelings = {
            key: one for key, one in self._labelings.items() if key[0] != repo or key[1] in numbers
        }
        self._calls.forget_commits(repo, heads)


def outline(repo: str, item: Mapping[str, Any]) -> PullRequest:
    """What a list of pull requests tells of one."""
    author = nouns.actor(item.get("user"), item.get("author_association"))
    head = item["head"]
    return PullRequest(
        number=int(item["number"]),
        draft=item.get("draft"),
        author=author,
        pushers=(author.login,) if author else (),
        base=str(item["base"]["ref"]),
        head=str(head["sha"]),
        mergeable=None,
        pushed_at=None,
        labels=nouns.labels(item),
        checks=None,
        reviews=None,
        unresolved_threads=None,
        linked_issues=None,
        files=None,
        repo=repo,
        title=item.get("title") or "",
        body=item.get("body") or "",
        url=item.get("html_url") or "",
        state=nouns.pull_state(item),
        head_ref=str(head["ref"]),
        head_repo=(head.get("repo") or {}).get("full_name"),
        merge_commit=str(item.get("merge_commit_sha") or "") if item.get("merged_at") else "",
    )


def said(item: Mapping[str, Any]) -> str:
    """Title and body, where closing keywords count."""
    return f"{item.get('title') or ''}\n{item.get('body') or ''}"


def _unresolved(node: Any) -> tuple[int, int] | None:
    """Number and count; `None` where a part is missing, for what is not known never merges."""
    try:
        threads = node["reviewThreads"]
        if threads["pageInfo"]["hasNextPage"]:
            return None
        return int(node["number"]), sum(not one["isResolved"] for one in threads["nodes"])
    except (KeyError, TypeError):
        return None


def _thread_count(full: Mapping[str, Any] | None, threads: Mapping[int, int]) -> int | None:
    if full is None:
        return None
    return threads.get(int(full["number"])) if full.get("review_comments") else 0
