"""GraphQL mutations: what each root field would do. What is not listed is `unknown`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hive.decisions.requests import effects, jsonbody
from hive.decisions.requests.model import Caller, Facts, NewPullRequest, NotUnderstood, Operation
from hive.decisions.requests.mutation import INPUTS, Mutation
from hive.facts.autonomy import Action

Operations = tuple[Operation, ...]


Answer = Callable[[Mutation], Operations]


def classify(name: str, fields: jsonbody.JsonObject, caller: Caller, facts: Facts) -> Operations:
    """The operations of one root field. Raises `NotUnderstood`."""
    mutation = Mutation(name, fields, caller, facts)
    fixed = _FIXED.get(name)
    if fixed is not None:
        return (Operation(fixed, _somewhere(mutation)),)
    answer = _ANSWERS.get(name)
    if answer is None:
        raise NotUnderstood(f"hive does not know the mutation {name}")
    mutation.only(INPUTS[name])
    return answer(mutation)


def _somewhere(mutation: Mutation) -> str:
    """The target of a mutation that is refused anyway: whatever of its ids is known."""
    for value in mutation.fields.values():
        node = mutation.facts.node(value) if isinstance(value, str) else None
        if node is not None and node.repo:
            return node.target
    return mutation.caller.repos[0] if mutation.caller.repos else ""


def _create_issue(mutation: Mutation) -> Operations:
    repo = mutation.repo
    if repo is None:
        return (effects.unlisted(Action.FILE_ISSUE, mutation.text("repositoryId")),)
    text = f"{mutation.text('title')}\n{mutation.text('body')}"
    return effects.publishing(mutation.caller, Operation(Action.FILE_ISSUE, repo, text=text))


def _edit(id_key: str) -> Answer:
    words = {"title", "body", "assigneeIds", "milestoneId", "maintainerCanModify"}

    def answer(mutation: Mutation) -> Operations:
        node, target, fields = mutation.node(id_key), mutation.target(id_key), mutation.fields
        given = {key for key, value in fields.items() if value is not None}
        found: list[Operation] = []
        if "baseRefName" in given and (node is None or node.base != fields["baseRefName"]):
            raise NotUnderstood("a pull request keeps its base; open another one against the other branch")
        if given & words or not given & {"state", "labelIds"}:
            text = f"{mutation.text('title')}\n{mutation.text('body')}".strip()
            found += effects.edit(mutation.caller, node, target, text)
        if "state" in given:
            found += effects.change_state(mutation.caller, node, target)
        # An explicit null sets them too, as far as hive can tell.
        if "labelIds" in fields:
            found += effects.replace_labels(mutation.caller, node, target, mutation.labels())
        return tuple(found)

    return answer


def _state(id_key: str) -> Answer:
    return lambda mutation: effects.change_state(
        mutation.caller, mutation.node(id_key), mutation.target(id_key)
    )


def _pull(id_key: str) -> Answer:
    """A change to a pull request of the agent's own."""
    return lambda mutation: effects.edit(mutation.caller, mutation.node(id_key), mutation.target(id_key))


def _words(id_key: str, own: Action) -> Answer:
    return lambda mutation: effects.edit_words(
        mutation.caller, mutation.node(id_key), mutation.target(id_key), mutation.text("body"), own
    )


def _add_comment(mutation: Mutation) -> Operations:
    node, target = mutation.node("subjectId"), mutation.target("subjectId")
    return effects.comment(mutation.caller, node, target, mutation.text("body"))


def _add_labels(mutation: Mutation) -> Operations:
    return effects.add_labels(mutation.caller, mutation.node("labelableId"), mutation.target("labelableId"))


def _remove_labels(mutation: Mutation) -> Operations:
    node, target = mutation.node("labelableId"), mutation.target("labelableId")
    return effects.remove_labels(mutation.caller, node, target, mutation.labels())


def _clear_labels(mutation: Mutation) -> Operations:
    node, target = mutation.node("labelableId"), mutation.target("labelableId")
    return effects.replace_labels(mutation.caller, node, target, ())


def _create_pull_request(mutation: Mutation) -> Operations:
    repo = mutation.repo
    if repo is None:
        return (effects.unlisted(Action.OPEN_PR, mutation.text("repositoryId")),)
    head, owner = mutation.text("headRefName"), repo.split("/", 1)[0]
    prefix, colon, branch = head.rpartition(":")
    elsewhere = bool(colon) and prefix.lower() != owner.lower()
    if mutation.text("headRepositoryId"):
        node = mutation.node("headRepositoryId")
        elsewhere = (
            elsewhere or node is None or node.kind != "repository" or node.repo.lower() != repo.lower()
        )
    wanted = NewPullRequest(
        repo=repo,
        head=branch.removeprefix("refs/heads/"),
        base=mutation.text("baseRefName").removeprefix("refs/heads/"),
        title=mutation.text("title"),
        body=mutation.text("body"),
        draft=jsonbody.flag(mutation.fields, "draft"),
    )
    return effects.open_pull_request(mutation.caller, wanted, elsewhere)


