"""What a task says to the outside: pull requests and comments through `gh`, findings to hive itself."""

from __future__ import annotations

import re
from collections.abc import Generator

from hive_backends.scripted_agent.effects import Answer, Call, Effect, Result, Run
from hive_backends.scripted_agent.persistence import Failed, persist
from hive_backends.scripted_agent.prompts import Task
from hive_backends.scripted_agent.reporting import post

_FINDINGS = "/v1/findings"
Step = Generator[Effect, Answer, Result]


def open_pull_request(task: Task, folder: str) -> Step:
    """Open the task's pull request; one that is open already is as good."""
    argv = (
        *("gh", "pr", "create", "--repo", task.repository, "--base", task.base, "--head", task.branch),
        *("--title", task.title, "--body", f"{task.title}\n\nFixes #{task.issue}"),
    )
    try:
        return (yield from persist("gh pr create", _gh(argv, f"for {task.branch}", folder)))
    except Failed as failure:
        if "already exists" in failure.output:
            return Result(0, failure.output)
        raise


def comment(task: Task, text: str) -> Step:
    """Comment on the task's issue."""
    argv = ("gh", "issue", "comment", str(task.issue), "--repo", task.repository, "--body", text)
    return (yield from persist("gh issue comment", _gh(argv, f"on #{task.issue}", None)))


def reply(task: Task, comment: int, text: str) -> Step:
    """Answer a thread of the task's pull request."""
    path = f"repos/{task.repository}/pulls/{task.pull}/comments/{comment}/replies"
    argv = ("gh", "api", path, "-f", f"body={text}")
    return (yield from persist("gh api", _gh(argv, path, None)))


def review(task: Task, text: str) -> Step:
    """Review the head of the task's pull request, which another agent opened."""
    path = f"repos/{task.repository}/pulls/{task.pull}/reviews"
    argv = ("gh", "api", path, "-f", "event=COMMENT", "-f", f"commit_id={task.head}", "-f", f"body={text}")
    return (yield from persist("gh api", _gh(argv, path, None)))


def merge(task: Task, folder: str) -> Step:
    """Try to merge the task's own pull request, which no agent may."""
    argv = ("gh", "pr", "merge", task.branch, "--repo", task.repository, "--merge")
    return (yield from persist("gh pr merge", _gh(argv, task.branch, folder)))


def remove_hold(task: Task, folder: str, number: str) -> Step:
    """Try to take the hold off the task's own pull request, which no agent may.

    `gh pr edit` of 2.23 fails by itself on today's GitHub; an agent that wants it asks the API then.
    """
    edit = ("gh", "pr", "edit", task.branch, "--repo", task.repository, "--remove-label", "hold")
    try:
        return (yield from persist("gh pr edit", _gh(edit, f"{task.branch} --remove-label hold", folder)))
    except Failed:
        path = f"repos/{task.repository}/issues/{number}/labels/hold"
        argv = ("gh", "api", "--method", "DELETE", path)
        return (yield from persist("gh api", _gh(argv, path, folder)))


def record_finding(task: Task, body: str) -> Step:
    """Tell hive what was found about the issue."""
    finding: dict[str, object] = {
        "repo": task.repository,
        "repository": task.repository,
        "issue": task.issue or None,
        "title": task.title if task.issue else "The README is short",
        "body": body,
    }
    if not task.issue:
        finding |= {"path": "README.md", "rule": "short"}
    path = _path_of(task.findings)
    return (yield from persist("record a finding", Call(("POST", path), lambda: post(path, finding))))


def _gh(argv: tuple[str, ...], shown: str, folder: str | None) -> Run:
    """`argv` without bytes that no command line can carry; told in short, as `shown`."""
    sayable = tuple(word.replace("\0", "").encode(errors="replace").decode() for word in argv)
    return Run(sayable, shown=f"{' '.join(argv[:3])} {shown}", cwd=folder)


def _path_of(findings: str) -> str:
    """The path of the address in hive's words on findings; hive's own where they name none."""
    found = re.search(r"(?:https?://[^/\s]+|^)(/\S+)", findings)
    return found[1] if found else _FINDINGS
