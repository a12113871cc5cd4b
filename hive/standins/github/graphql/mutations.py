"""Mutations on issues and on what issues and pull requests share."""

from typing import Any

from hive.standins.github import access, issues, labels, pulls, relations
from hive.standins.github.failures import ApiFailure
from hive.standins.github.graphql.issues import part, repo_of
from hive.standins.github.graphql.queries import readable
from hive.standins.github.graphql.resolving import fields
from hive.standins.github.records import Account, Comment, Issue, Label, Pull, Repository
from hive.standins.github.rest.call import View

Input = dict[str, Any]


def subject_of(view: View, node_id: str) -> Issue | Pull:
    """The issue or pull request that a node id names."""
    found = readable(view, node_id)
    if not isinstance(found, Issue | Pull):
        raise ApiFailure(404, f"Could not resolve to a node with the global id of '{node_id}'.")
    return found


def allowed(view: View, repo: Repository, needed: str, author: int | None = -1) -> Account:
    """Who asks, if they may (or are the author); else GraphQL's FORBIDDEN."""
    me = access.signed_in(view.viewer)
    if me.id != author and not access.may(view.forge, me, repo, needed):
        raise ApiFailure(403, f"{me.login} does not have the correct permissions to execute this mutation")
    return me


def _answer(given: Input, **parts: Any) -> dict[str, Any]:
    return {"clientMutationId": given.get("clientMutationId"), **parts}


def _label_names(view: View, ids: list[str] | None) -> list[str]:
    found = [readable(view, each) for each in ids or []]
    return [label.name for label in found if isinstance(label, Label)]


def _logins(view: View, ids: list[str] | None) -> list[str]:
    found = [readable(view, each) for each in ids or []]
    return [who.login for who in found if isinstance(who, Account)]


@fields("Mutation.createIssue")
def create_issue(source: Any, view: View, input: Input) -> Any:
    """Open an issue."""
    repo = readable(view, input["repositoryId"])
    me = access.signed_in(view.viewer)
    trusted = access.may(view.forge, me, repo, "triage")
    made = issues.create(
        view.forge,
        repo,
        me,
        input["title"],
        input.get("body"),
        label_names=_label_names(view, input.get("labelIds")) if trusted else [],
        assignees=_logins(view, input.get("assigneeIds")) if trusted else [],
    )
    return _answer(input, issue=made)


@fields("Mutation.updateIssue", "Mutation.updatePullRequest")
def update(source: Any, view: View, input: Input) -> Any:
    """Change title, body, state, labels, assignees, or a pull request's base."""
    found = subject_of(view, input.get("id") or input["pullRequestId"])
    repo, issue, forge = repo_of(found, view), part(found, view), view.forge
    me = allowed(view, repo, "triage", issue.author)
    issues.edit(forge, repo, issue, me, title=input.get("title"), body=input.get("body"))
    state = (input.get("state") or "").lower() or None
    if isinstance(found, Pull):
        pulls.edit(forge, repo, found, me, base=input.get("baseRefName"), state=state)
    elif state == "closed":
        issues.close(forge, repo, issue, me)
    elif state == "open":
        issues.reopen(forge, repo, issue, me)
    if input.get("labelIds") is not None:
        labels.replace(forge, repo, issue, _label_names(view, input["labelIds"]), me)
    if input.get("assigneeIds") is not None:
        issues.unassign(forge, issue, [forge.login(number) for number in issue.assignees], me)
        issues.assign(forge, issue, _logins(view, input["assigneeIds"]), me)
    return _answer(input, issue=found, pullRequest=found, actor=me)


@fields("Mutation.closeIssue")
def close_issue(source: Any, view: View, input: Input) -> Any:
    """Close an issue."""
    issue = subject_of(view, input["issueId"])
    repo = repo_of(issue, view)
    me = allowed(view, repo, "triage", part(issue, view).author)
    issues.close(view.forge, repo, part(issue, view), me, (input.get("stateReason") or "completed").lower())
    return _answer(input, issue=issue)


@fields("Mutation.reopenIssue")
def reopen_issue(source: Any, view: View, input: Input) -> Any:
    """Open a closed issue again."""
    issue = subject_of(view, input["issueId"])
    repo = repo_of(issue, view)
    me = allowed(view, repo, "triage", part(issue, view).author)
    issues.reopen(view.forge, repo, part(issue, view), me)
    return _answer(input, issue=issue)


