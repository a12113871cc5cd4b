"""A forge that shows the snapshots it was given: failures to switch on, calls that hang until let go."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from hive.errors import Missing, Moved, WorldError
from hive.facts.activity import Activity
from hive.facts.actors import Actor
from hive.facts.bases import QueueEntry
from hive.facts.forge import CommitSighting, Label, PullRequest, RepositorySnapshot
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.facts.quotas import Quota

PORT = "forge"
MERGED = "c" * 40


class ShownForge:
    """`ports.forge.Forge`.

    Attributes:
        failures: Raised by the named call, or by every call on the named repository, while set.
        calls: What was asked, in order: ``("look", "o/r")``.
        commits: What a branch or SHA shows, for `commit`.
        hanging: Names of calls that wait until `let_go`.
        activities: By repository; what was done there lately.
        told_quotas: What is left of the limits.
    """

    def __init__(self, *snapshots: RepositorySnapshot, login: str = "hive-bot") -> None:
        self.snapshots = {one.repo: one for one in snapshots}
        self.failures: dict[str, WorldError] = {}
        self.calls: list[tuple[str, str]] = []
        self.hanging: set[str] = set()
        self.closed = 0
        self.activities: dict[str, Activity] = {}
        self.commits: dict[str, CommitSighting] = {}
        self.filed: dict[int, str] = {}
        self.ended: dict[int, PullRequest] = {}
        """Pull requests that no look shows any more."""
        self.known: dict[str, tuple[KnowledgeFile, ...]] = {}
        self.told_quotas: tuple[Quota, ...] = ()
        self._login = login
        self._released = threading.Event()

    def let_go(self) -> None:
        """End the waiting of all calls that hang."""
        self.hanging.clear()
        self._released.set()

    def account(self) -> str:
        self._call("account", "")
        return self._login

    def look(self, repo: str) -> RepositorySnapshot:
        self._call("look", repo)
        if repo not in self.snapshots:
            raise Missing(PORT, f"no repository {repo}")
        return self.snapshots[repo]

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        self._call("activity", repo)
        return self.activities.get(repo, Activity())

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        return {one.number: PullDetails(one.number, one.head) for one in wanted}

    def knowledge(self, repo: str) -> tuple[KnowledgeFile, ...]:
        self._call("knowledge", repo)
        return self.known.get(repo, ())

    def pull_request(self, repo: str, number: int) -> PullRequest:
        self._call("pull_request", repo)
        look = self.snapshots[repo]
        for pull in (*look.pull_requests, *look.recent, *self.ended.values()):
            if pull.number == number:
                return pull
        raise Missing(PORT, f"no pull request {repo}#{number}")

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        self._call("merge", repo)
        pull = self.pull_request(repo, number)
        if pull.head != head:
            raise Moved(PORT, f"the head is {pull.head}")
        look = self.snapshots[repo]
        self.snapshots[repo] = replace(
            look,
            pull_requests=tuple(one for one in look.pull_requests if one.number != number),
            recent=(*look.recent, replace(pull, state="merged", merge_commit=MERGED)),
        )
        return MERGED

    def commit(self, repo: str, ref: str) -> CommitSighting:
        self._call("commit", repo)
        if ref not in self.commits:
            raise Missing(PORT, f"there is no {ref}")
        return self.commits[ref]

    def enqueue(self, repo: str, number: int, *, head: str) -> None:
        self._call("enqueue", repo)
        self._queue(repo, number, QueueEntry(1, "queued"))

    def dequeue(self, repo: str, number: int) -> None:
        self._call("dequeue", repo)
        self._queue(repo, number, None)

    def update_branch(self, repo: str, number: int, *, head: str) -> None:
        self._call("update_branch", repo)

    def delete_branch(self, repo: str, branch: str, *, head: str) -> None:
        self._call("delete_branch", repo)

    def revert(self, repo: str, number: int, *, title: str, body: str) -> PullRequest:
        self._call("revert", repo)
        look = self.snapshots[repo]
        [merged] = [pull for pull in look.recent if pull.number == number]
        made = replace(
            merged,
            number=1000 + number,
            state="open",
            title=title,
            body=body,
            head="e" * 40,
            head_ref=f"revert-{number}-{merged.head_ref}",
            checks=(),
            merge_commit="",
        )
        self.snapshots[repo] = replace(look, pull_requests=(*look.pull_requests, made))
        return made

    def _queue(self, repo: str, number: int, entry: QueueEntry | None) -> None:
        look = self.snapshots[repo]
        pulls = [replace(one, queued=entry) if one.number == number else one for one in look.pull_requests]
        self.snapshots[repo] = replace(look, pull_requests=tuple(pulls))

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        self._call("add_labels", repo)
        by = Actor(self._login)
        self._relabel(repo, number, tuple(Label(name, by) for name in labels), ())

    def remove_label(self, repo: str, number: int, label: str) -> None:
        self._call("remove_label", repo)
        self._relabel(repo, number, (), (label,))

    def comment(self, repo: str, number: int, body: str) -> None:
        self._call("comment", repo)

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        self._call("open_pull_request", repo)
        raise Missing(PORT, "agents open theirs through the gateway")

    def set_draft(self, repo: str, number: int, draft: bool) -> None:
        self._call("set_draft", repo)

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int:
        self._call("file_issue", repo)
        return 1

    def labels(self, repo: str, number: int) -> tuple[Label, ...]:
        self._call("labels", repo)
        issues = {one.number: one for one in self.snapshots[repo].issues}
        return issues[number].labels if number in issues else ()

    def marked_issue(self, repo: str, marker: str, *, since: datetime | None = None) -> int | None:
        self._call("marked-issue", repo)
        return next((n for n, body in self.filed.items() if marker in body), None)

    def edit_issue(self, repo: str, number: int, *, body: str) -> None:
        self._call("edit-issue", f"{repo}#{number}")
        self.filed[number] = body

    def quotas(self, repo: str) -> tuple[Quota, ...]:
        return self.told_quotas

    def close(self) -> None:
        self.closed += 1

    def asked(self, what: str) -> int:
        """How often something was asked."""
        return sum(name == what for name, _ in self.calls)

    def _relabel(self, repo: str, number: int, put: tuple[Label, ...], taken: tuple[str, ...]) -> None:
        look = self.snapshots[repo]
        pulls = []
        for pull in look.pull_requests:
            kept = tuple(one for one in pull.labels or () if one.name not in taken)
            pulls.append(replace(pull, labels=kept + put) if pull.number == number else pull)
        self.snapshots[repo] = replace(look, pull_requests=tuple(pulls))

    def _call(self, what: str, repo: str) -> None:
        self.calls.append((what, repo))
        if what in self.hanging:
            self._released.wait(30)
        failure = self.failures.get(what) or self.failures.get(repo)
        if failure is not None:
            raise failure
