"""Whether a pull request merges, and the merge itself: real commits, put on the base by compare-and-swap."""

import tempfile
from dataclasses import dataclass

from hive.standins.github import enforcing, refs, settling
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GITHUB_SIGNATURE, GitFailure, GitRepo
from hive.standins.github.records import Account, Issue, Pull, Repository

MODIFIED = "Head branch was modified. Review and try the merge again."
METHODS = ("merge", "squash", "rebase")


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
    base = settling.base_tip(forge, pull)
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
    enforcing.check_merge(forge, repo, pull, actor, how.method)
    return carry_out(forge, repo, pull, actor, how)


def carry_out(forge: Forge, repo: Repository, pull: Pull, actor: Account, how: Merge) -> str:
    """The merge itself, once nothing is against it; 405 for a conflict."""
    issue, base = forge.issue_of(pull), settling.base_tip(forge, pull)
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
    settling.settle(forge, repo, pull, actor, commit)
    if repo.delete_branch_on_merge and pull.head in repo.heads:
        forge.git(repo).delete(f"refs/heads/{pull.head}")
    refs.take_in(forge, repo, actor, merged=pull.base)
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
    # git takes no NUL in a message; GitHub leaves it out.
    text = f"{how.title}\n\n{how.message}".replace("\0", "").encode("utf-8", "replace")
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


def finish_interrupted(forge: Forge) -> None:
    """After a crash: complete the merges whose commit is on the base, and take in what was pushed."""
    for pull in forge.store.pulls:
        if pull.merging is None:
            continue
        repo = forge.repo_of(pull.repo)
        actor = forge.store.accounts.get(repo.owner)
        tip = forge.git(repo).heads().get(pull.base)
        if actor and tip and forge.git(repo).is_ancestor(pull.merging, tip):
            settling.settle(forge, repo, pull, actor, pull.merging)
        else:
            pull.merging = None
            forge.store.pulls.put(pull)
    for repo in forge.store.repositories:
        owner = forge.store.accounts.get(repo.owner)
        if owner is not None:
            refs.take_in(forge, repo, owner)
