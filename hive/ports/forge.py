"""The forge: GitHub, or what speaks like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hive.facts.activity import Activity
from hive.facts.forge import CommitSighting, Label, PullRequest, RepositorySnapshot
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.facts.quotas import Quota


class Forge(Protocol):
    """Reads and writes under hive's own account.

    Raises `Unreachable`, `Throttled`, `Missing`, `Moved`, `Refused`; `InDoubt` where a write was sent
    and no answer came. Writes are never retried here.
    """

    def account(self) -> str:
        """The login that hive acts as."""
        ...

    def look(self, repo: str) -> RepositorySnapshot:
        """All open issues and pull requests of `repo`, every page."""
        ...

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        """The newest page of what hive's own account did in `repo`, and of what persons told hive there:
        by comments, and by `approval_label` where one is given."""
        ...

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        """Why checks failed and what reviewers said, by pull request; what could not be read is not in it."""
        ...

    def knowledge(self, repo: str) -> tuple[KnowledgeFile, ...]:
        """What `repo` says on its default branch to those who work on it; asked anew once a look has seen
        that something was pushed. What cannot be read is not in it."""
        ...

    def pull_request(self, repo: str, number: int) -> PullRequest:
        """One pull request, fresh, open or not."""
        ...

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        """Merge exactly `head`; return the merge commit. Raises `Moved` when the head is another by now,
        `Refused` when the forge says that it cannot be merged. `marker` goes into the commit message."""
        ...

    def commit(self, repo: str, ref: str) -> CommitSighting:
        """The commit at a branch or of a SHA, with every run on it. Raises `Missing`."""
        ...

    def enqueue(self, repo: str, number: int, *, head: str) -> None:
        """Put exactly `head` into the merge queue of its base. Raises as `merge` does."""
        ...

    def dequeue(self, repo: str, number: int) -> None:
        """Raises `Refused` where it is in no queue."""
        ...

    def update_branch(self, repo: str, number: int, *, head: str) -> None:
        """Merge the newest base into exactly `head`. Raises `Moved` where the head is another by now."""
        ...

    def delete_branch(self, repo: str, branch: str, *, head: str) -> None:
        """Delete `branch` if it is at `head`. Raises `Moved` when it is not; idempotent."""
        ...

    def revert(self, repo: str, number: int, *, title: str, body: str) -> PullRequest:
        """Open a pull request that undoes a merged one, from the branch ``revert-NUMBER-BRANCH``."""
        ...

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None: ...

    def remove_label(self, repo: str, number: int, label: str) -> None:
        """Idempotent."""
        ...

    def comment(self, repo: str, number: int, body: str) -> None: ...

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest: ...

    def set_draft(self, repo: str, number: int, draft: bool) -> None: ...

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int: ...

    def labels(self, repo: str, number: int) -> tuple[Label, ...]:
        """Those on an issue or pull request now, fresh, with who put each on last and when."""
        ...

    def marked_issue(self, repo: str, marker: str, *, since: datetime | None = None) -> int | None:
        """The oldest issue of hive's own account, open or not, whose body has `marker`; of those made since
        then (less some minutes for clocks that differ) where a time is given."""
        ...

    def edit_issue(self, repo: str, number: int, *, body: str) -> None:
        """Raises `Missing` where it is gone."""
        ...

    def quotas(self, repo: str) -> tuple[Quota, ...]:
        """What the forge lets hive ask about `repo`, as it told last; nothing while it told nothing."""
        ...

    def close(self) -> None: ...
