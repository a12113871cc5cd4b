"""The prompt for a task: the issue as it was approved, and how the work is to be done."""

from __future__ import annotations

from hive.decisions.prompt import TaskOrder, build
from hive.decisions.triage import TriagePolicy, approved_at
from hive.facts.autonomy import Mode
from hive.facts.forge import Issue
from hive.facts.trees import TreeMemory
from hive.facts.work import Task

FINDINGS = (
    "POST http://hive/v1/findings on the socket in $HIVE_GATEWAY_SOCKET (in a pod: to $HIVE_FINDINGS_URL), "
    'with the header "Authorization: token TOKEN", TOKEN being what is in the file $HIVE_TOKEN_FILE'
)


def clone_url(repo: str) -> str:
    """Where agents fetch from; hive's gateway stands between."""
    return f"https://github.com/{repo}.git"


def go_on_prompt(task: Task, prompt_id: str) -> str:
    """What an agent gets whose program ended in the midst of the task, once it is back in the same
    conversation: the first line is the one that every prompt begins with."""
    return (
        f"hive task {prompt_id}: go on with the task that you were given above.\n\n"
        f"Your program ended in the midst of it and was started again. It is still {task.repo}#{task.issue} "
        f"on the branch {task.branch}. Look first at what is done already, do only what is left, and end "
        "as you were told to.\n"
    )


def wake_prompt(task: Task, prompt_id: str) -> str:
    """What an agent gets that waited for its account in the midst of the task, in the same conversation."""
    return (
        f"hive task {prompt_id}: go on with the task that you were given above.\n\n"
        f"Your model was limited for a while, and is no more. It is still {task.repo}#{task.issue} on the "
        f"branch {task.branch}. Look first at what is done already, do only what is left, and end as you "
        "were told to.\n"
    )


def task_prompt(
    issue: Issue,
    task: Task,
    prompt_id: str,
    mode: Mode,
    base: str,
    policy: TriagePolicy,
    *,
    tree: TreeMemory | None = None,
) -> str:
    """The text that the task's agent gets. Equal arguments give equal bytes."""
    order = TaskOrder(
        repository=task.repo,
        branch=task.branch,
        base=base,
        mode=mode,
        clone=clone_url(task.repo),
        folder=tree.folder or None if tree is not None else None,
        notes=tree.notes if tree is not None else (),
        findings=FINDINGS,
    )
    return build(
        issue,
        prompt_id=prompt_id,
        approved_at=approved_at(issue, policy),
        policy=policy,
        order=order,
    ).text
