"""One way to use each capability by each route, what it leaves at the forge, and how to take it back."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.gateway.place import REPO
from tests.gateway.product import calls
from tests.gateway.product.calls import Call
from tests.gateway.product.scene import Scene

Making = Callable[[Scene, str], Call]

REACHED = "reached"
"""Of a deed that the stand-in knows no route for, or refuses as the forge would: that it was asked."""
MERGES_ITSELF = "hive merges through its own gate"
"""What is answered to a granted request for a merge, of which nothing reaches the forge."""


@dataclass(frozen=True)
class Deed:
    """Attributes:
    leaves: What the forge's audit says after it (in any order); `REACHED`, or `MERGES_ITSELF`.
    undo: Makes it possible once more.
    """

    capability: str
    route: str
    make: Making
    leaves: frozenset[str] | str
    undo: Callable[[Scene, str], None] = field(default=lambda scene, role: None)


def _reopen(scene: Scene, role: str) -> None:
    scene.admin("PATCH", f"/repos/{REPO}/issues/{scene.own[role].issue}", {"state": "open"})


def _unlabel(scene: Scene, role: str) -> None:
    scene.admin("DELETE", f"/repos/{REPO}/issues/{scene.own[role].issue}/labels/bug")


def _unhold(scene: Scene, role: str) -> None:
    scene.unhold(scene.own[role].pull)


def _again(scene: Scene, role: str) -> None:
    ref = f"refs/heads/hive/{role}/spare"
    scene.admin("POST", f"/repos/{REPO}/git/refs", {"ref": ref, "sha": scene.work})


def _unpush(scene: Scene, role: str) -> None:
    scene.admin("DELETE", f"/repos/{REPO}/git/refs/heads/hive/{role}/pushed")


def opened(scene: Scene, role: str) -> int:
    """The open pull request from the agent's branch for that."""
    head = f"acme:hive/{role}/open"
    [pull] = scene.admin("GET", f"/repos/{REPO}/pulls?state=open&head={head}")
    return int(pull["number"])


def _close(scene: Scene, role: str) -> None:
    scene.admin("PATCH", f"/repos/{REPO}/pulls/{opened(scene, role)}", {"state": "closed"})


def _wanted(role: str) -> Mapping[str, str]:
    return {"head": f"hive/{role}/open", "base": "main", "title": "New", "body": "See."}


def _contents(scene: Scene, role: str) -> Call:
    content = base64.b64encode(b"x = 1\n").decode()
    value = {"branch": f"hive/{role}/spare", "message": "Add", "content": content}
    return calls.rest("PUT", "/contents/x.py", value)


def _commit_on_branch(scene: Scene, role: str) -> Call:
    branch = {"repositoryNameWithOwner": REPO, "branchName": f"hive/{role}/spare"}
    added = [{"path": "x.py", "contents": base64.b64encode(b"x = 1\n").decode()}]
    given = {
        "branch": branch,
        "message": {"headline": "Add"},
        "expectedHeadOid": scene.work,
        "fileChanges": {"additions": added},
    }
    return calls.graphql("createCommitOnBranch", given)


def _create_by_graphql(scene: Scene, role: str) -> Call:
    wanted = _wanted(role)
    given = {
        "repositoryId": scene.ids["repo"],
        "headRefName": wanted["head"],
        "baseRefName": wanted["base"],
        "title": wanted["title"],
        "body": wanted["body"],
    }
    return calls.graphql("createPullRequest", given, "pullRequest { number }")


def _review(event: str) -> Making:
    return lambda scene, role: calls.rest(
        "POST", f"/pulls/{scene.peers}/reviews", {"event": event, "body": "Look."}
    )


def _review_by_graphql(event: str) -> Making:
    return lambda scene, role: calls.graphql(
        "addPullRequestReview", {"pullRequestId": scene.ids["peer"], "event": event, "body": "Look."}
    )


def _verdict(event: str) -> Making:
    return lambda scene, role: calls.rest(
        "POST", f"/pulls/{scene.others}/reviews", {"event": event, "body": "Look."}
    )


def _verdict_by_graphql(event: str) -> Making:
    return lambda scene, role: calls.graphql(
        "addPullRequestReview", {"pullRequestId": scene.ids["other"], "event": event, "body": "Look."}
    )


_TITLES = itertools.count(1)


def _another_title() -> str:
    """One that the pull request does not have: the same again changes nothing."""
    return f"Title {next(_TITLES)}"


_COMMENTED = frozenset({"comment.create"})
_LABELLED = frozenset({"issue.label"})
_CLOSED = frozenset({"issue.close"})
_RENAMED = frozenset({"issue.rename"})
_REVIEWED = frozenset({"review.submit"})