def _review(mutation: Mutation) -> Operations:
    node, target = mutation.pull("pullRequestId", "pullRequestReviewId")
    threads = [*_dicts(mutation.fields.get("comments")), *_dicts(mutation.fields.get("threads"))]
    text = "\n".join([mutation.text("body"), *(jsonbody.text(item, "body") for item in threads)])
    return effects.review(mutation.caller, node, target, mutation.text("event"), text)


def _review_comment(mutation: Mutation) -> Operations:
    node, target = mutation.pull(
        "pullRequestId", "pullRequestReviewId", "pullRequestReviewThreadId", "inReplyTo"
    )
    return effects.review(mutation.caller, node, target, "COMMENT", mutation.text("body"))


def _dicts(value: object) -> list[jsonbody.JsonObject]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise NotUnderstood("a review's comments are a list")
    return value


def _resolve(mutation: Mutation) -> Operations:
    """A thread that the agent itself opened is its own to resolve; any other feeds a merge gate."""
    node = mutation.node("threadId")
    own = node is not None and effects.is_own(mutation.caller, node)
    action = Action.REVIEW_COMMENT if own else Action.FORGE_SIGNAL
    return (Operation(action, mutation.target("threadId")),)


def _merge(mutation: Mutation) -> Operations:
    return effects.merge(mutation.node("pullRequestId"), mutation.target("pullRequestId"))


def _update_pull_branch(mutation: Mutation) -> Operations:
    node = mutation.node("pullRequestId")
    if node is None or not node.head:
        return (effects.unlisted(Action.UNKNOWN, mutation.target("pullRequestId")),)
    return effects.write_ref(mutation.caller, mutation.facts, node.repo, f"refs/heads/{node.head}")


def _create_ref(mutation: Mutation) -> Operations:
    repo = mutation.repo
    if repo is None:
        return (effects.unlisted(Action.UNKNOWN, mutation.text("repositoryId")),)
    return _set(mutation, repo, mutation.text("name"), forced=False)


def _update_ref(mutation: Mutation) -> Operations:
    repo, ref = _ref(mutation)
    return _set(mutation, repo, ref, forced=jsonbody.flag(mutation.fields, "force"))


def _update_refs(mutation: Mutation) -> Operations:
    repo = mutation.repo
    if repo is None:
        return (effects.unlisted(Action.UNKNOWN, mutation.text("repositoryId")),)
    found: list[Operation] = []
    for update in _dicts(mutation.fields.get("refUpdates")):
        name, new = jsonbody.text(update, "name"), jsonbody.text(update, "afterOid")
        if new and not new.strip("0"):
            # The id of nothing deletes the ref.
            found += effects.write_ref(mutation.caller, mutation.facts, repo, name, deletes=True)
        else:
            found += _set(mutation, repo, name, forced=jsonbody.flag(update, "force"))
    if not found:
        raise NotUnderstood("it changes nothing")
    return tuple(found)


def _set(mutation: Mutation, repo: str, ref: str, *, forced: bool) -> Operations:
    operations = effects.write_ref(mutation.caller, mutation.facts, repo, ref, forced=forced)
    return tuple(effects.unjudged(operation) for operation in operations)


def _delete_ref(mutation: Mutation) -> Operations:
    repo, ref = _ref(mutation)
    return effects.write_ref(mutation.caller, mutation.facts, repo, ref, deletes=True)


def _ref(mutation: Mutation) -> tuple[str, str]:
    node = mutation.node("refId")
    if node is None or node.kind != "ref" or not node.name:
        raise NotUnderstood(f"it is not known what {mutation.text('refId') or 'its ref'} is")
    return node.repo, node.name if node.name.startswith("refs/") else f"refs/heads/{node.name}"


def _commit_on_branch(mutation: Mutation) -> Operations:
    branch, changes = mutation.fields.get("branch"), mutation.fields.get("fileChanges")
    if not isinstance(branch, dict) or not isinstance(changes, dict | None):
        raise NotUnderstood("it does not say which branch it commits to")
    repo, ref = _branch(mutation, branch)
    added = _dicts((changes or {}).get("additions"))
    touched = [*added, *_dicts((changes or {}).get("deletions"))]
    paths = tuple(effects.file_path(jsonbody.text(item, "path")) for item in touched)
    message = mutation.fields.get("message")
    said = [jsonbody.text(message, key) for key in ("headline", "body")] if isinstance(message, dict) else []
    text = effects.committed(*said, *(jsonbody.decoded(item, "contents") for item in added))
    return effects.write_ref(mutation.caller, mutation.facts, repo, ref, paths=paths, text=text)


