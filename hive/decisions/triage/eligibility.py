"""Whether one issue may become work, with every reason against it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.findings.issue_text import is_tracking
from hive.decisions.triage.blocking import Blocking
from hive.decisions.triage.trust import (
    approved_at,
    go_labels,
    in_or_after,
    is_trusted,
    why_not_released,
)
from hive.decisions.triage_policy import TriagePolicy
from hive.facts.actors import Actor, ActorKind, name_of
from hive.facts.forge import Issue


def objections(issue: Issue, policy: TriagePolicy, blocks: Blocking) -> Iterator[str]:
    """Yield why `issue` is no work now; nothing where it is."""
    yield from _not_approved(issue, policy)
    if is_tracking(issue):
        yield "it lists what hive's agents found"
    for pull in issue.pull_requests:
        if pull.state == "open":
            whose = f"by {name_of(pull.by)}" + ("" if is_trusted(pull.by, policy) else ", who is not trusted")
            how = f", {pull.how}" if pull.how else ""
            yield f"pull request #{pull.number} for it is open ({whose}{how})"
    for assignee in issue.assignees:
        if assignee.kind in (ActorKind.PERSON, None):
            yield f"it is assigned to {assignee.login}"
    for label in issue.labels:
        if policy.holds(label.name):
            yield f"label {label.name} holds it"
    if blocks.ring:
        yield f"it is in a ring of issues that block each other: {', '.join(blocks.ring)}"
    if blocks.linked:
        yield f"it is blocked by {_numbers(blocks.linked)}"
    if blocks.named:
        yield f"it is blocked, by what its text says, by {', '.join(blocks.named)}"


def approval(issue: Issue, policy: TriagePolicy) -> str:
    """Say why an approved `issue` is: who wrote or released it."""
    if policy.go_label is None:
        return f"{name_of(issue.author)} wrote it, {_standing(issue.author, policy)}"
    approved = approved_at(issue, policy)
    by = next((label.by for label in go_labels(issue, policy) if label.at == approved), None)
    return f"{name_of(by)} put label {policy.go_label} on it, {_standing(by, policy)}"


def _not_approved(issue: Issue, policy: TriagePolicy) -> Iterator[str]:
    if policy.go_label is None:
        if not is_trusted(issue.author, policy):
            yield f"{name_of(issue.author)} wrote it, {_why_not_trusted(issue.author)}"
        # Whoever edits another's issue may write to the repository, where it is a person.
        for part, _, by in _edits(issue):
            if by is not None and by.kind is not ActorKind.PERSON and not is_trusted(by, policy):
                yield f"its {part} was edited by {by.login}, who is {by.kind or 'not known to be a person'}"
        return
    labels = tuple(go_labels(issue, policy))
    if not labels:
        yield f"it does not have label {policy.go_label}"
        return
    approved = approved_at(issue, policy)
    if approved is None:
        reasons = (why_not_released(label, issue, policy) for label in labels)
        yield from (f"label {policy.go_label} does not count: {reason}" for reason in reasons if reason)
    else:
        yield from _edited(issue, approved)


def _edited(issue: Issue, approved: datetime) -> Iterator[str]:
    for part, edited, by in _edits(issue):
        if edited is not None and in_or_after(edited, approved):
            who = f" by {by.login}" if by is not None else ""
            yield f"its {part} was edited{who} after it was released; release it again"


def _edits(issue: Issue) -> Iterator[tuple[str, datetime | None, Actor | None]]:
    yield "title", issue.title_edited_at, issue.title_edited_by
    yield "body", issue.edited_at, issue.edited_by


def _standing(actor: Actor | None, policy: TriagePolicy) -> str:
    if actor is not None and actor.association in policy.trusted:
        return str(actor.association)
    return "on the allow-list"


def _why_not_trusted(author: Actor | None) -> str:
    if author is not None and author.kind is ActorKind.AGENT and author.association is None:
        return "an agent of hive's own: its reasons need a person's word (go_label), or its login in allow"
    association = author.association if author else None
    return f"who is not trusted ({association or 'no association'})"


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
