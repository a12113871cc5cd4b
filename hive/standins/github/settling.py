"""What follows from a merge, however it came about."""

from hive.standins.github import issues
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository


def base_tip(forge: Forge, pull: Pull) -> str:
    """The present head of the base branch; where that is gone, the commit that it was last at."""
    return forge.repo_of(pull.repo).heads.get(pull.base, pull.base_sha)


def settle(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, commit: str, *, base_moved: bool = False
) -> None:
    """Everything that follows from `commit` being on the base: state, events, linked issues.

    `base_moved` says that `pull.base_sha` has the base from before, which the repository no longer knows.
    """
    issue = forge.issue_of(pull)
    pull.base_sha = pull.base_sha if base_moved else base_tip(forge, pull)
    pull.merged_at, pull.merged_by = forge.clock.now(), actor.id
    pull.merge_commit, pull.merging = commit, None
    forge.store.pulls.put(pull)
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