def _branch(mutation: Mutation, branch: Mapping[str, object]) -> tuple[str, str]:
    fields = dict(branch)
    if fields.get("id") is not None:
        if fields.keys() - {"id"}:
            raise NotUnderstood("it names its branch twice")
        return _ref(Mutation(mutation.name, {"refId": fields["id"]}, mutation.caller, mutation.facts))
    repo = mutation.caller.repo(jsonbody.text(fields, "repositoryNameWithOwner"))
    name = jsonbody.text(fields, "branchName")
    if repo is None or not name:
        raise NotUnderstood("it commits to a branch that is not in a repository of the agent's")
    return repo, name if name.startswith("refs/") else f"refs/heads/{name}"


_ANSWERS: Mapping[str, Answer] = {
    "createIssue": _create_issue,
    "updateIssue": _edit("id"),
    "closeIssue": _state("issueId"),
    "reopenIssue": _state("issueId"),
    "addComment": _add_comment,
    "updateIssueComment": _words("id", Action.COMMENT),
    "deleteIssueComment": _words("id", Action.COMMENT),
    "addLabelsToLabelable": _add_labels,
    "removeLabelsFromLabelable": _remove_labels,
    "clearLabelsFromLabelable": _clear_labels,
    "addAssigneesToAssignable": _pull("assignableId"),
    "removeAssigneesFromAssignable": _pull("assignableId"),
    "replaceActorsForAssignable": _pull("assignableId"),
    "createPullRequest": _create_pull_request,
    "updatePullRequest": _edit("pullRequestId"),
    "closePullRequest": _state("pullRequestId"),
    "reopenPullRequest": _state("pullRequestId"),
    "markPullRequestReadyForReview": _pull("pullRequestId"),
    "convertPullRequestToDraft": _pull("pullRequestId"),
    "requestReviews": _pull("pullRequestId"),
    "requestReviewsByLogin": _pull("pullRequestId"),
    "updatePullRequestBranch": _update_pull_branch,
    "addPullRequestReview": _review,
    "submitPullRequestReview": _review,
    "addPullRequestReviewComment": _review_comment,
    "addPullRequestReviewThread": _review_comment,
    "addPullRequestReviewThreadReply": _review_comment,
    "updatePullRequestReview": _words("pullRequestReviewId", Action.REVIEW_COMMENT),
    "deletePullRequestReview": _words("pullRequestReviewId", Action.REVIEW_COMMENT),
    "updatePullRequestReviewComment": _words("pullRequestReviewCommentId", Action.REVIEW_COMMENT),
    "deletePullRequestReviewComment": _words("id", Action.REVIEW_COMMENT),
    "resolveReviewThread": _resolve,
    "unresolveReviewThread": _resolve,
    "mergePullRequest": _merge,
    "createRef": _create_ref,
    "updateRef": _update_ref,
    "updateRefs": _update_refs,
    "deleteRef": _delete_ref,
    "createCommitOnBranch": _commit_on_branch,
}

_FIXED: Mapping[str, Action] = {
    name: action
    for action, names in {
        Action.ENABLE_AUTO_MERGE: "enablePullRequestAutoMerge disablePullRequestAutoMerge "
        "enqueuePullRequest dequeuePullRequest",
        Action.MERGE_DIRECTLY: "mergeBranch",
        Action.FORGE_SIGNAL: "dismissPullRequestReview createCheckRun updateCheckRun createCheckSuite "
        "rerequestCheckSuite updateCheckSuitePreferences createDeployment createDeploymentStatus "
        "deleteDeployment approveDeployments rejectDeployments createLabel updateLabel deleteLabel",
        Action.CHANGE_PROTECTION: "createBranchProtectionRule updateBranchProtectionRule "
        "deleteBranchProtectionRule createRepositoryRuleset updateRepositoryRuleset "
        "deleteRepositoryRuleset",
        Action.CHANGE_SETTINGS: "updateRepository archiveRepository unarchiveRepository updateTopics "
        "createEnvironment updateEnvironment deleteEnvironment pinEnvironment "
        "updateRepositoryWebCommitSignoffSetting",
        Action.CHANGE_COLLABORATORS: "removeOutsideCollaborator",
        Action.EDIT_OTHERS_TEXT: "deleteIssue transferIssue",
    }.items()
    for name in names.split()
}
