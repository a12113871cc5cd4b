"""What a change means, whichever way it is asked for: REST, GraphQL or git.

Each function names the action of the autonomy table for one kind of change to one subject. What the
facts do not know is refused by a rule of its own, so that the table can never allow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from hive.decisions.requests.model import Caller, Facts, NewPullRequest, Node, NotUnderstood, Operation
from hive.facts.autonomy import Action

# What `git check-ref-format` takes, which is what the forge takes.
_REF = re.compile(r"refs/(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.))[^\x00-\x20\x7f~^:?*\[\\]+(?<![./])")
# What a bot that trims a line may take off its start.
_BLANK = "[\\s\\u200b-\\u200f\\u2060\\ufeff]"
WORKFLOW_PATHS = (".github/workflows/", ".github/actions/")


def is_ref(name: str) -> bool:
    """Whether `name` is a full ref that git would take."""
    return _REF.fullmatch(name) is not None


def is_workflow(path: str) -> bool:
    """Whether `path` is a workflow's or an action's, or stands where their folder does (as a link may)."""
    lower = path.lower()
    return lower.startswith(WORKFLOW_PATHS) or any(
        folder.startswith(f"{lower}/") for folder in WORKFLOW_PATHS
    )


def file_path(path: str) -> str:
    """`path`, spelt as in a tree of git's. Raises `NotUnderstood` for what a forge may tidy up.

    Rules about paths compare what is written: ``./.github/workflows/x`` would pass them all.
    """
    odd = any(part in ("", ".", "..") for part in path.split("/")) or "\\" in path
    if odd or any(ord(c) < 32 or ord(c) == 127 for c in path):
        raise NotUnderstood(f"{path!r} is no path of a file as git spells it")
    return path


def unlisted(action: Action, target: str) -> Operation:
    """A write to something that is not known."""
    return Operation(action, target, "request.unknown-target", f"it is not known what {target} is")


def is_own(caller: Caller, node: Node) -> bool:
    """Whether the agent itself made it."""
    return node.author_kind == "agent" and node.author == caller.agent


def commands_a_bot(caller: Caller, text: str) -> bool:
    """Whether a line of `text` is a command to another bot."""
    if not caller.bot_commands:
        return False
    pattern = re.compile(rf"{_BLANK}*(?:{'|'.join(caller.bot_commands)})", re.IGNORECASE)
    # A carriage return or U+2028 ends a line too, as it does for bots written in JavaScript.
    return any(pattern.match(line) for line in text.splitlines())


def publishing(caller: Caller, operation: Operation) -> tuple[Operation, ...]:
    """`operation`, and `command-bot` beside it when its text commands another bot."""
    if commands_a_bot(caller, operation.text):
        return (operation, Operation(Action.COMMAND_BOT, operation.target, text=operation.text))
    return (operation,)


def comment(caller: Caller, node: Node | None, target: str, text: str) -> tuple[Operation, ...]:
    """A new comment on an issue or pull request."""
    if node is None or node.kind not in ("issue", "pull-request"):
        return (unlisted(Action.COMMENT, target),)
    return publishing(caller, Operation(Action.COMMENT, node.target, text=text))


def edit_words(
    caller: Caller, node: Node | None, target: str, text: str, own: Action
) -> tuple[Operation, ...]:
    """Change or delete a comment, review or thread: `own` where the agent wrote it.

    Whatever else the id stands for, the agent's own pull request among it, is none of them.
    """
    if node is None or node.kind not in ("comment", "review", "thread"):
        return (unlisted(Action.EDIT_OTHERS_TEXT, target),)
    action = own if is_own(caller, node) else Action.EDIT_OTHERS_TEXT
    return publishing(caller, Operation(action, node.target, text=text))


def edit(caller: Caller, node: Node | None, target: str, text: str = "") -> tuple[Operation, ...]:
    """Change the text of an issue or pull request."""
    return publishing(caller, _on_own(caller, node, target, Action.FILE_ISSUE, text))


def change_state(caller: Caller, node: Node | None, target: str) -> tuple[Operation, ...]:
    """Close or reopen an issue or pull request."""
    return (_on_own(caller, node, target, Action.CLOSE_OWN),)


def _on_own(caller: Caller, node: Node | None, target: str, on_issue: Action, text: str = "") -> Operation:
    if node is None or node.kind not in ("issue", "pull-request"):
        return unlisted(Action.UNKNOWN, target)
    if not is_own(caller, node):
        return Operation(Action.EDIT_OTHERS_TEXT, node.target, text=text)
    action = Action.UPDATE_OWN_PR if node.kind == "pull-request" else on_issue
    return Operation(action, node.target, text=text)


def add_labels(caller: Caller, node: Node | None, target: str) -> tuple[Operation, ...]:
    return (_on_own(caller, node, target, Action.LABEL_OWN),)


def remove_labels(
    caller: Caller, node: Node | None, target: str, names: Iterable[str | None]
) -> tuple[Operation, ...]:
    """Take labels off; `None` among `names` is a label that is not known, so it may be a hold."""
    if any(name is None or caller.is_hold(name) for name in names):
        return (Operation(Action.REMOVE_HOLD, node.target if node else target),)
    return (_on_own(caller, node, target, Action.LABEL_OWN),)


def replace_labels(
    caller: Caller, node: Node | None, target: str, names: Iterable[str | None]
) -> tuple[Operation, ...]:
    """Set all labels: a removal of holds unless every hold of a known set stays in it."""
    kept = {name.lower() for name in names if name is not None}
    known = node.labels if node is not None else None
    if known is None or any(caller.is_hold(name) and name.lower() not in kept for name in known):
        return (Operation(Action.REMOVE_HOLD, node.target if node else target),)
    return (_on_own(caller, node, target, Action.LABEL_OWN),)


def review(caller: Caller, node: Node | None, target: str, event: str, text: str) -> tuple[Operation, ...]:
    """A review with GitHub's event: COMMENT, REQUEST_CHANGES, APPROVE, or empty for a pending one."""
    actions = {
        "": Action.REVIEW_COMMENT,
        "COMMENT": Action.REVIEW_COMMENT,
        "REQUEST_CHANGES": Action.REQUEST_CHANGES,
        "APPROVE": Action.APPROVE,
        "DISMISS": Action.FORGE_SIGNAL,
    }
    action = actions.get(event, Action.UNKNOWN)
    if node is None or node.kind != "pull-request":
        return (unlisted(action, target),)
    if action in (Action.APPROVE, Action.REQUEST_CHANGES):
        refused = _not_an_agents(node, action) or _its_own(caller, node, action)
        if refused:
            return (refused,)
    return publishing(caller, Operation(action, node.target, text=text, head=node.commit or ""))


