"""What issues hang on: dependencies, parts, milestones and locks."""

from hive.standins.github import access, issues
from hive.standins.github.failures import invalid
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Issue, Repository
from hive.standins.github.records_issues import Milestone

TYPES = ("Task", "Bug", "Feature")
"""The issue types that every organization begins with."""


def blocked_by(forge: Forge, issue: Issue) -> list[Issue]:
    """What has to be closed before `issue`."""
    found = (forge.store.issues.get(number) for number in issue.blocked_by)
    return [each for each in found if each is not None]


def blocking(forge: Forge, issue: Issue) -> list[Issue]:
    """What waits for `issue`."""
    return [each for each in forge.store.issues if issue.id in each.blocked_by]


def block(forge: Forge, issue: Issue, by: Issue, actor: Account) -> None:
    """Let `issue` wait for `by`; 422 for itself, a circle, or what it waits for already."""
    if by.id == issue.id or by.id in issue.blocked_by or _waits_for(forge, by, issue.id):
        raise invalid("Issue", "issue_id")
    issue.blocked_by.append(by.id)
    forge.event(issue, "blocked_by_added", actor.id, by=str(by.number))
    forge.record(actor, "issue.block", issues.subject(forge.repo_of(issue.repo), issue), str(by.number))


def _waits_for(forge: Forge, issue: Issue, number: int) -> bool:
    return any(each.id == number or _waits_for(forge, each, number) for each in blocked_by(forge, issue))


def unblock(forge: Forge, issue: Issue, by: Issue, actor: Account) -> None:
    """Let `issue` wait for `by` no longer; 422 where it does not."""
    if by.id not in issue.blocked_by:
        raise invalid("Issue", "issue_id")
    issue.blocked_by.remove(by.id)
    forge.event(issue, "blocked_by_removed", actor.id, by=str(by.number))


def parts(forge: Forge, issue: Issue) -> list[Issue]:
    """The issues that are parts of `issue`."""
    return [each for each in forge.store.issues if each.parent == issue.id]


def set_parent(forge: Forge, part: Issue, whole: Issue | None, actor: Account) -> None:
    """Make `part` a part of `whole`, or of nothing; 422 for itself."""
    if whole is not None and whole.id == part.id:
        raise invalid("Issue", "sub_issue_id")
    part.parent = whole.id if whole else None
    forge.event(part, "parent_issue_added" if whole else "parent_issue_removed", actor.id)


def set_lock(
    forge: Forge, repo: Repository, issue: Issue, actor: Account, locked: bool, reason: str | None = None
) -> None:
    """Lock a conversation, or unlock it."""
    issue.locked, issue.lock_reason = locked, reason
    given = {"reason": reason} if reason else {}
    forge.event(issue, "locked" if locked else "unlocked", actor.id, **given)
    forge.record(actor, "issue.lock" if locked else "issue.unlock", issues.subject(repo, issue))


def assignable(forge: Forge, repo: Repository) -> list[Account]:
    """Who may be assigned: the people who may write."""
    people = (who for who in forge.store.accounts if who.kind == "person")
    return [who for who in people if access.may(forge, who, repo, "write")]


def create_milestone(
    forge: Forge,
    repo: Repository,
    actor: Account,
    title: str,
    *,
    description: str | None = None,
    due_on: str | None = None,
) -> Milestone:
    """A new milestone; 422 for a title that is taken."""
    table, now = forge.store.milestones, forge.clock.now()
    taken = table.of(repo.id)
    if any(each.title == title for each in taken):
        raise invalid("Milestone", "title", "already_exists")
    return table.put(
        Milestone(table.next_id(), repo.id, len(taken) + 1, title, actor.id, now, now, description, due_on)
    )


def set_milestone(forge: Forge, issue: Issue, wanted: Milestone | None, actor: Account) -> None:
    """Put an issue under a milestone, or under none."""
    before = forge.store.milestones.get(issue.milestone)
    if before is not None and before is not wanted:
        forge.event(issue, "demilestoned", actor.id, milestone=before.title)
    issue.milestone = wanted.id if wanted else None
    if wanted is not None and wanted is not before:
        forge.event(issue, "milestoned", actor.id, milestone=wanted.title)
    forge.touch(issue)
