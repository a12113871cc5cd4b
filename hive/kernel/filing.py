"""Issues of hive's own, by the forge port: found by their marker before they are made. Runs in its lane."""

from __future__ import annotations

from hive.facts.intents import FileFinding, UpdateTracking
from hive.ports.forge import Forge


def carry_out_filing(intent: FileFinding | UpdateTracking, forge: Forge) -> str:
    """The issue's number. Raises as the port does; `Missing` where a tracking issue is gone."""
    if isinstance(intent, UpdateTracking):
        return str(_track(intent, forge))
    found = forge.marked_issue(intent.repo, intent.marker, since=intent.since)
    if found is None:
        found = forge.file_issue(intent.repo, title=intent.title, body=intent.body, labels=intent.labels)
    return str(found)


def _track(intent: UpdateTracking, forge: Forge) -> int:
    number = intent.number or forge.marked_issue(intent.repo, intent.marker)
    if number is None:
        return forge.file_issue(intent.repo, title=intent.title, body=intent.body, labels=())
    forge.edit_issue(intent.repo, number, body=intent.body)
    return number