def _not_an_agents(node: Node, action: Action) -> Operation | None:
    if node.author_kind == "agent":
        return None
    because = f"{action} is for agents' pull requests, and {node.target} is not known to be one"
    return Operation(action, node.target, "request.not-an-agents", because)


def _its_own(caller: Caller, node: Node, action: Action) -> Operation | None:
    if action is not Action.APPROVE:
        return None
    if not node.author or not node.head:
        because = f"nobody approves what it opened or pushed to, and whose {node.target} is is not known"
        return Operation(action, node.target, "request.own-approval", because)
    if not is_own(caller, node) and not caller.owns_branch(node.head):
        return None
    return Operation(
        action, node.target, "request.own-approval", "nobody approves what it opened or pushed to"
    )


def merge(node: Node | None, target: str) -> tuple[Operation, ...]:
    """A request to merge a pull request, which hive's own gate answers."""
    if node is None or node.kind != "pull-request":
        return (unlisted(Action.REQUEST_MERGE, target),)
    return (_not_an_agents(node, Action.REQUEST_MERGE) or Operation(Action.REQUEST_MERGE, node.target),)


def open_pull_request(caller: Caller, wanted: NewPullRequest, other_head: bool) -> tuple[Operation, ...]:
    """Open a pull request; `other_head` says that its head is in another repository.

    Raises `NotUnderstood` for what are no branches.
    """
    text = f"{wanted.title}\n{wanted.body}"
    if not is_ref(f"refs/heads/{wanted.head}") or not is_ref(f"refs/heads/{wanted.base}"):
        raise NotUnderstood("its head or base is no branch")
    if other_head or not caller.owns_branch(wanted.head):
        because = f"its head has to be a branch under hive/{caller.agent}/ of {wanted.repo} itself"
        return (Operation(Action.OPEN_PR, wanted.repo, "request.not-own-branch", because, text=text),)
    return publishing(caller, Operation(Action.OPEN_PR, wanted.repo, text=text, opens=wanted))


def write_ref(
    caller: Caller,
    facts: Facts,
    repo: str,
    ref: str,
    *,
    deletes: bool = False,
    forced: bool = False,
    paths: tuple[str, ...] = (),
    text: str = "",
) -> tuple[Operation, ...]:
    """Create, move or delete a full ref (``refs/heads/x``), with the files that this changes.

    Raises `NotUnderstood` for what is no ref.
    """
    if not is_ref(ref):
        raise NotUnderstood(f"{ref!r} is no ref")
    action = _ref_action(caller, facts, repo, ref, deletes, forced=forced)
    moved = Operation(action, f"{repo}@{ref}", paths=paths, text=text)
    workflows = [path for path in paths if is_workflow(path)]
    return (
        moved,
        *(Operation(Action.CHANGE_WORKFLOW, f"{repo}:{path}", paths=(path,)) for path in workflows),
    )


def committed(*parts: str) -> str:
    """The text of a commit that is made over the API: its message, and what it puts into files.

    It begins with a newline, so that no message can have it taken for the log of a git push.
    """
    return "\n" + "\n".join(filter(None, parts))


def _ref_action(caller: Caller, facts: Facts, repo: str, ref: str, deletes: bool, *, forced: bool) -> Action:
    if ref.startswith("refs/tags/"):
        return Action.PUSH_TAG
    branch = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""
    if branch and caller.owns_branch(branch):
        return Action.UPDATE_OWN_PR if facts.pulls_on(repo, branch) else Action.PUSH_OWN_BRANCH
    if deletes:
        return Action.DELETE_BRANCH
    if branch == caller.default_branch(repo):
        return Action.FORCE_PUSH_DEFAULT if forced else Action.PUSH_DEFAULT_BRANCH
    return Action.PUSH_OTHER_BRANCH


def unjudged(operation: Operation) -> Operation:
    """The same, refused where nothing else refuses it: a ref may only be set to what hive's mirror judged."""
    if operation.action not in (Action.PUSH_OWN_BRANCH, Action.UPDATE_OWN_PR):
        return operation
    because = "hive's mirror has not judged that commit; push it with git instead"
    return replace(operation, refused_by="request.unjudged-commit", because=because)
