"""Pull requests that undo a merged one, with git's own revert."""

import tempfile
from dataclasses import dataclass

from hive.standins.github import pulls, refs
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GITHUB_SIGNATURE, GitFailure, GitRepo
from hive.standins.github.merging import email
from hive.standins.github.records import Account, Pull, Repository


@dataclass(frozen=True, slots=True)
class Words:
    """Of the new pull request; GitHub's own where there are none."""

    title: str | None = None
    body: str | None = None
    draft: bool = False


def revert(forge: Forge, repo: Repository, pull: Pull, actor: Account, words: Words) -> Pull:
    """Open it from ``revert-N-BRANCH``; 422 for what was not merged or cannot be undone as it is."""
    if pull.merge_commit is None or pull.base not in repo.heads:
        raise ApiFailure(422, "Pull request is not merged")
    git, branch = forge.git(repo), f"revert-{pull.number}-{pull.head}"
    if branch in repo.heads:
        raise ApiFailure(422, "This pull request has been reverted already")
    commit = _undone(git, repo.heads[pull.base], pull.merge_commit, actor)
    git.update(f"refs/heads/{branch}", commit)
    refs.take_in(forge, repo, actor)
    wanted = pulls.Proposal(
        title=words.title or f'Revert "{forge.issue_of(pull).title}"',
        body=words.body if words.body is not None else f"Reverts {repo.full_name}#{pull.number}",
        head=branch,
        base=pull.base,
        draft=words.draft,
    )
    return pulls.create(forge, repo, actor, wanted)


def _undone(git: GitRepo, tip: str, merged: str, actor: Account) -> str:
    """A commit on top of `tip` without what `merged` brought."""
    parents = git.run("rev-list", "--parents", "-n", "1", merged).split()[1:]
    mainline = ("-m", "1") if len(parents) > 1 else ()
    who = {"GIT_AUTHOR_NAME": actor.name or actor.login, "GIT_AUTHOR_EMAIL": email(actor), **GITHUB_SIGNATURE}
    with tempfile.TemporaryDirectory(prefix="revert-") as folder:
        here = ("-C", folder, f"--git-dir={folder}/.git")
        git.run("worktree", "add", "--quiet", "--detach", folder, tip)
        try:
            git.run(*here, "revert", "--no-edit", *mainline, merged, variables=who)
            return git.run(*here, "rev-parse", "HEAD").strip()
        except GitFailure as failure:
            raise ApiFailure(422, "This pull request cannot be reverted as it is") from failure
        finally:
            git.run("worktree", "remove", "--force", folder)
