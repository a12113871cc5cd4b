"""Issues and conversation comments: opening, editing, closing, assigning."""

import re

from hive.standins.github import labels
from hive.standins.github.failures import ApiFailure, forbidden, invalid, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Comment, Issue, Repository

_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?#(\d+)", re.IGNORECASE
)
# GitHub's own bound on bodies (documented in its 422: "body is too long (maximum is 65536 characters)").
_LONGEST_BODY = 65536


def get(forge: Forge, repo: Repository, number: int) -> Issue:
    """Issue or pull request `number`, or a 404."""
    issue = forge.issue(repo, number)
    if issue is None:
        raise not_found()
    return issue


def take_number(forge: Forge, repo: Repository, number: int | None = None) -> int:
    """The next number of a repository's issues and pull requests, or this one, which is then used."""
    chosen = number or repo.next_number
    repo.next_number = max(repo.next_number, chosen + 1)
    forge.store.repositories.put(repo)
    return chosen


def checked_body(resource: str, body: str | None) -> str | None:
    """`body`, if it is not longer than GitHub takes."""
    if body is not None and len(body) > _LONGEST_BODY:
        raise invalid(resource, "body", message=f"body is too long (maximum is {_LONGEST_BODY} characters)")
    return body


def create(
    forge: Forge,
    repo: Repository,
    actor: Account,
    title: str,
    body: str | None,
    *,
    label_names: list[str] | None = None,
    assignees: list[str] | None = None,
) -> Issue:
    """A new open issue."""
    if not title.strip():
        raise invalid("Issue", "title", "missing_field")
    checked_body("Issue", body)
    accounts_of(forge, assignees or [])
    now = forge.clock.now()
    number = take_number(forge, repo)
    issue = Issue(forge.store.issues.next_id(), repo.id, number, title, body, actor.id, now, now)
    forge.store.issues.put(issue)
    labels.add(forge, repo, issue, label_names or [], actor)
    assign(forge, issue, assignees or [], actor)
    forge.record(actor, "issue.create", subject(repo, issue), title)
    return issue


def subject(repo: Repository, issue: Issue) -> str:
    """`owner/name#number`."""
    return f"{repo.full_name}#{issue.number}"


def edit(
    forge: Forge,
    repo: Repository,
    issue: Issue,
    actor: Account,
    *,
    title: str | None = None,
    body: str | None = None,
) -> None:
    """Change title or body; None leaves each as it is."""
    if title is not None and title != issue.title:
        if not title.strip():
            raise invalid("Issue", "title", "missing_field")
        forge.event(issue, "renamed", actor.id, old=issue.title, new=title)
        issue.title, issue.title_edited_at = title, forge.clock.now()
        forge.record(actor, "issue.rename", subject(repo, issue), title)
    if body is not None and body != issue.body:
        issue.body, issue.edited_at = checked_body("Issue", body), forge.clock.now()
        issue.edited_by = actor.id
        forge.record(actor, "issue.edit", subject(repo, issue))
    forge.touch(issue)


def close(
    forge: Forge, repo: Repository, issue: Issue, actor: Account, reason: str | None = None, **data: str
) -> None:
    """Close an open issue or pull request; `reason` is GitHub's `completed` or `not_planned`."""
    if issue.state == "closed":
        if reason and not issue.is_pull:
            issue.state_reason = reason
            forge.touch(issue)
        return
    issue.state, issue.closed_at, issue.closed_by = "closed", forge.clock.now(), actor.id
    issue.state_reason = None if issue.is_pull else reason or "completed"
    forge.event(issue, "closed", actor.id, **data)
    forge.record(actor, "pr.close" if issue.is_pull else "issue.close", subject(repo, issue), reason or "")


def reopen(forge: Forge, repo: Repository, issue: Issue, actor: Account) -> None:
    """Open a closed issue again."""
    if issue.state == "open":
        return
    issue.state, issue.closed_at, issue.closed_by = "open", None, None
    issue.state_reason = None if issue.is_pull else "reopened"
    forge.event(issue, "reopened", actor.id)
    forge.record(actor, "pr.reopen" if issue.is_pull else "issue.reopen", subject(repo, issue))


def assign(forge: Forge, issue: Issue, logins: list[str], actor: Account) -> None:
    """Add assignees; a login that does not exist is a 422."""
    for account in accounts_of(forge, logins):
        if account.id not in issue.assignees:
            issue.assignees.append(account.id)
            forge.event(issue, "assigned", actor.id, assignee=account.login)


def accounts_of(forge: Forge, logins: list[str]) -> list[Account]:
    """The accounts with these logins; one that does not exist is a 422."""
    found = [forge.account(login) for login in logins]
    if None in found:
        raise invalid("Issue", "assignees", "invalid")
    return [account for account in found if account is not None]


def unassign(forge: Forge, issue: Issue, logins: list[str], actor: Account) -> None:
    """Remove assignees; those who are not assigned are passed over."""
    for login in logins:
        account = forge.account(login)
        if account is not None and account.id in issue.assignees:
            issue.assignees.remove(account.id)
            forge.event(issue, "unassigned", actor.id, assignee=account.login)


def comment(forge: Forge, repo: Repository, issue: Issue, actor: Account, body: str) -> Comment:
    """A new comment; 403 where the conversation is locked, 422 for an empty one."""
    if not body.strip():
        raise ApiFailure(
            422, "Validation Failed", {"resource": "IssueComment", "field": "body", "code": "missing"}
        )
    if issue.locked:
        raise forbidden("Unable to create comment because issue is locked.")
    checked_body("IssueComment", body)
    now, table = forge.clock.now(), forge.store.comments
    made = table.put(Comment(table.next_id(), repo.id, issue.number, actor.id, body, now, now))
    forge.touch(issue)
    forge.record(actor, "comment.create", subject(repo, issue))
    return made


def edit_comment(forge: Forge, repo: Repository, made: Comment, actor: Account, body: str) -> None:
    """Replace a comment's text."""
    made.body, made.updated_at, made.edited_at = body, forge.clock.now(), forge.clock.now()
    made.edited_by = actor.id
    forge.store.comments.put(made)
    forge.record(actor, "comment.edit", f"{repo.full_name}#{made.number}")


def closed_by(text: str | None) -> list[int]:
    """The issue numbers that a text says it closes: `Fixes #3`, in the order written, each once."""
    return list(dict.fromkeys(int(number) for number in _CLOSING.findall(text or "")))
