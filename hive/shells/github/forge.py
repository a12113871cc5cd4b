"""The forge port on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from hive.errors import Missing, Moved, Refused
from hive.facts.actors import ActorKind
from hive.facts.forge import Check, Issue, LinkedIssue, PullRequest, RepositorySnapshot
from hive.shells.github import nouns
from hive.shells.github.calls import Calls
from hive.shells.github.queries import PULL_REQUEST_ID, REVIEW_THREADS

_RECENT = "30"
"""Ended pull requests that a look still sees, newest first."""


class GitHubForge:
    """Implements `ports.forge.Forge`. One thread at a time.

    `now` is only for when a head was first seen: GitHub tells of no time of a push.
    """

    def __init__(
        self,
        api_url: str,
        credential: Callable[[], str],
        *,
        now: Callable[[], datetime],
        timeout: int = 20,
    ) -> None:
        self._calls = Calls(api_url, credential, timeout)
        self._now = now
        self._first_seen: dict[str, datetime] = {}
        self._login = ""

    def close(self) -> None:
        self._calls.close()

    def account(self) -> str:
        if not self._login:
            self._login = str(self._calls.get("/user")["login"])
        return self._login

    def look(self, repo: str) -> RepositorySnapshot:
        before = self._calls.requests
        base = f"/repos/{repo}"
        about = self._calls.get(base)
        listed = self._calls.pages(f"{base}/issues", {"state": "open"})
        pulls = self._calls.pages(f"{base}/pulls", {"state": "open"})
        ended = self._calls.get(
            f"{base}/pulls",
            {"state": "closed", "sort": "updated", "direction": "desc", "per_page": _RECENT},
        )
        issues = [one for one in listed if "pull_request" not in one]
        claims = _claims(pulls, repo)
        open_numbers = {int(one["number"]) for one in issues}
        return RepositorySnapshot(
            repo=repo,
            default_branch=str(about["default_branch"]),
            issues=tuple(self._issue(repo, one, claims) for one in issues),
            pull_requests=tuple(self._pull(repo, one, open_numbers) for one in pulls),
            recent=tuple(self._outline(repo, one) for one in ended),
            requests=self._calls.requests - before,
        )

    def pull_request(self, repo: str, number: int) -> PullRequest:
        item = self._calls.get(f"/repos/{repo}/pulls/{number}")
        linked = nouns.closes(_said(item), repo)
        is_open = {one for one in linked if self._issue_state(repo, one) == "open"}
        return self._pull(repo, item, is_open)

    def _issue_state(self, repo: str, number: int) -> str:
        try:
            return str(self._calls.get(f"/repos/{repo}/issues/{number}")["state"])
        except Missing:
            return "closed"

    def _issue(
        self, repo: str, item: Mapping[str, Any], claims: Mapping[int, list[Mapping[str, Any]]]
    ) -> Issue:
        number = int(item["number"])
        base = f"/repos/{repo}/issues/{number}"
        comments = self._calls.pages(f"{base}/comments") if item.get("comments") else []
        events = self._calls.pages(f"{base}/events") if item.get("labels") else []
        return Issue(
            number=number,
            title=item.get("title") or "",
            body=item.get("body") or "",
            repo=repo,
            author=nouns.actor(item.get("user"), item.get("author_association")),
            created_at=nouns.moment(item.get("created_at")),
            labels=nouns.labels(item, events),
            comments=tuple(nouns.comment(one) for one in comments),
            assignees=tuple(one for one in map(nouns.actor, item.get("assignees") or ()) if one is not None),
            pull_requests=tuple(nouns.claim(one) for one in claims.get(number, ())),
        )

    def _pull(self, repo: str, item: Mapping[str, Any], open_issues: Iterable[int]) -> PullRequest:
        """A pull request; in full where it is hive's own, else its outline: others are never judged."""
        outline = self._outline(repo, item)
        if not self._is_ours(outline):
            return outline
        number, head = outline.number, str(outline.head)
        base = f"/repos/{repo}/pulls/{number}"
        full = self._calls.get(base)
        if str(full["head"]["sha"]) != head:
            outline = self._outline(repo, full)
            head = str(outline.head)
        checks, total, started = self._checks(repo, head)
        still_open = set(open_issues)
        events = self._calls.pages(f"/repos/{repo}/issues/{number}/events") if item.get("labels") else []
        return replace(
            outline,
            author=replace(outline.author, kind=ActorKind.AGENT) if outline.author else None,
            mergeable=full.get("mergeable"),
            labels=nouns.labels(full, events),
            checks=checks,
            checks_total=total,
            reviews=tuple(map(nouns.review, self._calls.pages(f"{base}/reviews"))),
            files=tuple(map(nouns.changed_file, self._calls.pages(f"{base}/files"))),
            changed_files=full.get("changed_files"),
            unresolved_threads=self._threads(repo, full),
            linked_issues=tuple(
                LinkedIssue(one, "open" if one in still_open else "closed")
                for one in dict.fromkeys(nouns.closes(_said(full), repo))
            ),
            pushed_at=self._pushed_at(head, started),
        )

    def _is_ours(self, pull: PullRequest) -> bool:
        """By hive's own account and from a branch of this repository; a fork may use any branch name."""
        return (
            pull.head_ref.startswith("hive/")
            and pull.author is not None
            and pull.author.login.casefold() == self.account().casefold()
            and (pull.head_repo or "").casefold() == pull.repo.casefold()
        )

    def _outline(self, repo: str, item: Mapping[str, Any]) -> PullRequest:
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
        )

    def _checks(self, repo: str, head: str) -> tuple[tuple[Check, ...], int, datetime | None]:
        """Check runs and statuses of `head`, every page; how many there are; when the first one began."""
        base = f"/repos/{repo}/commits/{head}"
        first = self._calls.get(f"{base}/check-runs", {"filter": "all", "per_page": "1"})
        runs = self._calls.pages(f"{base}/check-runs", {"filter": "all"}, key="check_runs")
        statuses = self._calls.pages(f"{base}/status", key="statuses")
        began = [one for one in (nouns.moment(run.get("started_at")) for run in runs) if one]
        checks = (
            *map(nouns.check_run, runs),
            *(nouns.status(one, head) for one in statuses),
        )
        return checks, int(first["total_count"]) + len(statuses), min(began, default=None)

    def _pushed_at(self, head: str, started: datetime | None) -> datetime:
        """When `head` arrived: hive's first sight of it, or the start of its first check if that is earlier.

        The commit's own date is the agent's to choose, and GitHub tells of no other.
        """
        seen = self._first_seen.setdefault(head, self._now())
        return min(seen, started) if started is not None else seen

    def _threads(self, repo: str, item: Mapping[str, Any]) -> int | None:
        """Review threads that nobody resolved; only GraphQL knows. None where it does not say."""
        if not item.get("review_comments"):
            return 0
        owner, name = repo.split("/")
        count, after = 0, None
        while True:
            try:
                data = self._calls.graphql(
                    REVIEW_THREADS, {"owner": owner, "name": name, "number": item["number"], "after": after}
                )
                threads = data["repository"]["pullRequest"]["reviewThreads"]
            except (Refused, KeyError, TypeError):
                return None
            count += sum(not node["isResolved"] for node in threads["nodes"])
            if not threads["pageInfo"]["hasNextPage"]:
                return count
            after = threads["pageInfo"]["endCursor"]

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        path = f"/repos/{repo}/pulls/{number}"
        body = {"sha": head, "merge_method": method}
        if method != "rebase":
            item = self._calls.get(path)
            body["commit_title"] = f"{item.get('title') or 'Merge'} (#{number})"
            body["commit_message"] = f"{marker}"
        try:
            answer = self._calls.write("PUT", f"{path}/merge", body)
        except Refused as error:
            if str(self._calls.get(path)["head"]["sha"]) != head:
                raise Moved(error.port, error.message) from error
            raise
        return str(answer["sha"])

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        self._calls.write("POST", f"/repos/{repo}/issues/{number}/labels", {"labels": list(labels)})

    def remove_label(self, repo: str, number: int, label: str) -> None:
        try:
            self._calls.write("DELETE", f"/repos/{repo}/issues/{number}/labels/{quote(label, safe='')}")
        except Missing:
            return

    def comment(self, repo: str, number: int, body: str) -> None:
        self._calls.write("POST", f"/repos/{repo}/issues/{number}/comments", {"body": body})

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        item = self._calls.write(
            "POST",
            f"/repos/{repo}/pulls",
            {"head": head, "base": base, "title": title, "body": body, "draft": draft},
        )
        return self._outline(repo, item)

    def set_draft(self, repo: str, number: int, draft: bool) -> None:
        """REST cannot change it (documented: only GraphQL's two mutations can)."""
        owner, name = repo.split("/")
        data = self._calls.graphql(PULL_REQUEST_ID, {"owner": owner, "name": name, "number": number})
        field = "convertPullRequestToDraft" if draft else "markPullRequestReadyForReview"
        self._calls.graphql(
            f"mutation($id: ID!) {{ {field}(input: {{pullRequestId: $id}}) {{ clientMutationId }} }}",
            {"id": data["repository"]["pullRequest"]["id"]},
        )

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int:
        item = self._calls.write(
            "POST", f"/repos/{repo}/issues", {"title": title, "body": body, "labels": list(labels)}
        )
        return int(item["number"])


def _said(item: Mapping[str, Any]) -> str:
    return f"{item.get('title') or ''}\n{item.get('body') or ''}"


def _claims(pulls: Iterable[Mapping[str, Any]], repo: str) -> dict[int, list[Mapping[str, Any]]]:
    """Open pull requests by the issue that they say they close, whoever opened them."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for pull in pulls:
        for number in dict.fromkeys(nouns.closes(_said(pull), repo)):
            found.setdefault(number, []).append(pull)
    return found
