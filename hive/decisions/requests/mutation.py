"""One GraphQL mutation: its input, the ids in it, and which inputs have an effect that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive.decisions.requests import jsonbody
from hive.decisions.requests.model import Caller, Facts, Node, NotUnderstood, names


@dataclass(frozen=True, slots=True)
class Mutation:
    """One root field with its input, variables filled in."""

    name: str
    fields: jsonbody.JsonObject
    caller: Caller
    facts: Facts

    def text(self, key: str) -> str:
        return jsonbody.text(self.fields, key)

    def node(self, key: str) -> Node | None:
        """What the id under `key` stands for. Raises `NotUnderstood` when it is elsewhere."""
        value = self.text(key)
        node = self.facts.node(value) if value else None
        if node is not None and node.kind != "user" and self.caller.repo(node.repo) is None:
            raise NotUnderstood(f"{value} is in {node.repo}, not a repository of agent {self.caller.agent}")
        return node

    def target(self, key: str) -> str:
        node = self.node(key)
        return node.target if node is not None else self.text(key)

    def pull(self, *keys: str) -> tuple[Node | None, str]:
        """The pull request to which every id given under `keys` leads, and the target to name.

        A review, thread or comment leads to the pull request that it is on; `None` where one of the ids
        is not known. Raises `NotUnderstood` when they lead to several: the forge would choose.
        """
        given = [key for key in keys if self.text(key)] or [keys[0]]
        found = [(self._leads_to(key), self.target(key)) for key in given]
        unknown = next((one for one in found if one[0] is None), None)
        if unknown is None and len({target for _, target in found}) > 1:
            raise NotUnderstood("its ids lead to different pull requests")
        return unknown or found[0]

    def _leads_to(self, key: str) -> Node | None:
        node = self.node(key)
        if node is not None and node.kind in ("review", "thread", "comment") and node.number is not None:
            return self.facts.node(node.target)
        return node

    def only(self, known: frozenset[str]) -> None:
        """Refuse inputs whose effect is not known. Raises `NotUnderstood`."""
        given = {key for key, value in self.fields.items() if value not in (None, [])}
        strange = sorted(given - known - {"clientMutationId"})
        if strange:
            raise NotUnderstood(f"hive does not know what setting {', '.join(strange)} does")

    def labels(self, key: str = "labelIds") -> list[str | None]:
        """Names of the labels under `key`; `None` for one that is not known."""
        nodes = [self.facts.node(label) for label in jsonbody.texts(self.fields, key)]
        return [node.name if node is not None and node.kind == "label" else None for node in nodes]

    @property
    def repo(self) -> str | None:
        """The repository under ``repositoryId``."""
        node = self.node("repositoryId")
        return self.caller.repo(node.repo) if node is not None and node.kind == "repository" else None


INPUTS: Mapping[str, frozenset[str]] = {
    mutation: names(inputs)
    for mutations, inputs in {
        "createIssue": "repositoryId title body assigneeIds milestoneId labelIds issueTemplate issueTypeId",
        "updateIssue": "id title body assigneeIds milestoneId labelIds state stateReason",
        "closeIssue": "issueId stateReason",
        "reopenIssue": "issueId",
        "addComment": "subjectId body",
        "updateIssueComment": "id body",
        "deleteIssueComment deletePullRequestReviewComment": "id",
        "addLabelsToLabelable removeLabelsFromLabelable": "labelableId labelIds",
        "clearLabelsFromLabelable": "labelableId",
        "addAssigneesToAssignable removeAssigneesFromAssignable": "assignableId assigneeIds",
        "replaceActorsForAssignable": "assignableId actorIds actorLogins",
        "createPullRequest": "repositoryId headRepositoryId headRefName baseRefName title body draft "
        "maintainerCanModify",
        "updatePullRequest": "pullRequestId title body baseRefName state maintainerCanModify assigneeIds "
        "milestoneId labelIds",
        "closePullRequest reopenPullRequest markPullRequestReadyForReview convertPullRequestToDraft": (
            "pullRequestId"
        ),
        "requestReviews": "pullRequestId userIds botIds teamIds union",
        "requestReviewsByLogin": "pullRequestId userLogins botLogins teamSlugs union",
        "updatePullRequestBranch": "pullRequestId expectedHeadOid updateMethod",
        "addPullRequestReview": "pullRequestId commitOID body event comments threads",
        "submitPullRequestReview": "pullRequestId pullRequestReviewId body event",
        "addPullRequestReviewComment": "pullRequestId pullRequestReviewId commitOID body path position "
        "inReplyTo",
        "addPullRequestReviewThread": "pullRequestId pullRequestReviewId body path line side startLine "
        "startSide subjectType",
        "addPullRequestReviewThreadReply": "pullRequestReviewId pullRequestReviewThreadId body",
        "updatePullRequestReview": "pullRequestReviewId body",
        "deletePullRequestReview": "pullRequestReviewId",
        "updatePullRequestReviewComment": "pullRequestReviewCommentId body",
        "resolveReviewThread unresolveReviewThread": "threadId",
        "mergePullRequest": "pullRequestId commitHeadline commitBody expectedHeadOid mergeMethod authorEmail",
        "createRef": "repositoryId name oid",
        "updateRef": "refId oid force",
        "updateRefs": "repositoryId refUpdates",
        "deleteRef": "refId",
        "createCommitOnBranch": "branch message expectedHeadOid fileChanges",
    }.items()
    for mutation in mutations.split()
}
"""What hive knows of each mutation that it reads. Another input may reach what no other field names, such
as the parent of a new issue or a project, so a mutation with one is not understood."""
