"""The one thing that every part of the stand-in works on: records, repositories, and the lock around them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from hive.standins.github.clock import Clock
from hive.standins.github.failures import not_found
from hive.standins.github.gitrepo import GitRepo
from hive.standins.github.records import Account, Event, Issue, Pull, Repository, Write
from hive.standins.github.store import Store


class Checker(Protocol):
    """Runs the check command of a new head, elsewhere."""

    def head_moved(self, repo: Repository, pull: Pull) -> None:
        """A pull request has a new head; called under the lock."""


class Listener(Protocol):
    """Is told of every write and event while it is made, under the lock."""

    def wrote(self, actor: Account | None, what: str, subject: str, detail: str) -> None:
        """A line of the audit."""

    def happened(self, issue: Issue, event: Event) -> None:
        """An event in the history of an issue or pull request."""


class Forge:
    """State and repositories under one folder; `lock` is held for the whole of every request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = Clock()
        self.lock = threading.RLock()
        self.store = Store(root / "state.sqlite3")
        self.checker: Checker | None = None
        self.listener: Listener | None = None
        self.before_commit: list[Callable[[], None]] = []
        """Called under the lock when a request has made its changes."""
        self.after_commit: list[Callable[[], None]] = []
        """Called under the lock when a request's changes are on disk."""
        self.looked_at: dict[int, str] = {}
        """Pull id to the (head, base) pair last looked at; the first look finds `mergeable` unknown."""
        self.mergeable: dict[tuple[int, str, str], str | None] = {}
        """(repo, base commit, head commit) to the merged tree, or None where they conflict."""
        self._git: dict[str, GitRepo] = {}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One request's changes: alone while they are made, on disk before they are answered."""
        with self.lock:
            try:
                yield
                for follow in self.before_commit:
                    follow()
            finally:
                self.store.commit()
                for follow in self.after_commit:
                    follow()

    def discard(self) -> None:
        """Forget everything that was kept, on disk too."""
        self.store.close()
        for path in self.root.glob("state.sqlite3*"):
            path.unlink()

    def git(self, repo: Repository) -> GitRepo:
        """The bare repository of `repo`."""
        if repo.full_name not in self._git:
            self._git[repo.full_name] = GitRepo(self.path_of(repo.full_name))
        return self._git[repo.full_name]

    def path_of(self, full_name: str) -> Path:
        """Where the bare repository of `owner/name` is or will be."""
        return self.root / "git" / f"{full_name}.git"

    def account(self, login: str) -> Account | None:
        """The account of a login, in any case."""
        return self.store.accounts.last_of(login.lower())

    def login(self, account: int | None) -> str:
        """An account's login; `ghost` for nobody, as GitHub shows deleted ones."""
        found = self.store.accounts.get(account)
        return found.login if found else "ghost"

    def repository(self, full_name: str) -> Repository | None:
        """The repository `owner/name`, in any case."""
        return self.store.repositories.last_of(full_name.lower())

    def repo_of(self, record_repo: int) -> Repository:
        """The repository with this id, which some record refers to."""
        found = self.store.repositories.get(record_repo)
        if found is None:
            raise not_found()
        return found

    def issue(self, repo: Repository, number: int) -> Issue | None:
        """Issue or pull request `number`."""
        return self.store.issues.last_of(repo.id, number)

    def pull(self, repo: Repository, number: int) -> Pull | None:
        """Pull request `number`."""
        return self.store.pulls.last_of(repo.id, number)

    def issues_of(self, repo: Repository) -> list[Issue]:
        """All issues and pull requests of `repo`, by number."""
        numbered = (self.store.issues.last_of(repo.id, number) for number in range(1, repo.next_number))
        return [issue for issue in numbered if issue is not None]

    def pulls_of(self, repo: Repository) -> list[Pull]:
        """All pull requests of `repo`, by number."""
        numbered = (self.store.pulls.last_of(repo.id, number) for number in range(1, repo.next_number))
        return [pull for pull in numbered if pull is not None]

    def issue_of(self, pull: Pull) -> Issue:
        """The issue part of a pull request."""
        issue = self.store.issues.last_of(pull.repo, pull.number)
        if issue is None:
            raise not_found()
        return issue

    def record(self, actor: Account | None, what: str, subject: str, detail: str = "") -> None:
        """Add to the audit; `what` is `noun.verb`, `subject` such as `o/r#7` or `o/r@branch`."""
        table, who = self.store.writes, actor.login if actor else ""
        table.put(Write(table.next_id(), self.clock.now(), who, what, subject, detail))
        self.announce(actor, what, subject, detail)

    def announce(self, actor: Account | None, what: str, subject: str, detail: str = "") -> None:
        """Tell the listener of what follows from a write, which the audit has already."""
        if self.listener is not None:
            self.listener.wrote(actor, what, subject, detail)

    def event(
        self, issue: Issue, kind: str, actor: int | None, *, at: str | None = None, **data: str
    ) -> Event:
        """Add to an issue's history, and mark it as changed."""
        table = self.store.events
        when = at or self.clock.now()
        self.touch(issue)
        made = table.put(Event(table.next_id(), issue.repo, issue.number, kind, actor, when, data))
        if self.listener is not None:
            self.listener.happened(issue, made)
        return made

    def touch(self, issue: Issue) -> None:
        """Mark an issue as changed now."""
        issue.updated_at = self.clock.now()
        self.store.issues.put(issue)
