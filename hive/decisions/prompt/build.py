"""One issue into one prompt. Equal input gives equal bytes."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.prompt.assembled import assembled
from hive.decisions.prompt.foreign import MAX_CHARS, Foreign, Prompt, described, spelled
from hive.decisions.prompt.order import TaskOrder
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.triage.trust import comments_that_count
from hive.decisions.triage_policy import TriagePolicy
from hive.facts.forge import Issue


def build(
    issue: Issue,
    *,
    prompt_id: str,
    approved_at: datetime | None,
    policy: TriagePolicy,
    template: PromptTemplate,
    order: TaskOrder | None = None,
    max_chars: int = MAX_CHARS,
) -> Prompt:
    """Return the prompt for `issue` as it was at `approved_at`.

    At most `max_chars` characters of foreign text (title, body, comments) are in it, and what was cut is
    said. Of the comments those count that `policy` lets.
    """
    order = order or TaskOrder()
    foreign = Foreign(max_chars)
    take_issue(foreign, issue, policy, approved_at)
    work = f"work on issue {issue.number}"
    about = (("issue", str(issue.number)),)
    return assembled(template, order, foreign, prompt_id, work, about, number=issue.number)


def take_issue(
    foreign: Foreign,
    issue: Issue,
    policy: TriagePolicy,
    approved_at: datetime | None,
    prefix: str = "",
) -> None:
    """Title, body and the comments that count; `prefix` goes before the name of each."""
    author = described(issue.author)
    foreign.title(f"{prefix}title", author, issue.title)
    if issue.body:
        foreign.take(f"{prefix}body", author, issue.body)
    for number, comment in comments_that_count(issue, policy, approved_at):
        when = f", {spelled(comment.at)}" if comment.at else ""
        foreign.offer(f"{prefix}comment {number}", described(comment.by) + when, comment.body)
