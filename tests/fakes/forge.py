"""A forge in memory that merges, moves and refuses as the real one does, with failures on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count

from hive.errors import InDoubt, Missing, Moved, Refused, Unreachable, WorldError
from hive.facts.activity import Activity
from hive.facts.actors import Actor, ActorKind
from hive.facts.forge import (
    ChangedFile,
    Comment,
    CommitSighting,
    Issue,
    Label,
    PullRequest,
    PullRequestRef,
    RepositorySnapshot,
)
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import DetailsWanted, PullDetails
from hive.facts.quotas import Quota
from hive.shells.github.nouns import closes

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@dataclass
class FakeRepository:
    """Attributes:
    branches: By name, the commit at its tip.
    conflicts: Commits that cannot be merged.
    merges: Number, head and marker of each merge, in order.
    activity: What was done there lately, as the test has it.
    knowledge: What it says to those who work on it.
    """

    default_branch: str = "main"
    branches: dict[str, str] = field(default_factory=lambda: {"main": "0" * 40})
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    conflicts: set[str] = field(default_factory=set)
    merges: list[tuple[int, str, str]] = field(default_factory=list)
    activity: Activity = field(default_factory=Activity)
    knowledge: tuple[KnowledgeFile, ...] = ()
    numbers: count[int] = field(default_factory=lambda: count(1))


class FakeForge:
    """Implements `ports.forge.Forge`.

    Attributes:
        failures: Raised by the next calls, first come first served; an `InDoubt` is raised after the
            write was done, everything else before.
        writes: What was written, in order: method and ``o/r#7``.
    """

    def __init__(self, login: str = "hive-bot") -> None:
        self.repositories: dict[str, FakeRepository] = {}
        self.failures: list[WorldError] = []
        self.writes: list[tuple[str, str]] = []
        self.looks = 0
        self.now = START
        self._login = login
        self._commits = count(1)

    def add_repository(self, repo: str, default_branch: str = "main") -> FakeRepository:
        made = FakeRepository(default_branch, {default_branch: self.commit_id()})
        self.repositories[repo] = made
        return made

    def commit_id(self) -> str:
        """A commit that nobody has seen yet."""
        return f"{next(self._commits):040x}"

    def push(self, repo: str, branch: str) -> str:
        """A new commit on `branch`; open pull requests from it get a new head."""
        found, head = self._repo(repo), self.commit_id()
        found.branches[branch] = head
        for number, pull in found.pulls.items():
            if pull.state == "open" and pull.head_ref == branch:
                found.pulls[number] = replace(pull, head=head, pushed_at=self.now, checks=(), mergeable=True)
        return head

    def set_pull(self, repo: str, number: int, **changes: object) -> None:
        """Change fields of a pull request from outside: checks, labels, reviews."""
        found = self._repo(repo)
        found.pulls[number] = replace(self._pull(repo, number), **changes)  # type: ignore[arg-type]  # by name

    def quotas(self, repo: str) -> tuple[Quota, ...]:
        return ()

    def close(self) -> None:
        """Nothing is open."""

    def account(self) -> str:
        return self._login

    def look(self, repo: str) -> RepositorySnapshot:
        self._fail_before()
        self.looks += 1
        found = self._repo(repo)
        pulls = tuple(found.pulls.values())
        return RepositorySnapshot(
            repo=repo,
            default_branch=found.default_branch,
            issues=tuple(
                replace(issue, pull_requests=_claims(issue, pulls)) for issue in found.issues.values()
            ),
            pull_requests=tuple(pull for pull in pulls if pull.state == "open"),
            recent=tuple(pull for pull in pulls if pull.state != "open"),
            requests=1,
        )

    def activity(self, repo: str, approval_label: str = "") -> Activity:
        self._fail_before()
        return self._repo(repo).activity

    def details(self, repo: str, wanted: Sequence[DetailsWanted]) -> Mapping[int, PullDetails]:
        return {one.number: PullDetails(one.number, one.head) for one in wanted}

    def knowledge(self, repo: str) -> tuple[KnowledgeFile, ...]:
        return self._repo(repo).knowledge

    def pull_request(self, repo: str, number: int) -> PullRequest:
        self._fail_before()
        return self._pull(repo, number)

    def merge(self, repo: str, number: int, *, head: str, method: str, marker: str) -> str:
        self._fail_before()
        found, pull = self._repo(repo), self._pull(repo, number)
        if pull.head != head:
            raise Moved("forge", f"{repo}#{number} has another head")
        if pull.state != "open" or pull.draft or head in found.conflicts:
            raise Refused("forge", f"{repo}#{number} cannot be merged")
        merged = self.commit_id()
        found.branches[str(pull.base)] = merged
        found.pulls[number] = replace(pull, state="merged", merge_commit=merged)
        found.merges.append((number, head, marker))
        for issue in closes(f"{pull.title}\n{pull.body}", repo):
            found.issues.pop(issue, None)
        self._done("merge", repo, number)
        return merged

    def commit(self, repo: str, ref: str) -> CommitSighting:
        self._fail_before()
        found = self._repo(repo)
        if ref not in found.branches and ref not in found.branches.values():
            raise Missing("forge", f"there is no {ref} in {repo}")
        return CommitSighting(found.branches.get(ref, ref), ())

    def enqueue(self, repo: str, number: int, *, head: str) -> None:
        self._fail_before()
        if self._pull(repo, number).head != head:
            raise Moved("forge", f"{repo}#{number} has another head")
        raise Refused("forge", f"{repo} has no merge queue")

    def dequeue(self, repo: str, number: int) -> None:
        self._fail_before()
        raise Refused("forge", f"{repo}#{number} is in no merge queue")

    def update_branch(self, repo: str, number: int, *, head: str) -> None:
        if self._pull(repo, number).head != head:
            raise Moved("forge", f"the head of {repo}#{number} has moved")
        self.writes.append(("update-branch", f"{repo}#{number}"))

    def delete_branch(self, repo: str, branch: str, *, head: str) -> None:
        self._fail_before()
        found = self._repo(repo)
        if found.branches.get(branch, head) != head:
            raise Moved("forge", f"{branch} is somewhere else by now")
        found.branches.pop(branch, None)

    def revert(self, repo: str, number: int, *, title: str, body: str) -> PullRequest:
        pull = self._pull(repo, number)
        if pull.state != "merged":
            raise Refused("forge", f"{repo}#{number} was not merged")
        branch = f"revert-{number}-{pull.head_ref}"
        self._repo(repo).branches[branch] = self.commit_id()
        return self.open_pull_request(
            repo, head=branch, base=str(pull.base), title=title, body=body, draft=False
        )

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        self._fail_before()
        me = Actor(self._login, ActorKind.AGENT)
        kept = [label for label in self._labels(repo, number) if label.name not in labels]
        self._set_labels(repo, number, [*kept, *(Label(name, me, self.now) for name in labels)])
        self._done("add-labels", repo, number)

    def remove_label(self, repo: str, number: int, label: str) -> None:
        self._fail_before()
        kept = [one for one in self._labels(repo, number) if one.name.casefold() != label.casefold()]
        self._set_labels(repo, number, kept)
        self._done("remove-label", repo, number)

    def comment(self, repo: str, number: int, body: str) -> None:
        self._fail_before()
        found = self._repo(repo)
        if number in found.issues:
            issue = found.issues[number]
            said = Comment(Actor(self._login, ActorKind.AGENT), self.now, body)
            found.issues[number] = replace(issue, comments=(*issue.comments, said))
        else:
            self._pull(repo, number)
        self._done("comment", repo, number)

    def open_pull_request(
        self, repo: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        self._fail_before()
        found = self._repo(repo)
        taken = any(pull.state == "open" and pull.head_ref == head for pull in found.pulls.values())
        if taken or head not in found.branches or base not in found.branches:
            raise Refused("forge", f"a pull request from {head} to {base} cannot be opened")
        number = next(found.numbers)
        found.pulls[number] = PullRequest(
            number=number,
            draft=draft,
            author=Actor(self._login, ActorKind.AGENT),
            pushers=(self._login,),
            base=base,
            head=found.branches[head],
            mergeable=True,
            pushed_at=self.now,
            labels=(),
            checks=(),
            reviews=(),
            unresolved_threads=0,
            linked_issues=(),
            files=(ChangedFile("a.py"),),
            changed_files=1,
            repo=repo,
            title=title,
            body=body,
            head_ref=head,
            head_repo=repo,
        )
        self._done("open", repo, number)
        return found.pulls[number]

    def set_draft(self, repo: str, number: int, draft: bool) -> None:
        self._fail_before()
        self.set_pull(repo, number, draft=draft)
        self._done("set-draft", repo, number)

    def file_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str]) -> int:
        self._fail_before()
        found = self._repo(repo)
        number = next(found.numbers)
        agent = Actor(self._login, ActorKind.AGENT)
        found.issues[number] = Issue(
            number,
            title,
            body,
            repo,
            author=agent,
            created_at=self.now,
            labels=tuple(Label(name, agent, self.now) for name in labels),
        )
        self._done("file-issue", repo, number)
        return number

    def labels(self, repo: str, number: int) -> tuple[Label, ...]:
        self._fail_before()
        return self._labels(repo, number)

    def marked_issue(self, repo: str, marker: str, *, since: datetime | None = None) -> int | None:
        self._fail_before()
        found = self._repo(repo).issues.values()
        return next((one.number for one in found if marker in one.body), None)

    def edit_issue(self, repo: str, number: int, *, body: str) -> None:
        self._fail_before()
        found = self._repo(repo)
        if number not in found.issues:
            raise Missing("forge", f"there is no {repo}#{number}")
        found.issues[number] = replace(found.issues[number], body=body)
        self._done("edit-issue", repo, number)

    def _fail_before(self) -> None:
        if self.failures and not isinstance(self.failures[0], InDoubt):
            raise self.failures.pop(0)

    def _done(self, what: str, repo: str, number: int) -> None:
        self.writes.append((what, f"{repo}#{number}"))
        if self.failures:
            raise self.failures.pop(0)

    def _repo(self, repo: str) -> FakeRepository:
        if repo not in self.repositories:
            raise Missing("forge", f"there is no {repo}")
        return self.repositories[repo]

    def _pull(self, repo: str, number: int) -> PullRequest:
        found = self._repo(repo).pulls.get(number)
        if found is None:
            raise Missing("forge", f"there is no {repo}#{number}")
        return found

    def _labels(self, repo: str, number: int) -> tuple[Label, ...]:
        issue = self._repo(repo).issues.get(number)
        return issue.labels if issue is not None else self._pull(repo, number).labels or ()

    def _set_labels(self, repo: str, number: int, labels: Sequence[Label]) -> None:
        found = self._repo(repo)
        if number in found.issues:
            found.issues[number] = replace(found.issues[number], labels=tuple(labels))
        else:
            self.set_pull(repo, number, labels=tuple(labels))


def unreachable() -> Unreachable:
    """The usual failure."""
    return Unreachable("forge", "no answer in time")


def _claims(issue: Issue, pulls: Sequence[PullRequest]) -> tuple[PullRequestRef, ...]:
    """Open pull requests whose words say that they close `issue`."""
    return tuple(
        PullRequestRef(pull.number, pull.state, pull.author)
        for pull in pulls
        if pull.state == "open" and issue.number in closes(f"{pull.title}\n{pull.body}", issue.repo)
    )
