"""What to record of a finding: something new, or what is known found again."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from hive.decisions.findings.subject import fingerprint
from hive.facts.finding_events import FindingRecorded, FindingRepeated
from hive.facts.findings import Finding, FindingState


def with_fingerprint(found: FindingRecorded) -> FindingRecorded:
    """`found`, with the fingerprint of what it is about where it has none."""
    if found.fingerprint:
        return found
    print_ = fingerprint(
        found.repo,
        issue=found.issue,
        path=found.path,
        rule=found.rule,
        about=found.about,
        title=found.title,
    )
    return structs.replace(found, fingerprint=print_)


def known_as(found: FindingRecorded, findings: Iterable[Finding]) -> Finding | None:
    """The finding on record that is about the same as `found`, which has its fingerprint."""
    return next((one for one in findings if one.fingerprint == found.fingerprint), None)


def next_id(findings: Iterable[Finding]) -> str:
    """The name of the next new one."""
    return f"F{max((int(one.id[1:]) for one in findings if one.id[1:].isdigit()), default=0) + 1}"


def repeated(found: FindingRecorded, known: Finding) -> FindingRepeated | None:
    """What to record of `found` where `known` is on record; None where nothing of it is news.

    What a person rejected is opened again only by another content of its file.
    """
    changed = bool(known.blob and found.blob and known.blob != found.blob)
    reopened = changed and known.state is FindingState.REJECTED
    if known.is_of(key_of(found.task, found.agent)) and not reopened:
        return None
    if not found.task and found.agent == known.agent and not known.task and not changed:
        return None
    return FindingRepeated(
        agent=found.agent,
        finding_id=known.id,
        repo=known.repo,
        title=found.title,
        task=found.task,
        blob=found.blob,
        reopened=reopened,
    )


def key_of(task: str, agent: str) -> str:
    """In what it was found: a task, or ``by AGENT`` outside of one."""
    return task or f"by {agent}"


def is_too_much(found: FindingRecorded, findings: Iterable[Finding], per_task: int) -> bool:
    """Whether the task has given as many new findings as it may."""
    return bool(found.task) and sum(one.task == found.task for one in findings) >= per_task
