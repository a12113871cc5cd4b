"""People, CI and bots of a scenario, acting on a forge in the same process without HTTP.

    ada = Actor(forge, "ada")
    number = ada.opens_issue("o/r", "It crashes", labels=["bug"])
    sha = ada.pushes("o/r", "topic", {"a.txt": "text"})
    pull = ada.opens_pull("o/r", "topic", "Fix it", body=f"Fixes #{number}")
    Actor(forge, "ci[bot]", kind="app").reports("o/r", sha, "build", "success")

Each deed is one transaction with all that follows from it: webhooks, rules, stale approvals, closed issues.
"""

from hive.standins.github import checks, issues, labels, merging, pulls, refs, reviews, seed, threads, writing
from hive.standins.github.failures import not_found
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Issue, Pull, Repository


class Actor:
    """Somebody with an account; made where there is none.  `permission` is what they may do everywhere."""

    def __init__(self, forge: Forge, login: str, *, kind: str = "person", permission: str = "") -> None:
        self.forge = forge
        with forge.transaction():
            self.account: Account = seed.ensure_account(forge, login, kind)
            if permission:
                self.account.permissions["*"] = permission
                forge.store.accounts.put(self.account)

    def _repo(self, name: str) -> Repository:
        repo = self.forge.repository(name)
        if repo is None:
            raise not_found()
        return repo

    def _issue(self, name: str, number: int) -> tuple[Repository, Issue]:
        repo = self._repo(name)
        return repo, issues.get(self.forge, repo, number)

    def _pull(self, name: str, number: int) -> tuple[Repository, Pull]:
        repo = self._repo(name)
        return repo, pulls.get(self.forge, repo, number)

    def opens_issue(
        self, repo: str, title: str, body: str | None = None, *, labels: list[str] | None = None
    ) -> int:
        """A new issue's number."""
        with self.forge.transaction():
            made = issues.create(self.forge, self._repo(repo), self.account, title, body, label_names=labels)
            return made.number

    def labels(self, repo: str, number: int, *names: str) -> None:
        """Put labels on."""
        with self.forge.transaction():
            where, issue = self._issue(repo, number)
            labels.add(self.forge, where, issue, list(names), self.account)

    def unlabels(self, repo: str, number: int, name: str) -> None:
        """Take a label off."""
        with self.forge.transaction():
            where, issue = self._issue(repo, number)
            labels.take_off(self.forge, where, issue, name, self.account)

    def comments(self, repo: str, number: int, body: str) -> int:
        """A comment's id."""
        with self.forge.transaction():
            where, issue = self._issue(repo, number)
            return issues.comment(self.forge, where, issue, self.account, body).id

    def closes(self, repo: str, number: int) -> None:
        """Close an issue or pull request."""
        with self.forge.transaction():
            where, issue = self._issue(repo, number)
            issues.close(self.forge, where, issue, self.account)

    def reopens(self, repo: str, number: int) -> None:
        """Open it again; a pull request whose branch is gone is a 422."""
        with self.forge.transaction():
            where, issue = self._issue(repo, number)
            pull = self.forge.pull(where, number)
            if pull is not None:
                pulls.reopen(self.forge, where, pull, self.account)
            else:
                issues.reopen(self.forge, where, issue, self.account)

    def pushes(
        self,
        repo: str,
        branch: str,
        files: dict[str, str | None],
        *,
        base: str | None = None,
        force: bool = False,
        message: str = "Change",
    ) -> str:
        """Put a commit with these files on a branch, and return it.

        A new branch begins at `base` (the default branch where it is None); `force` starts an old one anew.
        """
        with self.forge.transaction():
            where = self._repo(repo)
            git, heads = self.forge.git(where), where.heads
            parent = heads.get(branch) if not force else None
            parent = parent or heads.get(base or where.default_branch) or base or ""
            data = {name: None if text is None else text.encode() for name, text in files.items()}
            made = writing.commit(git, parent, data, message, self.account)
            git.update(f"refs/heads/{branch}", made)
            refs.take_in(self.forge, where, self.account)
            return made

    def deletes_branch(self, repo: str, branch: str) -> None:
        """Remove a branch, which closes its pull requests."""
        with self.forge.transaction():
            where = self._repo(repo)
            self.forge.git(where).delete(f"refs/heads/{branch}")
            refs.take_in(self.forge, where, self.account)

    def opens_pull(
        self, repo: str, branch: str, title: str, *, body: str = "", base: str = "", draft: bool = False
    ) -> int:
        """A new pull request's number."""
        with self.forge.transaction():
            where = self._repo(repo)
            wanted = pulls.Proposal(title, body, branch, base or where.default_branch, draft)
            return pulls.create(self.forge, where, self.account, wanted).number

    def reviews(self, repo: str, number: int, event: str, body: str = "") -> int:
        """A review's id; `event` is APPROVE, REQUEST_CHANGES or COMMENT."""
        with self.forge.transaction():
            where, pull = self._pull(repo, number)
            return reviews.submit(self.forge, where, pull, self.account, event=event, body=body).id

    def remarks(self, repo: str, number: int, path: str, line: int, body: str) -> int:
        """Begin a conversation about a line, and return the thread's id."""
        with self.forge.transaction():
            where, pull = self._pull(repo, number)
            remark = threads.Remark(path, body, line)
            review = reviews.remark_alone(self.forge, where, pull, self.account, remark)
            said = self.forge.store.line_comments.of(where.id, number)
            return next(each.thread for each in said if each.review == review.id)

    def resolves(self, thread: int, resolved: bool = True) -> None:
        """Close a conversation, or open it again."""
        with self.forge.transaction():
            found = self.forge.store.threads.get(thread)
            if found is None:
                raise not_found()
            threads.resolve(self.forge, found, self.account, resolved)

    def reports(
        self,
        repo: str,
        sha: str,
        name: str,
        conclusion: str | None,
        *,
        workflow: str | None = None,
        log: str = "",
    ) -> int:
        """A check run's id; without a conclusion it is in progress.  Each call makes a new run."""
        with self.forge.transaction():
            where, slug = self._repo(repo), self.account.login.removesuffix("[bot]")
            run = checks.create_run(self.forge, where, sha, name, slug)
            run.workflow, run.text = workflow, log or None
            checks.update_run(self.forge, run, "completed" if conclusion else "in_progress", conclusion)
            detail = f"{name}: {conclusion or run.status}"
            self.forge.record(self.account, "check.report", f"{where.full_name}@{sha}", detail)
            return run.id

    def states(self, repo: str, sha: str, context: str, state: str) -> None:
        """A commit status."""
        with self.forge.transaction():
            checks.set_status(
                self.forge,
                self._repo(repo),
                self.account,
                sha,
                state=state,
                context=context,
                description=None,
                target_url=None,
            )

    def merges(self, repo: str, number: int, method: str = "merge") -> str:
        """Merge a pull request, and return the commit on the base."""
        with self.forge.transaction():
            where, pull = self._pull(repo, number)
            return merging.merge(self.forge, where, pull, self.account, merging.Merge(method))
