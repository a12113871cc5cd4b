"""Findings, the issues that hive makes of them, and leases, in words for a person."""

from __future__ import annotations

from typing import assert_never

from hive.facts.finding_events import FindingDecided, FindingRecorded, FindingRepeated
from hive.facts.finding_intents import FileFinding, UpdateTracking
from hive.facts.lease_intents import DropLease, TakeLease

MEANT_OF_FINDINGS = {
    "file": "issue of a finding",
    "tracking": "tracking issue",
    "lease": "lease",
    "unlease": "end of the lease",
}
"""By the first part of an intent's id."""


def of_findings(event: FindingRecorded | FindingRepeated | FindingDecided) -> str:
    match event:
        case FindingRecorded(agent=agent, finding_id=finding, repo=repo, issue=issue, title=title):
            about = f"{repo}#{issue}" if issue is not None else repo
            where = f" in {event.path}" if event.path else ""
            return f"{agent} recorded {finding} about {about}{where}: {title}"
        case FindingRepeated(agent=agent, finding_id=finding, repo=repo, title=title, reopened=reopened):
            changed = ", which is open again, as its file has changed" if reopened else ""
            return f"{agent} found {finding} in {repo} again{changed}: {title}"
        case FindingDecided(finding_id=finding, accepted=accepted, by=by, why=why):
            said = f"{by} {'accepted' if accepted else 'rejected'} {finding}"
            return f"{said}: {why}" if why else said
        case _:
            assert_never(event)


def doing_with_findings(intent: FileFinding | UpdateTracking | TakeLease | DropLease) -> str:
    if isinstance(intent, TakeLease):
        return f"putting the lease label '{intent.label}' on {intent.subject}"
    if isinstance(intent, DropLease):
        return f"taking the lease label '{intent.label}' off {intent.subject}"
    if isinstance(intent, FileFinding):
        return f"filing {intent.finding} as an issue of {intent.repo}"
    return f"writing the tracking issue of {intent.repo}"
