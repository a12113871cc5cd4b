"""Which findings become issues now, and what tracking issues have to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from hive.contracts.guardrail import Proposal
from hive.decisions.autonomy import rule
from hive.decisions.counting import counted
from hive.decisions.findings.issue_text import (
    TRACKING_MARKER,
    TRACKING_TITLE,
    digest_of,
    issue_text,
    marker_of,
    tracking_text,
)
from hive.decisions.lookup import snapshot
from hive.decisions.policy import Policy, level_of
from hive.facts.autonomy import Action
from hive.facts.findings import Finding, FindingState
from hive.facts.intents import FileFinding, UpdateTracking
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling
from hive.facts.world import World

_DAY = timedelta(days=1)
_ACCOUNTED = (FindingState.OPEN, FindingState.ACCEPTED)


def finding_intents(world: World, memory: Memory, policy: Policy) -> Iterator[FileFinding | UpdateTracking]:
    """At most one issue of a finding at a time in each repository that was seen, and its tracking issue."""
    findings = by_repository(memory.findings)
    for repo in world.repos:
        if snapshot(world, repo) is None:
            continue
        found = findings.get(repo.casefold(), [])
        filing = _next(repo, found, world, memory, policy)
        if filing is not None:
            yield filing
        tracking = _tracking(repo, found, world, memory, policy)
        if tracking is not None:
            yield tracking


def by_repository(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """The findings of each repository, whose name is in lower case."""
    found: dict[str, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.repo.casefold(), []).append(one)
    return found


def _next(
    repo: str, found: list[Finding], world: World, memory: Memory, policy: Policy
) -> FileFinding | None:
    """The one whose turn it is. One that a guardrail is against lets the others go first, and is asked about
    again in turn."""
    under_way = any(isinstance(one, FileFinding) and one.repo == repo for one in memory.in_doubt.values())
    due = [] if under_way else [one for one in found if waits_for(one, found, world, memory, policy) == ""]
    if not due:
        return None
    meant = [_filing(one, repo, policy.findings.labels) for one in due]
    free = [one for one in meant if one.id not in memory.rulings]
    return free[0] if free else meant[int(world.now.timestamp() // 60) % len(meant)]


def waits_for(one: Finding, found: list[Finding], world: World, memory: Memory, policy: Policy) -> str:
    """Why no issue is made of an open finding now; empty where one is. `found` are all of its repository."""
    if one.state not in _ACCOUNTED:
        return f"it is {one.state}"
    if one.rests_until is not None and world.now < one.rests_until:
        return "the forge did not take it; it is tried again later"
    if one.state is FindingState.ACCEPTED:
        return ""
    if not policy.findings.promote:
        return "a person has to accept it"
    if one.issue is not None and not one.path:
        return f"it is about issue #{one.issue}, which is there"
    spec = policy.agent(one.agent)
    if spec is None:
        return f"{one.agent} is no longer configured; a person has to accept it"
    level = level_of(policy, memory, one.repo, spec)
    if rule(policy.table, level, spec.role, Action.FILE_ISSUE).verdict.ruling is not Ruling.ALLOW:
        return f"{spec.role} files no issues at L{int(level)}; a person has to accept it"
    return _too_many(one.repo, found, world, policy)


def _too_many(repo: str, found: list[Finding], world: World, policy: Policy) -> str:
    limits = policy.findings
    today = sum(one.filed_at is not None and world.now - one.filed_at < _DAY for one in found)
    if today >= limits.per_day:
        return f"{counted(today, 'issue')} filed within a day"
    look = snapshot(world, repo)
    numbers = {issue.number for issue in look.issues} if look is not None else set()
    still_open = sum(one.filed in numbers for one in found if one.filed)
    if still_open >= limits.most_open:
        return f"{counted(still_open, 'issue')} of findings still open"
    return ""


def _filing(one: Finding, repo: str, labels: tuple[str, ...]) -> FileFinding:
    title, body = issue_text(one)
    accepted = one.by if one.state is FindingState.ACCEPTED else ""
    because = f"{accepted} accepted {one.id}" if accepted else f"its level lets {one.agent} file {one.id}"
    return FileFinding(
        repo=repo,
        finding=one.id,
        agent=one.agent,
        title=title,
        body=body,
        marker=marker_of(one),
        since=one.at,
        labels=labels,
        accepted_by=accepted,
        because=because,
    )


def _tracking(
    repo: str, found: list[Finding], world: World, memory: Memory, policy: Policy
) -> UpdateTracking | None:
    if repo.casefold() not in policy.findings.tracking:
        return None
    if any(isinstance(one, UpdateTracking) and one.repo == repo for one in memory.in_doubt.values()):
        return None
    known = memory.tracking.get(repo)
    listed = [one for one in found if one.state in _ACCOUNTED]
    if known is None and not listed:
        return None
    if known is not None:
        rests = known.rests_until is not None and world.now < known.rests_until
        if rests or (bool(known.number) and world.now - known.at < policy.findings.tracking_every):
            return None
    body = tracking_text(repo, listed)
    digest = digest_of(TRACKING_TITLE, body)
    if known is not None and known.digest == digest:
        return None
    return UpdateTracking(
        repo=repo,
        number=known.number if known is not None else 0,
        title=TRACKING_TITLE,
        body=body,
        marker=TRACKING_MARKER,
        digest=digest,
        because=f"{counted(len(listed), 'finding')} open",
    )


def proposal_of(intent: FileFinding, role: str, world: World) -> Proposal:
    """As what the agent would ask for, had it filed the issue itself."""
    return Proposal(
        agent=intent.agent,
        role=role,
        action=Action.FILE_ISSUE,
        target=intent.repo,
        at=world.now,
        text=f"{intent.title}\n{intent.body}",
    )
