"""What hive's leave covers: which acts of the account follow from what was let through, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from hive.facts.autonomy import Action
from hive.facts.incidents import Act, Leave
from hive.facts.memory import Memory

BEFORE = timedelta(minutes=3)
"""By how much the forge's clock may go behind this machine's (chosen)."""
AFTER = timedelta(minutes=15)
"""How long after its leave an act may come: a slow forge, a queue, another clock (chosen)."""
_IN_QUEUE = timedelta(hours=12)
"""How long a merge queue may take (chosen: longer than its checks)."""
_AT_ONCE = timedelta(minutes=2)
"""How long after its leave a merge may close what it is for."""

_LABELS = frozenset({"labeled", "unlabeled"})
_WORDS = frozenset(
    {
        "edited",
        "renamed",
        "assigned",
        "unassigned",
        "milestoned",
        "demilestoned",
        "base_ref_changed",
    }
)
_DRAFTS = frozenset({"ready_for_review", "convert_to_draft"})
_CLOSED = frozenset({"closed", "reopened"})
_PUSHES = frozenset({"push", "force_push", "branch_creation", "branch_deletion"})
_BRINGING = frozenset({"push", "force_push", "branch_creation"})
_HEADS = frozenset({"head_ref_force_pushed", "head_ref_deleted", "head_ref_restored"})
_ASKED = frozenset({"review_requested", "review_request_removed"})
_REVIEWS = frozenset({"review", "review_comment"})
_MERGED = frozenset({"merged", "closed", "push", "pr_merge", "merge_queue_merge", "branch_deletion"}) | _HEADS
_QUEUED = frozenset({"added_to_merge_queue", "removed_from_merge_queue"})

COVERS: Mapping[str, frozenset[str]] = {
    Action.FILE_ISSUE: frozenset({"issue", "edited", "renamed"}),
    Action.COMMENT: frozenset({"comment", "comment_edited"}),
    Action.LABEL_OWN: _LABELS | _WORDS,
    Action.CLOSE_OWN: _CLOSED,
    Action.PUSH_OWN_BRANCH: _PUSHES | _HEADS | _CLOSED,
    Action.CHANGE_WORKFLOW: _PUSHES | _HEADS,
    Action.OPEN_PR: frozenset({"pull"}),
    Action.UPDATE_OWN_PR: _WORDS | _LABELS | _DRAFTS | _CLOSED | _PUSHES | _HEADS | _ASKED,
    Action.REVIEW_COMMENT: _REVIEWS,
    Action.REQUEST_CHANGES: _REVIEWS,
    Action.APPROVE: _REVIEWS,
    "opened": _LABELS | _DRAFTS | _ASKED | _WORDS,
    "hold-pull-request": _LABELS,
    "lift-hold": _LABELS,
    "merge-pull-request": _MERGED,
    "enqueue-pull-request": _MERGED | _QUEUED,
    "dequeue-pull-request": _QUEUED,
    "delete-branch": frozenset({"branch_deletion", "head_ref_deleted"}),
    "update-branch": _PUSHES | _HEADS,
    "open-revert": frozenset({"pull", "branch_creation", "push"}),
}
"""The kinds of acts that follow from an action."""
_KINDS_OF_MADE = {"issues": "issue", "pulls": "pull"}


def makes(leave: Leave) -> str | None:
    """The key of the act by which came what the forge said that it made; `None` where that is not known."""
    parts = leave.made.split("/")
    if len(parts) == 4 and parts[2] in _KINDS_OF_MADE:
        key = f"{_KINDS_OF_MADE[parts[2]]}:{parts[3]}"
    elif len(parts) == 5 and parts[3] == "comments":
        key = f"{'comment' if parts[2] == 'issues' else 'review_comment'}:{parts[4]}"
    else:
        return None
    return key if key.partition(":")[0] in COVERS.get(leave.action, frozenset()) else None


def made_by(leave: Leave, act: Act) -> Leave:
    """The leave for what belongs to the making of the issue or pull request that `act` is about."""
    return Leave(act.at, "opened", f"{act.repo}#{act.number}", leave.agent, leave.request_id)


def is_covered(act: Act, leave: Leave, memory: Memory, hold_label: str) -> bool:
    """Whether `act` may be what `leave` was given for."""
    if act.kind not in COVERS.get(leave.action, frozenset()):
        return False
    after = _IN_QUEUE if leave.action == "enqueue-pull-request" else AFTER
    if not leave.at - BEFORE <= act.at <= leave.at + after:
        return False
    if act.kind == "unlabeled" and act.shown.casefold() == hold_label.casefold():
        # Whatever was let through, this was not.
        return leave.action == "lift-hold" and act.number == _number(leave)
    if leave.action == "open-revert":
        branch = f"refs/heads/revert-{_number(leave)}-"
        return act.kind == "pull" or act.ref.startswith(branch)
    if leave.action in ("merge-pull-request", "enqueue-pull-request"):
        return _follows_from_merge(act, leave, memory)
    if leave.made and act.kind in ("edited", "renamed"):
        return leave.made.casefold() == f"{act.repo}/issues/{act.number}".casefold()
    if "#" in leave.target:
        return _is_on(act, _number(leave), memory)
    _, _, ref = leave.target.partition("@")
    if leave.head and act.head and act.kind in _BRINGING and act.head != leave.head:
        return False
    if ref:
        return act.ref == ref or (act.number > 0 and _branch(act.repo, act.number, memory) == ref)
    return act.kind in ("issue", "pull")


def _is_on(act: Act, number: int, memory: Memory) -> bool:
    if act.ref:
        return act.ref == _branch(act.repo, number, memory)
    return act.number == number


def _follows_from_merge(act: Act, leave: Leave, memory: Memory) -> bool:
    number = _number(leave)
    if act.kind == "branch_deletion":
        return act.ref == _branch(act.repo, number, memory)
    if act.ref:
        return act.ref == leave.ref
    if act.kind == "closed" and act.number != number:
        # The issues that it is for.
        return act.at <= leave.at + _AT_ONCE
    return act.number == number


def _number(leave: Leave) -> int:
    return int(leave.target.rpartition("#")[2])


def _branch(repo: str, number: int, memory: Memory) -> str:
    """Full, of a pull request of an agent's; empty where it is none."""
    known = memory.pulls.get(f"{repo}#{number}")
    return f"refs/heads/{known.head_ref}" if known is not None else ""
