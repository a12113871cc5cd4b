"""Branches as they move: pushes and ref edits, and what follows from them for pull requests."""

from hive.standins.github import issues, reviews, rules, settling, threads
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository


def take_in(forge: Forge, repo: Repository, actor: Account, *, merged: str | None = None) -> None:
    """Compare git's branches with those last taken into account, and act on every difference.

    `merged` is the branch that a merge moved, which the audit tells from a push.
    """
    before, after = repo.heads, forge.git(repo).heads()
    moved = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    if not moved:
        return
    repo.heads, repo.pushed_at = after, forge.clock.now()
    forge.store.repositories.put(repo)
    for name in moved:
        what = "ref.delete" if name not in after else "ref.update" if name in before else "ref.create"
        what = "ref.merge" if name == merged else what
        forge.record(actor, what, f"{repo.full_name}@{name}", after.get(name, ""))
    for pull in forge.pulls_of(repo):
        if forge.issue_of(pull).state == "open":
            _head_moved(forge, repo, pull, actor, moved)
            _base_moved(forge, repo, pull, actor, moved=moved, before=before)
    old, new = before.get(repo.default_branch), after.get(repo.default_branch)
    if repo.default_branch in moved and old and new:
        _close_from_commits(forge, repo, actor, old, new)


def _head_moved(forge: Forge, repo: Repository, pull: Pull, actor: Account, moved: list[str]) -> None:
    if pull.head not in moved:
        return
    issue, new = forge.issue_of(pull), repo.heads.get(pull.head)
    if new is None:
        forge.event(issue, "head_ref_deleted", actor.id)
        issues.close(forge, repo, issue, actor)
        return
    if not forge.git(repo).is_ancestor(pull.head_sha, new):
        forge.event(issue, "head_ref_force_pushed", actor.id, old=pull.head_sha, new=new)
    pull.head_sha, pull.pushed_at, pull.pushed_by = new, forge.clock.now(), actor.id
    forge.store.pulls.put(pull)
    forge.touch(issue)
    forge.git(repo).update(f"refs/pull/{pull.number}/head", new)
    forge.announce(actor, "pr.head", issues.subject(repo, issue), new)
    threads.head_moved(forge, repo, pull)
    if rules.requirements(forge, repo, pull.base).dismiss_stale:
        reviews.head_moved(forge, repo, pull, actor)
    if forge.checker:
        forge.checker.head_moved(repo, pull)


def _base_moved(
    forge: Forge,
    repo: Repository,
    pull: Pull,
    actor: Account,
    *,
    moved: list[str],
    before: dict[str, str],
) -> None:
    """A base that contains the head has merged it; a base that is gone closes the pull request."""
    issue = forge.issue_of(pull)
    if issue.state != "open" or not {pull.base, pull.head} & set(moved):
        return
    tip = repo.heads.get(pull.base)
    if tip is None:
        issues.close(forge, repo, issue, actor)
    elif forge.git(repo).is_ancestor(pull.head_sha, tip):
        pull.base_sha = before.get(pull.base, pull.base_sha)
        settling.settle(forge, repo, pull, actor, tip, base_moved=True)


def _close_from_commits(forge: Forge, repo: Repository, actor: Account, old: str, new: str) -> None:
    for commit in forge.git(repo).log(f"{old}..{new}"):
        settling.close_linked(forge, repo, actor, commit.message, commit=commit.sha)
