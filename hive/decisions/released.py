"""What of an issue was approved, and whether that is still what an agent would get."""

from __future__ import annotations

import hashlib

from hive.decisions.triage import TriagePolicy, approved_at
from hive.facts.forge import Issue
from hive.facts.work import Task


def text_digest(issue: Issue) -> str:
    """SHA-256, in hex, of title and body: the text that a person approved."""
    text = f"{len(issue.title)} {issue.title} {issue.body}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def why_withheld(task: Task, issue: Issue, policy: TriagePolicy) -> str:
    """Why the task's agent is not given the issue as it is now; empty where it is.

    An issue is judged when it is given out, and its text is typed later, or again after a restart. Times of
    edits are not asked: where they are not known, they count as just made.
    """
    if policy.go_label is not None and approved_at(issue, policy) is None:
        return f"it is no longer released by label {policy.go_label}"
    if task.snapshot and task.snapshot != text_digest(issue):
        who = {one.login for one in (issue.edited_by, issue.title_edited_by) if one is not None}
        by = f" by {' or '.join(sorted(who))}" if who else ""
        return f"its text was edited{by} after it was given out"
    return ""
