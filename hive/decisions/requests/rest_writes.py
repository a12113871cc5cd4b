"""The routes by which an agent writes to issues, pull requests, reviews, contents and refs."""

from __future__ import annotations

from hive.decisions.requests import effects, jsonbody
from hive.decisions.requests.model import NewPullRequest, NotUnderstood, Operation
from hive.decisions.requests.rest_call import RestCall
from hive.facts.autonomy import Action

Operations = tuple[Operation, ...]

_ISSUE_WORDS = {"title", "body", "assignees", "assignee", "milestone"}
_PULL_WORDS = {"title", "body", "maintainer_can_modify"}


def file_issue(call: RestCall) -> Operations:
    """Labels at birth are the agent's own; a hold may be put on by anyone."""
    fields = call.fields
    text = f"{jsonbody.text(fields, 'title')}\n{jsonbody.text(fields, 'body')}"
    return effects.publishing(call.caller, Operation(Action.FILE_ISSUE, call.repo, text=text))


def edit_issue(call: RestCall) -> Operations:
    """`PATCH issues/N` changes words, state and labels, one operation each."""
    fields = call.fields
    _only(fields, {*_ISSUE_WORDS, "state", "state_reason", "labels"})
    found: list[Operation] = []
    if _ISSUE_WORDS & fields.keys():
        found += effects.edit(call.caller, call.subject, call.target, _words(call))
    if {"state", "state_reason"} & fields.keys():
        found += effects.change_state(call.caller, call.subject, call.target)
    if "labels" in fields:
        found += effects.replace_labels(call.caller, call.subject, call.target, _labels(fields["labels"]))
    return _some(found)


def edit_pull_request(call: RestCall) -> Operations:
    """`PATCH pulls/N`; the base stays what it was opened against."""
    fields = call.fields
    _only(fields, {*_PULL_WORDS, "state", "base"})
    base = fields.get("base")
    if base is not None and (call.pull is None or base != call.pull.base):
        raise NotUnderstood("a pull request keeps its base; open another one against the other branch")
    return effects.edit(call.caller, call.pull, call.target, _words(call))


def comment(call: RestCall) -> Operations:
    return effects.comment(call.caller, call.subject, call.target, jsonbody.text(call.fields, "body"))


def edit_comment(call: RestCall) -> Operations:
    text = jsonbody.text(call.fields, "body")
    return effects.edit_words(call.caller, call.part("issues/comments"), call.repo, text, Action.COMMENT)


def add_labels(call: RestCall) -> Operations:
    _labels(call.body)
    return effects.add_labels(call.caller, call.subject, call.target)


def replace_labels(call: RestCall) -> Operations:
    return effects.replace_labels(call.caller, call.subject, call.target, _labels(call.body))


def clear_labels(call: RestCall) -> Operations:
    return effects.replace_labels(call.caller, call.subject, call.target, ())


def remove_label(call: RestCall) -> Operations:
    name = call.params["name"]
    # A server that takes what follows `;` or `#` for no part of the name would remove another label.
    plain = name.split(";")[0].split("#")[0].strip("\0 \t")
    return effects.remove_labels(call.caller, call.subject, call.target, [name, plain])


def edit_people(call: RestCall) -> Operations:
    """Assignees and requested reviewers."""
    return effects.edit(call.caller, call.subject, call.target)


def open_pull_request(call: RestCall) -> Operations:
    fields = call.fields
    if "issue" in fields:
        raise NotUnderstood("turning an issue into a pull request is not for agents")
    head, base = jsonbody.text(fields, "head"), jsonbody.text(fields, "base")
    if not head or not base:
        raise NotUnderstood("a pull request needs a head and a base")
    owner, name = call.repo.split("/", 1)
    other = _is_other(head, owner) or jsonbody.text(fields, "head_repo", name) not in (name, call.repo)
    wanted = NewPullRequest(
        repo=call.repo,
        head=head.rpartition(":")[2],
        base=base,
        title=jsonbody.text(fields, "title"),
        body=jsonbody.text(fields, "body"),
        draft=jsonbody.flag(fields, "draft"),
    )
    return effects.open_pull_request(call.caller, wanted, other)


def merge(call: RestCall) -> Operations:
    return effects.merge(call.pull, call.target)


