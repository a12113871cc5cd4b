"""Whose word counts, since when an issue is approved, and which of its comments belong to the work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.triage_policy import TriagePolicy, same_name
from hive.facts.actors import Actor, ActorKind, same_login
from hive.facts.forge import Comment, Issue, Label


def is_trusted(actor: Actor | None, policy: TriagePolicy) -> bool:
    """Whether association or allow-list vouch for `actor`; nobody vouches for a deleted account."""
    if actor is None:
        return False
    return actor.association in policy.trusted or any(same_login(actor.login, own) for own in policy.allow)


def releases(label: Label, issue: Issue, policy: TriagePolicy) -> bool:
    """Whether `label`, a go label, was put on by somebody who may release `issue`, at a known time."""
    return label.at is not None and why_not_released(label, issue, policy) is None


def why_not_released(label: Label, issue: Issue, policy: TriagePolicy) -> str | None:
    """Return why putting `label` on does not release `issue`; `None` when it does."""
    by = label.by
    if by is None:
        return "it is not known who put it on"
    if by.kind != ActorKind.PERSON:
        return f"{by.login} put it on, who is {by.kind or 'not known to be a person'}"
    if not is_trusted(by, policy):
        return f"{by.login} put it on, who is not trusted"
    if (
        issue.author is not None
        and same_login(by.login, issue.author.login)
        and by.association not in policy.trusted
    ):
        return f"{by.login} put it on his or her own issue"
    return "it is not known when it was put on" if label.at is None else None


def go_labels(issue: Issue, policy: TriagePolicy) -> Iterator[Label]:
    """The go labels on `issue`, whoever put them on."""
    if policy.go_label is not None:
        yield from (label for label in issue.labels if same_name(label.name, policy.go_label))


def approved_at(issue: Issue, policy: TriagePolicy) -> datetime | None:
    """When `issue` was released for work: by its go label, or without one by being written.

    `None` where that is not known, or where nobody who may do so has released it.
    """
    if policy.go_label is None:
        return issue.created_at
    times = [label.at for label in go_labels(issue, policy) if label.at and releases(label, issue, policy)]
    return max(times, default=None)


def comments_that_count(
    issue: Issue, policy: TriagePolicy, approved: datetime | None
) -> Iterator[tuple[int, Comment]]:
    """Comments that belong to the work, numbered from 1 as they stand in the issue.

    All that stood unchanged before the approval's second, and later ones of trusted persons.
    """
    for number, comment in enumerate(issue.comments, start=1):
        by = comment.by
        if by is not None and by.kind == ActorKind.PERSON and is_trusted(by, policy):
            yield number, comment
        elif approved is not None and comment.at is not None:
            last = max(comment.at, comment.edited_at or comment.at)
            if not in_or_after(last, approved):
                yield number, comment


def in_or_after(moment: datetime, approved: datetime) -> bool:
    """Whether `moment` is in the second of `approved` or later: the forge's times have no finer grain."""
    return moment.replace(microsecond=0) >= approved.replace(microsecond=0)
