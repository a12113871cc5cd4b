"""Whether a pull request merges, and the merge itself: real commits, put on the base by compare-and-swap."""

import tempfile
from dataclasses import dataclass

from hive.standins.github import clock, issues
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GITHUB_SIGNATURE, GitFailure, GitRepo
from hive.standins.github.records import Account, Issue, Pull, Repository

MODIFIED = "Head branch was modified. Review and try the merge again."
METHODS = ("merge", "squash", "rebase")


def base_tip(forge: Forge, pull: Pull) -> str:
    """The present head of the base branch; where that is gone, the commit that it was last at."""
    return forge.repo_of(pull.repo).heads.get(pull.base, pull.base_sha)


def merged_tree(forge: Forge, repo: Repository, base: str, head: str) -> str | None:
    """The tree of `head` merged into `base`, or None where they conflict."""
    key = (repo.id, base, head)
    if key not in forge.mergeable:
        output = forge.git(repo).run("merge-tree", "--write-tree", "--no-messages", base, head, ok=(0, 1))
        lines = output.splitlines()
        # A conflict lists the paths in question after the tree.
        forge.mergeable[key] = lines[0] if len(lines) == 1 else None
    return forge.mergeable[key]


def look(forge: Forge, pull: Pull) -> bool | None:
    """`mergeable` as a reader gets it: None at the first look after a change, then git's answer."""
    if pull.merged_at or forge.issue_of(pull).state == "closed":
        return None
    base = base_tip(forge, pull)
    pair = f"{base}..{pull.head_sha}"
    if forge.looked_at.get(pull.id) != pair:
        forge.looked_at[pull.id] = pair
        return None
    return merged_tree(forge, forge.repo_of(pull.repo), base, pull.head_sha) is not None


@dataclass(frozen=True, slots=True)
class Merge:
    """How to merge; where title or message are None, GitHub's own are used."""

    method: str = "merge"
    title: str | None = None
    message: str | None = None


def merge(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, how: Merge, *, sha: str | None = None
) -> str:
    """Merge `pull` and return the commit that is now on the base.

    409 when `sha` is not the head, 405 when it cannot be merged as it stands.
    """
    issue = forge.issue_of(pull)
    if pull.merged_at or issue.state == "closed":
        raise ApiFailure(405, "Pull Request is not mergeable")
    if sha is not None and sha != pull.head_sha:
        raise ApiFailure(409, MODIFIED)
    if pull.draft:
        raise ApiFailure(405, "Pull Request is still a draft")
    base = base_tip(forge, pull)
    tree = merged_tree(forge, repo, base, pull.head_sha)
    if tree is None:
        raise ApiFailure(405, "Pull Request is not mergeable")
    commit = _commit(forge.git(repo), pull, _worded(repo, pull, issue, how), actor, base=base, tree=tree)
    pull.merging = commit
    forge.store.pulls.put(pull)
    # The intent is on disk before the base moves: see `finish_interrupted`.
    forge.store.commit()
    if not forge.git(repo).update(f"refs/heads/{pull.base}", commit, base):
        raise ApiFailure(405, "Base branch was modified. Review and try the merge again.")
    settle(forge, repo, pull, actor, commit)
    return commit


def _worded(repo: Repository, pull: Pull, issue: Issue, how: Merge) -> Merge:
    """`how` with GitHub's own words where it has none."""
    if how.method == "squash":
        title, message = f"{issue.title} (#{pull.number})", issue.body or ""
    else:
        owner = repo.full_name.split("/")[0]
        title, message = f"Merge pull request #{pull.number} from {owner}/{pull.head}", issue.title
    return Merge(how.method, how.title or title, how.message if how.message is not None else message)


def _commit(git: GitRepo, pull: Pull, how: Merge, actor: Account, *, base: str, tree: str) -> str:
    if how.method == "rebase":
        return _rebased(git, base, pull.head_sha)
    who = {"GIT_AUTHOR_NAME": actor.name or actor.login, "GIT_AUTHOR_EMAIL": email(actor), **GITHUB_SIGNATURE}
    parents = ("-p", base) if how.method == "squash" else ("-p", base, "-p", pull.head_sha)
    text = f"{how.title}\n\n{how.message}".encode("utf-8", "replace")
    return git.run("commit-tree", tree, *parents, data=text, variables=who).strip()


def _rebased(git: GitRepo, base: str, head: str) -> str:
    """The commits of `head` put on top of `base`; 405 where one does not apply."""
    with tempfile.TemporaryDirectory(prefix="rebase-") as folder:
        git.run("worktree", "add", "--quiet", "--detach", folder, head)
        try:
            git.run(
                "-C",
                folder,
                f"--git-dir={folder}/.git",
                "rebase",
                "--quiet",
                "--no-ff",
                base,
                variables=GITHUB_SIGNATURE,
            )
            return git.run("-C", folder, f"--git-dir={folder}/.git", "rev-parse", "HEAD").strip()
        except GitFailure as failure:
            raise ApiFailure(405, "This branch can't be rebased") from failure
        finally:
            git.run("worktree", "remove", "--force", folder)


def email(actor: Account) -> str:
    """The address that GitHub signs commits made on its pages with."""
    return f"{actor.id}+{actor.login}@users.noreply.github.com"


def settle(forge: Forge, repo: Repository, pull: Pull, actor: Account, commit: str) -> None:
    """Everything that follows from `commit` being on the base: state, events, linked issues."""
    issue = forge.issue_of(pull)
    pull.base_sha = base_tip(forge, pull)
    pull.merged_at, pull.merged_by, pull.merge_commit, pull.merging = clock.now(), actor.id, commit, None
    forge.store.pulls.put(pull)
    repo.heads[pull.base] = forge.git(repo).heads().get(pull.base, commit)
    repo.pushed_at = clock.now()
    forge.store.repositories.put(repo)
    issue.state, issue.closed_at, issue.closed_by = "closed", pull.merged_at, actor.id
    forge.event(issue, "merged", actor.id, commit=commit)
    forge.event(issue, "closed", actor.id)
    forge.record(actor, "pr.merge", issues.subject(repo, issue), commit)
    if pull.base == repo.default_branch:
        close_linked(forge, repo, actor, f"{issue.title}\n{issue.body or ''}", by=str(pull.number))


def close_linked(forge: Forge, repo: Repository, actor: Account, text: str, **data: str) -> None:
    """Close the open issues that `text` says it closes."""
    for number in issues.closed_by(text):
        linked = forge.issue(repo, number)
        if linked is not None and not linked.is_pull and linked.state == "open":
            issues.close(forge, repo, linked, actor, "completed", **data)


def finish_interrupted(forge: Forge) -> None:
    """After a crash: complete the merges whose commit is on the base, forget those whose commit is not."""
    for pull in forge.store.pulls:
        if pull.merging is None:
            continue
        repo = forge.repo_of(pull.repo)
        actor = forge.store.accounts.get(repo.owner)
        tip = forge.git(repo).heads().get(pull.base)
        if actor and tip and forge.git(repo).is_ancestor(pull.merging, tip):
            settle(forge, repo, pull, actor, pull.merging)
        else:
            pull.merging = None
            forge.store.pulls.put(pull)