def update_branch(call: RestCall) -> Operations:
    """Merges the base into the head: a push to the head."""
    if call.pull is None or not call.pull.head:
        return (effects.unlisted(Action.UNKNOWN, call.target),)
    ref = f"refs/heads/{call.pull.head}"
    return effects.write_ref(call.caller, call.facts, call.repo, ref)


def review(call: RestCall) -> Operations:
    fields = call.fields
    text = "\n".join([jsonbody.text(fields, "body"), *_bodies(fields.get("comments"))])
    event = jsonbody.text(fields, "event")
    return effects.review(call.caller, call.pull, call.target, event, text)


def edit_review(call: RestCall) -> Operations:
    text = jsonbody.text(call.fields, "body")
    node = call.part(f"pulls/{call.params['n']}/reviews")
    return effects.edit_words(call.caller, node, call.target, text, Action.REVIEW_COMMENT)


def review_comment(call: RestCall) -> Operations:
    text = jsonbody.text(call.fields, "body")
    return effects.review(call.caller, call.pull, call.target, "COMMENT", text)


def edit_review_comment(call: RestCall) -> Operations:
    text = jsonbody.text(call.fields, "body")
    node = call.part("pulls/comments")
    return effects.edit_words(call.caller, node, call.repo, text, Action.REVIEW_COMMENT)


def write_contents(call: RestCall) -> Operations:
    fields = call.fields
    branch = jsonbody.text(fields, "branch") or call.caller.default_branch(call.repo)
    text = effects.committed(jsonbody.text(fields, "message"), jsonbody.decoded(fields, "content"))
    ref = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
    paths = (effects.file_path(call.params["path"]),)
    return effects.write_ref(call.caller, call.facts, call.repo, ref, paths=paths, text=text)


def create_ref(call: RestCall) -> Operations:
    return _set_ref(call, jsonbody.text(call.fields, "ref"), forced=False)


def update_ref(call: RestCall) -> Operations:
    return _set_ref(call, f"refs/{call.params['ref']}", forced=jsonbody.flag(call.fields, "force"))


def _set_ref(call: RestCall, ref: str, *, forced: bool) -> Operations:
    operations = effects.write_ref(call.caller, call.facts, call.repo, ref, forced=forced)
    return tuple(effects.unjudged(operation) for operation in operations)


def delete_ref(call: RestCall) -> Operations:
    ref = f"refs/{call.params['ref']}"
    return effects.write_ref(call.caller, call.facts, call.repo, ref, deletes=True)


def merge_upstream(call: RestCall) -> Operations:
    ref = f"refs/heads/{jsonbody.text(call.fields, 'branch')}"
    operations = effects.write_ref(call.caller, call.facts, call.repo, ref)
    return tuple(effects.unjudged(operation) for operation in operations)


def _is_other(head: str, owner: str) -> bool:
    """Whether ``owner:branch`` names another owner."""
    prefix, colon, _ = head.rpartition(":")
    return bool(colon) and prefix.lower() != owner.lower()


def _only(fields: jsonbody.JsonObject, known: set[str]) -> None:
    unknown = sorted(fields.keys() - known)
    if unknown:
        raise NotUnderstood(f"hive does not know what setting {', '.join(unknown)} does")


def _some(found: list[Operation]) -> Operations:
    if not found:
        raise NotUnderstood("it changes nothing")
    return tuple(found)


def _words(call: RestCall) -> str:
    return f"{jsonbody.text(call.fields, 'title')}\n{jsonbody.text(call.fields, 'body')}".strip()


def _bodies(comments: object) -> list[str]:
    if comments is None:
        return []
    if not isinstance(comments, list) or not all(isinstance(item, dict) for item in comments):
        raise NotUnderstood("comments is not a list of comments")
    return [jsonbody.text(item, "body") for item in comments]


def _labels(value: object) -> tuple[str, ...]:
    """Label names in any of GitHub's forms: a list, ``{labels: [...]}``, of names or of ``{name}``."""
    if isinstance(value, dict):
        value = value.get("labels", [])
    if isinstance(value, str):
        value = [value]
    names = (
        [item.get("name") if isinstance(item, dict) else item for item in value or []]
        if (value is None or isinstance(value, list))
        else None
    )
    if names is None or not all(isinstance(name, str) for name in names):
        raise NotUnderstood("labels is not a list of names")
    return tuple(str(name) for name in names)