@fields("Mutation.addComment")
def add_comment(source: Any, view: View, input: Input) -> Any:
    """Say something in a conversation."""
    found = subject_of(view, input["subjectId"])
    me = access.signed_in(view.viewer)
    made = issues.comment(view.forge, repo_of(found, view), part(found, view), me, input["body"])
    return _answer(input, commentEdge={"cursor": "", "node": made}, subject=found)


def _own_comment(view: View, node_id: str) -> tuple[Comment, Account]:
    found = readable(view, node_id)
    if not isinstance(found, Comment):
        raise ApiFailure(404, f"Could not resolve to a node with the global id of '{node_id}'.")
    return found, allowed(view, repo_of(found, view), "triage", found.author)


@fields("Mutation.updateIssueComment")
def update_comment(source: Any, view: View, input: Input) -> Any:
    """Change a comment."""
    found, me = _own_comment(view, input["id"])
    issues.edit_comment(view.forge, repo_of(found, view), found, me, input["body"])
    return _answer(input, issueComment=found)


@fields("Mutation.deleteIssueComment")
def delete_comment(source: Any, view: View, input: Input) -> Any:
    """Remove a comment."""
    found, me = _own_comment(view, input["id"])
    view.forge.store.comments.remove(found)
    view.forge.record(me, "comment.delete", f"{repo_of(found, view).full_name}#{found.number}")
    return _answer(input)


@fields("Mutation.addLabelsToLabelable")
def add_labels(source: Any, view: View, input: Input) -> Any:
    """Put labels on."""
    found = subject_of(view, input["labelableId"])
    repo = repo_of(found, view)
    me, names = allowed(view, repo, "triage"), _label_names(view, input["labelIds"])
    labels.add(view.forge, repo, part(found, view), names, me)
    view.forge.record(me, "issue.label", f"{repo.full_name}#{found.number}", ", ".join(names))
    return _answer(input, labelable=found)


@fields("Mutation.removeLabelsFromLabelable")
def remove_labels(source: Any, view: View, input: Input) -> Any:
    """Take labels off."""
    found = subject_of(view, input["labelableId"])
    repo = repo_of(found, view)
    me, names = allowed(view, repo, "triage"), _label_names(view, input["labelIds"])
    there = {label.name for label in labels.on(view.forge, part(found, view))}
    for name in names:
        if name in there:
            labels.take_off(view.forge, repo, part(found, view), name, me)
    view.forge.record(me, "issue.unlabel", f"{repo.full_name}#{found.number}", ", ".join(names))
    return _answer(input, labelable=found)


@fields("Mutation.addAssigneesToAssignable")
def assign(source: Any, view: View, input: Input) -> Any:
    """Assign people."""
    found = subject_of(view, input["assignableId"])
    me = allowed(view, repo_of(found, view), "triage")
    issues.assign(view.forge, part(found, view), _logins(view, input["assigneeIds"]), me)
    return _answer(input, assignable=found)


@fields("Mutation.removeAssigneesFromAssignable")
def unassign(source: Any, view: View, input: Input) -> Any:
    """Assign people no longer."""
    found = subject_of(view, input["assignableId"])
    me = allowed(view, repo_of(found, view), "triage")
    issues.unassign(view.forge, part(found, view), _logins(view, input["assigneeIds"]), me)
    return _answer(input, assignable=found)


@fields("Mutation.replaceActorsForAssignable")
def replace_actors(source: Any, view: View, input: Input) -> Any:
    """Make these the assignees."""
    found = subject_of(view, input["assignableId"])
    me, issue = allowed(view, repo_of(found, view), "triage"), part(found, view)
    logins = input.get("actorLogins") or _logins(view, input.get("actorIds"))
    issues.unassign(view.forge, issue, [view.forge.login(number) for number in issue.assignees], me)
    issues.assign(view.forge, issue, logins, me)
    return _answer(input, assignable=found)


@fields("Mutation.lockLockable", "Mutation.unlockLockable")
def lock(source: Any, view: View, input: Input) -> Any:
    """Lock a conversation, or unlock one that is locked."""
    found = subject_of(view, input["lockableId"])
    repo, issue = repo_of(found, view), part(found, view)
    me = allowed(view, repo, "triage")
    reason = (input.get("lockReason") or "").lower().replace("_", " ").replace("off topic", "off-topic")
    relations.set_lock(view.forge, repo, issue, me, not issue.locked, reason or None)
    return _answer(input, lockedRecord=found, unlockedRecord=found, actor=me)
