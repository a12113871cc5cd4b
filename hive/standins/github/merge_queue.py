"""The merge queue of a base: entries in order, each checked on what is before it, merged when that is green.

`gh-readonly-queue/BASE/pr-N-SHA` is the branch of an entry's group, where its checks are reported.
"""

from hive.standins.github import enforcing, issues, merging, refs, rules, settling, writing
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository
from hive.standins.github.records_queue import QueueEntry


def entries(forge: Forge, repo: Repository, base: str) -> list[QueueEntry]:
    """Who waits for a base, the first one first."""
    return [each for each in forge.store.queue.of(repo.id) if each.base == base]


def entry_of(forge: Forge, pull: Pull) -> QueueEntry | None:
    """The entry of a pull request."""
    found = forge.store.queue.of(pull.repo)
    return next((each for each in found if each.number == pull.number), None)


def enqueue(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, *, sha: str | None = None
) -> QueueEntry:
    """Put it at the end; 422 where there is no queue, 409 on another head, 405 for what may not be merged."""
    if rules.requirements(forge, repo, pull.base).queue is None:
        raise ApiFailure(422, "The merge queue is not enabled for this branch")
    if sha is not None and sha != pull.head_sha:
        raise ApiFailure(409, merging.MODIFIED)
    if forge.issue_of(pull).state != "open" or pull.draft:
        raise ApiFailure(405, "Pull Request is not mergeable")
    against = [each for each in enforcing.obstacles(forge, repo, pull, actor) if each.kind != "behind"]
    if against:
        raise ApiFailure(405, "\n".join(each.message for each in against))
    if entry_of(forge, pull) is not None:
        raise ApiFailure(422, "Pull request is already in the merge queue")
    table = forge.store.queue
    made = table.put(
        QueueEntry(
            table.next_id(), repo.id, pull.base, pull.number, pull.head_sha, actor.id, forge.clock.now()
        )
    )
    issue = forge.issue_of(pull)
    forge.event(issue, "added_to_merge_queue", actor.id)
    forge.record(actor, "pr.enqueue", issues.subject(repo, issue))
    advance(forge, repo, pull.base)
    return made


def dequeue(forge: Forge, repo: Repository, pull: Pull, actor: Account, reason: str = "manual") -> None:
    """Take it out; those behind it are built anew."""
    found = entry_of(forge, pull)
    if found is None:
        raise ApiFailure(422, "Pull request is not in the merge queue")
    _drop(forge, repo, found)
    issue = forge.issue_of(pull)
    forge.event(issue, "removed_from_merge_queue", actor.id, reason=reason)
    forge.record(actor, "pr.dequeue", issues.subject(repo, issue), reason)
    advance(forge, repo, pull.base)


def _drop(forge: Forge, repo: Repository, entry: QueueEntry) -> None:
    forge.store.queue.remove(entry)
    forge.git(repo).delete(f"refs/heads/{branch_of(entry)}")
    actor = forge.store.accounts.get(entry.by)
    if actor is not None:
        refs.take_in(forge, repo, actor)


def branch_of(entry: QueueEntry) -> str:
    """The branch of an entry's group."""
    return f"gh-readonly-queue/{entry.base}/pr-{entry.number}-{entry.head_sha}"


def advance(forge: Forge, repo: Repository, base: str) -> None:
    """Build the groups that are missing, merge the first ones that are green, drop what failed."""
    before = repo.heads[base]
    for entry in entries(forge, repo, base):
        pull = forge.pull(repo, entry.number)
        actor = forge.store.accounts.get(entry.by)
        if pull is None or actor is None:
            continue
        if pull.head_sha != entry.head_sha or forge.issue_of(pull).state != "open":
            dequeue(forge, repo, pull, actor, "head_changed")
            return
        if (entry.group is None or entry.on != before) and not _build(forge, repo, pull, entry, before):
            dequeue(forge, repo, pull, actor, "merge_conflict")
            return
        assert entry.group is not None
        state = _state(forge, repo, entry)
        if state == "failing":
            dequeue(forge, repo, pull, actor, "failed_checks")
            return
        if state == "success" and before == repo.heads[base]:
            _merge(forge, repo, pull, entry, actor)
        before = entry.group


def _build(forge: Forge, repo: Repository, pull: Pull, entry: QueueEntry, on: str) -> bool:
    tree = merging.merged_tree(forge, repo, on, entry.head_sha)
    actor = forge.store.accounts.get(entry.by)
    if tree is None or actor is None:
        return False
    message = f"Merge pull request #{pull.number} from {pull.head}\n"
    required = rules.requirements(forge, repo, entry.base).queue or {}
    squash = required.get("merge_method") in ("SQUASH", "REBASE")
    parents = (on,) if squash else (on, entry.head_sha)
    entry.group = writing.merge_commit(forge.git(repo), tree, parents, message, actor)
    entry.on = on
    forge.git(repo).update(f"refs/heads/{branch_of(entry)}", entry.group)
    forge.store.queue.put(entry)
    refs.take_in(forge, repo, actor)
    return True


def _state(forge: Forge, repo: Repository, entry: QueueEntry) -> str:
    assert entry.group is not None
    contexts = rules.requirements(forge, repo, entry.base).contexts
    states = {enforcing.context_state(forge, repo, entry.group, each) for each in contexts}
    if "failing" in states:
        return "failing"
    return "pending" if states - {"success"} else "success"


def _merge(forge: Forge, repo: Repository, pull: Pull, entry: QueueEntry, actor: Account) -> None:
    assert entry.group is not None
    forge.store.queue.remove(entry)
    forge.git(repo).update(f"refs/heads/{entry.base}", entry.group, entry.on)
    settling.settle(forge, repo, pull, actor, entry.group)
    forge.git(repo).delete(f"refs/heads/{branch_of(entry)}")
    refs.take_in(forge, repo, actor, merged=entry.base)


def state_of(forge: Forge, repo: Repository, entry: QueueEntry) -> str:
    """GraphQL's `MergeQueueEntryState`."""
    if entry.group is None:
        return "QUEUED"
    return "AWAITING_CHECKS" if _state(forge, repo, entry) == "pending" else "MERGEABLE"
