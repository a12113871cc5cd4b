"""What a demo came to: from the journal and from the stand-in, never counted by the demo itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hive.demo.world import ACCOUNT
from hive.facts.events import (
    IntentFinished,
    IntentStarted,
    IssueTriaged,
    PullRequestOpened,
    Record,
    RequestRuled,
    SandboxChanged,
)
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.intents import FinishTask
from hive.facts.verdicts import Ruling

_DONE = ("pull-request", "finding")


def summarise(
    level: int,
    records: Iterable[Record],
    repository: Mapping[str, Any],
    findings: int,
    hold_label: str,
    journal: Path,
) -> dict[str, Any]:
    """The document of `hive demo --json`. `repository` is the stand-in's word on it."""
    told = list(records)
    pulls = [pull for pull in repository["pulls"] if pull["author"] == ACCOUNT]
    is_open = [pull for pull in pulls if pull["state"] == "open"]
    held = [pull for pull in is_open if hold_label in pull["labels"]]
    sandboxes = _sandboxes(told)
    return {
        "level": level,
        "issues": {
            "seen": len(repository["issues"]),
            "eligible": len(_eligible(told)),
            "done": len(_done(told)),
        },
        "pull_requests": {
            "opened": len(pulls),
            "held": len(held),
            "merged": sum(pull["merged"] for pull in pulls),
            "blocked": len(is_open) - len(held),
        },
        "findings": findings,
        "refused": _refused(told),
        "duplicates": _duplicates(told, pulls),
        "journal": str(journal),
        **({"sandboxes": sandboxes} if sandboxes else {}),
    }


def _eligible(records: Iterable[Record]) -> set[int]:
    """Issues that were found to be work at any time: one that has its pull request no longer is."""
    return {
        record.event.number
        for record in records
        if isinstance(record.event, IssueTriaged) and record.event.eligible
    }


def _done(records: Iterable[Record]) -> set[int]:
    """Issues whose newest task ended in a pull request or a finding."""
    meant: dict[str, FinishTask] = {}
    done: set[int] = set()
    for record in records:
        event = record.event
        if isinstance(event, IntentStarted) and isinstance(event.body, FinishTask):
            meant[event.intent_id] = event.body
        elif isinstance(event, IntentFinished) and event.intent_id in meant:
            task = meant[event.intent_id]
            (done.add if task.outcome in _DONE else done.discard)(task.issue)
    return done


def _refused(records: Iterable[Record]) -> list[dict[str, str]]:
    return [
        {"agent": record.event.agent, "action": record.event.action, "rule": record.event.rule}
        for record in records
        if isinstance(record.event, RequestRuled) and record.event.ruling == Ruling.DENY
    ]


def _sandboxes(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Where each agent's pod was ready last, and what placement said of each cluster when it chose."""
    ready: dict[str, dict[str, Any]] = {}
    chosen: dict[tuple[str, str], dict[str, str]] = {}
    for record in records:
        event = record.event
        if not isinstance(event, SandboxChanged):
            continue
        why = chosen.setdefault((event.agent, event.cluster), dict(event.why))
        if event.phase == SandboxPhase.READY:
            place = {"cluster": event.cluster, "node": event.node, "why": why}
            ready[event.agent] = {"agent": event.agent, **place}
    return [ready[agent] for agent in sorted(ready)]


def _duplicates(records: Iterable[Record], pulls: Iterable[Mapping[str, Any]]) -> int:
    """Pull requests beyond the first for one issue, whatever became of them, by the forge's account."""
    issue_of = {
        record.event.number: record.event.issue
        for record in records
        if isinstance(record.event, PullRequestOpened)
    }
    wanted = Counter(issue_of.get(pull["number"], f"unknown {pull['number']}") for pull in pulls)
    return sum(count - 1 for count in wanted.values())


def unrecorded(records: Iterable[Record], repository: Mapping[str, Any]) -> list[int]:
    """Pull requests of hive's account that the journal does not know: there must be none."""
    known = {record.event.number for record in records if isinstance(record.event, PullRequestOpened)}
    return [
        int(pull["number"])
        for pull in repository["pulls"]
        if pull["author"] == ACCOUNT and pull["number"] not in known
    ]


def render(document: Mapping[str, Any], where: Mapping[str, str]) -> str:
    """The summary for a person; `where` names places to look at."""
    issues, pulls = document["issues"], document["pull_requests"]
    lines = [
        f"Level {document['level']}: {issues['done']} of {issues['eligible']} eligible issues done"
        f" ({issues['seen']} seen)",
        f"  pull requests  {pulls['opened']} opened: {pulls['held']} held, {pulls['merged']} merged,"
        f" {pulls['blocked']} open and unheld",
        f"  findings       {document['findings']}",
        f"  refused        {len(document['refused'])}",
    ]
    lines += [f"    {one['agent']}: {one['action']} ({one['rule']})" for one in document["refused"][:10]]
    lines.append(f"  duplicates     {document['duplicates']}")
    for one in document.get("sandboxes", ()):
        lines.append(f"  {one['agent']:<14} ran on {one['cluster']}, node {one['node']}")
        lines += [f"      {cluster}: {why}" for cluster, why in one["why"].items()]
    lines += [f"  {name:<14} {place}" for name, place in where.items()]
    return "\n".join(lines)
