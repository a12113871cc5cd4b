"""Findings and tracking issues, folded from the journal."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias, assert_never

from hive.decisions.findings.report import key_of, with_fingerprint
from hive.decisions.recall_maps import Maps
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.findings import BODY_KEPT, REPEATS_KEPT, Finding, FindingState, Tracking

Findings: TypeAlias = e.FindingRecorded | e.FindingRepeated | e.FindingDecided
_RESTS = {
    "failed": timedelta(minutes=1),
    "missing": timedelta(minutes=30),
    "refused": timedelta(minutes=30),
    "moved": timedelta(minutes=1),
}
"""How long hive waits after the forge did not take an issue. Nobody waits for it."""


def fold(maps: Maps, event: Findings, at: datetime) -> None:
    match event:
        case e.FindingRecorded():
            if event.finding_id not in maps.findings:
                maps.findings[event.finding_id] = _new(with_fingerprint(event), at)
        case e.FindingRepeated(finding_id=name):
            if name in maps.findings:
                maps.findings[name] = _again(maps.findings[name], event, at)
        case e.FindingDecided(finding_id=name, accepted=accepted, by=by, why=why):
            if name in maps.findings:
                state = FindingState.ACCEPTED if accepted else FindingState.REJECTED
                known = maps.findings[name]
                maps.findings[name] = replace(
                    known, state=state, by=by, why=why, decided_at=at, rests_until=None
                )
        case _ as never:
            assert_never(never)


def _new(event: e.FindingRecorded, at: datetime) -> Finding:
    return Finding(
        id=event.finding_id,
        agent=event.agent,
        repo=event.repo,
        issue=event.issue,
        title=event.title,
        body=event.body[:BODY_KEPT],
        at=at,
        task=event.task,
        path=event.path,
        rule=event.rule,
        about=event.about,
        fingerprint=event.fingerprint,
        blob=event.blob,
        seen_at=at,
    )


def _again(known: Finding, event: e.FindingRepeated, at: datetime) -> Finding:
    again = (*known.again, key_of(event.task, event.agent))[-REPEATS_KEPT:]
    state = FindingState.OPEN if event.reopened else known.state
    # Of what was rejected the content that was judged is kept: small steps away from it count, too.
    keeps_blob = known.state is FindingState.REJECTED and not event.reopened and bool(known.blob)
    blob = known.blob if keeps_blob else event.blob or known.blob
    return replace(known, again=again, times=known.times + 1, seen_at=at, blob=blob, state=state)


def ended(
    maps: Maps, intent: i.FileFinding | i.UpdateTracking, event: e.IntentFinished, at: datetime
) -> None:
    """What came of writing an issue: its number is the detail of what is done."""
    number = int(event.detail) if event.outcome == "done" and event.detail.isdigit() else 0
    if number:
        maps.acts.filed(intent.id, intent.repo, number)
    until = at + _RESTS[event.outcome] if event.outcome in _RESTS else None
    if isinstance(intent, i.UpdateTracking):
        known = maps.tracking.get(intent.repo)
        if number:
            maps.tracking[intent.repo] = Tracking(number, intent.digest, at)
        elif event.outcome == "missing":
            # Deleted by a person, or transferred: it is looked for, and made anew.
            maps.tracking[intent.repo] = Tracking(0, "", at, until)
        elif until is not None:
            known = known or Tracking(0, "", at)
            maps.tracking[intent.repo] = replace(known, rests_until=until)
    elif intent.finding in maps.findings:
        known_finding = maps.findings[intent.finding]
        if number:
            maps.findings[intent.finding] = replace(
                known_finding, state=FindingState.FILED, filed=number, filed_at=at, rests_until=None
            )
        elif until is not None:
            maps.findings[intent.finding] = replace(known_finding, rests_until=until)