DEEDS = (
    Deed("read", "rest", lambda scene, role: calls.rest("GET", "/issues/1"), frozenset()),
    Deed(
        "read",
        "graphql",
        lambda scene, role: calls.document(
            'query { repository(owner: "acme", name: "widgets") { issue(number: 1) { title } } }'
        ),
        frozenset(),
    ),
    Deed("record-finding", "rest", lambda scene, role: calls.finding("Seen"), frozenset()),
    Deed(
        "file-issue",
        "rest",
        lambda scene, role: calls.rest("POST", "/issues", {"title": "Found"}),
        frozenset({"issue.create"}),
    ),
    Deed(
        "file-issue",
        "graphql",
        lambda scene, role: calls.graphql("createIssue", {"repositoryId": scene.ids["repo"], "title": "x"}),
        frozenset({"issue.create"}),
    ),
    Deed(
        "comment",
        "rest",
        lambda scene, role: calls.rest("POST", "/issues/1/comments", {"body": "I see."}),
        _COMMENTED,
    ),
    Deed(
        "comment",
        "graphql",
        lambda scene, role: calls.graphql("addComment", {"subjectId": scene.ids["person"], "body": "Yes."}),
        _COMMENTED,
    ),
    Deed(
        "label-own",
        "rest",
        lambda scene, role: calls.rest(
            "POST", f"/issues/{scene.own[role].issue}/labels", {"labels": ["bug"]}
        ),
        _LABELLED,
        _unlabel,
    ),
    Deed(
        "label-own",
        "graphql",
        lambda scene, role: calls.graphql(
            "addLabelsToLabelable",
            {"labelableId": scene.own[role].issue_id, "labelIds": [scene.ids["bug"]]},
        ),
        _LABELLED,
        _unlabel,
    ),
    Deed(
        "close-own",
        "rest",
        lambda scene, role: calls.rest("PATCH", f"/issues/{scene.own[role].issue}", {"state": "closed"}),
        _CLOSED,
        _reopen,
    ),
    Deed(
        "close-own",
        "graphql",
        lambda scene, role: calls.graphql("closeIssue", {"issueId": scene.own[role].issue_id}),
        _CLOSED,
        _reopen,
    ),
    Deed(
        "push-own-branch",
        "rest",
        lambda scene, role: calls.rest("DELETE", f"/git/refs/heads/hive/{role}/spare"),
        frozenset({"ref.delete"}),
        _again,
    ),
    Deed("push-own-branch", "rest", _contents, REACHED),
    Deed("push-own-branch", "graphql", _commit_on_branch, REACHED),
    Deed(
        "push-own-branch",
        "git",
        lambda scene, role: calls.push((f"refs/heads/hive/{role}/pushed", "", scene.main)),
        frozenset({"ref.create"}),
        _unpush,
    ),
    Deed(
        "open-pr",
        "rest",
        lambda scene, role: calls.rest("POST", "/pulls", _wanted(role)),
        frozenset({"pr.create"}),
        _close,
    ),
    Deed("open-pr", "graphql", _create_by_graphql, frozenset({"pr.create"}), _close),
    Deed(
        "update-own-pr",
        "rest",
        lambda scene, role: calls.rest(
            "PATCH", f"/pulls/{scene.own[role].pull}", {"title": _another_title()}
        ),
        _RENAMED,
        _unhold,
    ),
    Deed(
        "update-own-pr",
        "graphql",
        lambda scene, role: calls.graphql(
            "updatePullRequest", {"pullRequestId": scene.own[role].pull_id, "title": _another_title()}
        ),
        _RENAMED,
        _unhold,
    ),
    Deed("review-comment", "rest", _review("COMMENT"), _REVIEWED),
    Deed("review-comment", "graphql", _review_by_graphql("COMMENT"), _REVIEWED),
    # All agents are one account to the forge, which lets nobody rule on what that account opened.
    Deed("request-changes", "rest", _review("REQUEST_CHANGES"), REACHED),
    Deed("request-changes", "graphql", _review_by_graphql("REQUEST_CHANGES"), REACHED),
    Deed("approve", "rest", _review("APPROVE"), REACHED),
    Deed("approve", "graphql", _review_by_graphql("APPROVE"), REACHED),
    # Of what another account opened for an agent the forge takes the word.
    Deed("request-changes", "rest", _verdict("REQUEST_CHANGES"), _REVIEWED),
    Deed("request-changes", "graphql", _verdict_by_graphql("REQUEST_CHANGES"), _REVIEWED),
    Deed("approve", "rest", _verdict("APPROVE"), _REVIEWED),
    Deed("approve", "graphql", _verdict_by_graphql("APPROVE"), _REVIEWED),
    Deed(
        "request-merge",
        "rest",
        lambda scene, role: calls.rest("PUT", f"/pulls/{scene.own[role].pull}/merge", {}),
        MERGES_ITSELF,
    ),
    Deed(
        "request-merge",
        "graphql",
        lambda scene, role: calls.graphql("mergePullRequest", {"pullRequestId": scene.own[role].pull_id}),
        MERGES_ITSELF,
    ),
)
