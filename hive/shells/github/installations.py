"""The forge port as a GitHub App: each repository is reached by the installation that covers it.

Every installation has a client, a memory and limits of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from hive.facts.activity import Activity
from hive.facts.forge import CommitSighting, Label, PullRequest, RepositorySnapshot
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.facts.quotas import Quota
from hive.shells.github.app_tokens import AppTokens
from hive.shells.github.forge import GitHubForge
from hive.shells.github.limits import Limits


class InstalledForge:
    """Implements `ports.forge.Forge`. One thread at a time; `tokens` may be others' too.

    `limits` keeps what is known of each installation's, across forges that are built anew.
    """

    def __init__(
        self,
        api_url: str,
        tokens: AppTokens,
        *,
        now: Callable[[], datetime],
        up_to_date: Callable[[str], bool] = lambda repo: False,
        limits: dict[int, Limits] | None = None,
    ) -> None:
        self._tokens = tokens
        self._limits = limits if limits is not None else {}
        self._now = now
        self._build = partial(
            GitHubForge, api_url, now=now, up_to_date=up_to_date, refused=tokens.refused, login=tokens.login
        )
        self._forges: dict[int, GitHubForge] = {}

    def _of(self, repo: str) -> GitHubForge:
        number = self._tokens.installation(repo)
        if number not in self._forges:
            limits = self._limits.setdefault(number, Limits(f"installation {number}", self._now))
            self._forges[number] = self._build(partial(self._tokens.token, repo), limits=limits)
        return self._forges[number]

    def account(self) -> str:
        return self._tokens.login()

    def look(self, repo: str) -> RepositorySnapshot:
        return self._of(repo).look(repo)

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        return self._of(repo).activity(repo, approval_label)

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        return self._of(repo).details(repo, wanted)

    def knowledge(self, repo: str) -> tuple[KnowledgeFile, ...]:
        return self._of(repo).knowledge(repo)

    def pull_request(self, repo: str, number: int) -> PullRequest:
        return self._of(repo).pull_request(repo, number)

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        return self._of(repo).merge(repo, number, head=head, method=method, marker=marker)

    def commit(self, repo: str, ref: str) -> CommitSighting:
        return self._of(repo).commit(repo, ref)

    def enqueue(self, repo: str, number: int, *, head: str) -> None:
        self._of(repo).enqueue(repo, number, head=head)

    def dequeue(self, repo: str, number: int) -> None:
        self._of(repo).dequeue(repo, number)

    def update_branch(self, repo: str, number: int, *, head: str) -> None:
        self._of(repo).update_branch(repo, number, head=head)

    def delete_branch(self, repo: str, branch: str, *, head: str) -> None:
        self._of(repo).delete_branch(repo, branch, head=head)

    def revert(self, repo: str, number: int, *, title: str, body: str) -> PullRequest:
        return self._of(repo).revert(repo, number, title=title, body=body)

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        self._of(repo).add_labels(repo, number, labels)

    def remove_label(self, repo: str, number: int, label: str) -> None:
        self._of(repo).remove_label(repo, number, label)

    def comment(self, repo: str, number: int, body: str) -> None:
        self._of(repo).comment(repo, number, body)

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        return self._of(repo).open_pull_request(
            repo, head=head, base=base, title=title, body=body, draft=draft
        )

    def set_draft(self, repo: str, number: int, draft: bool) -> None:
        self._of(repo).set_draft(repo, number, draft)

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int:
        return self._of(repo).file_issue(repo, title=title, body=body, labels=labels)

    def labels(self, repo: str, number: int) -> tuple[Label, ...]:
        return self._of(repo).labels(repo, number)

    def marked_issue(self, repo: str, marker: str, *, since: datetime | None = None) -> int | None:
        return self._of(repo).marked_issue(repo, marker, since=since)

    def edit_issue(self, repo: str, number: int, *, body: str) -> None:
        self._of(repo).edit_issue(repo, number, body=body)

    def quotas(self, repo: str) -> tuple[Quota, ...]:
        return self._of(repo).quotas(repo)

    def close(self) -> None:
        for forge in self._forges.values():
            forge.close()
