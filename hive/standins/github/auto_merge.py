"""Auto-merge, updating a branch from its base, and what has to be looked at again after every change."""

from hive.standins.github import enforcing, issues, merge_queue, merging, refs, rules, settling, writing
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository


def enable(forge: Forge, repo: Repository, pull: Pull, actor: Account, how: merging.Merge) -> None:
    """Merge it once nothing is against it any more; 422 where that is so already, or not allowed."""
    if not repo.allow_auto_merge:
        raise ApiFailure(422, "Auto merge is not allowed for this repository")
    if not enforcing.obstacles(forge, repo, pull, actor) and not pull.draft:
        raise ApiFailure(422, "Pull request Pull request is in clean status")
    pull.auto_merge = {
        "by": actor.id,
        "at": forge.clock.now(),
        "method": how.method,
        "title": how.title,
        "message": how.message,
    }
    forge.store.pulls.put(pull)
    issue = forge.issue_of(pull)
    forge.event(issue, "auto_merge_enabled", actor.id)
    forge.record(actor, "pr.auto-merge", issues.subject(repo, issue), how.method)


def disable(forge: Forge, repo: Repository, pull: Pull, actor: Account, reason: str = "") -> None:
    """Merge it by itself no longer."""
    if pull.auto_merge is None:
        raise ApiFailure(422, "Can't disable auto-merge for this pull request.")
    pull.auto_merge = None
    forge.store.pulls.put(pull)
    issue = forge.issue_of(pull)
    forge.event(issue, "auto_merge_disabled", actor.id, reason=reason)
    forge.record(actor, "pr.auto-merge-off", issues.subject(repo, issue), reason)


def look(forge: Forge) -> None:
    """Merge what waited for this moment, and move the queues on; called before each commit of a write."""
    for repo_id in sorted({entry.repo for entry in forge.store.queue}):
        repo = forge.repo_of(repo_id)
        for base in sorted({entry.base for entry in forge.store.queue.of(repo_id)}):
            merge_queue.advance(forge, repo, base)
    for pull in [each for each in forge.store.pulls if each.auto_merge is not None]:
        if pull.merged_at is None and forge.issue_of(pull).state == "open":
            _try(forge, forge.repo_of(pull.repo), pull)


def _try(forge: Forge, repo: Repository, pull: Pull) -> None:
    given = pull.auto_merge or {}
    by = given.get("by")
    actor = forge.store.accounts.get(by if isinstance(by, int) else None)
    if actor is None or pull.draft:
        return
    if merging.merged_tree(forge, repo, settling.base_tip(forge, pull), pull.head_sha) is None:
        return
    required = rules.requirements(forge, repo, pull.base, actor)
    if required.queue is not None:
        if not enforcing.obstacles(forge, repo, pull, actor) and merge_queue.entry_of(forge, pull) is None:
            pull.auto_merge = None
            merge_queue.enqueue(forge, repo, pull, actor)
        return
    method = str(given.get("method") or "merge")
    if not enforcing.obstacles(forge, repo, pull, actor, method):
        title, message = given.get("title"), given.get("message")
        pull.auto_merge = None
        how = merging.Merge(method, str(title) if title else None, str(message) if message else None)
        try:
            merging.merge(forge, repo, pull, actor, how)
        except ApiFailure as failure:
            forge.event(forge.issue_of(pull), "auto_merge_disabled", actor.id, reason=failure.message)


def update_branch(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, *, sha: str | None = None
) -> str:
    """Merge the base into the head; 422 for another head, a conflict, or nothing to merge."""
    base = settling.base_tip(forge, pull)
    if sha is not None and sha != pull.head_sha:
        raise ApiFailure(422, "expected head sha didn\u2019t match current head ref.")
    git = forge.git(repo)
    if git.is_ancestor(base, pull.head_sha):
        raise ApiFailure(422, "There are no new commits on the base branch.")
    tree = merging.merged_tree(forge, repo, base, pull.head_sha)
    if tree is None:
        raise ApiFailure(422, "merge conflict between base and head")
    message = f"Merge branch '{pull.base}' into {pull.head}\n"
    made = writing.merge_commit(git, tree, (pull.head_sha, base), message, actor)
    git.update(f"refs/heads/{pull.head}", made, pull.head_sha)
    refs.take_in(forge, repo, actor)
    return made
