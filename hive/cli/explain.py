"""`hive explain`: the journal about one thing, and how it stands now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hive.app.places import Places
from hive.decisions.instants import iso
from hive.decisions.telling import tell
from hive.errors import ConfigError
from hive.facts.events import Record
from hive.facts.usage_events import BOOKKEEPING

_FINDING = re.compile(r"F[1-9][0-9]*")
_MOST = 200
"""Events shown: the newest."""
_READ = 5000
"""Of them, what an agent used is left to `hive costs`: it comes with every answer of its model."""


def explain_document(wanted: str, here: Places, status: Mapping[str, Any] | None) -> dict[str, Any]:
    """``{"id": …, "now": […], "events": [{"at", "seq", "text"}]}``: one line each, oldest first.

    `wanted` is an agent, its sandbox (``NAMESPACE/NAME``), ``o/r#7``, ``#7`` where there is one repository,
    a task or an intent.
    """
    from hive.shells.sqlite import SqliteJournal

    subject = _subject(wanted, status)
    if not here.journal.exists():
        raise ConfigError(f"there is no journal at {here.journal}; was hive started with this configuration?")
    journal = SqliteJournal(here.journal, read_only=True)
    try:
        records = list(
            _of_finding(journal, subject) if _FINDING.fullmatch(subject) else _about(journal, subject)
        )
    finally:
        journal.close()
    return {
        "id": subject,
        "now": list(_now(subject, status or {})),
        "events": [
            {
                "at": iso(record.at),
                "seq": record.seq,
                "text": tell(record),
            }
            for record in records[-_MOST:]
        ],
    }


def _subject(wanted: str, status: Mapping[str, Any] | None) -> str:
    """The full name: ``#7`` and ``7`` mean the only repository's, a sandbox's name its agent."""
    for agent in (status or {}).get("agents", ()):
        if (agent.get("sandbox") or {}).get("request") == wanted:
            return str(agent["name"])
    number = wanted.lstrip("#")
    if not number.isdigit():
        return wanted.replace("PR#", "#") if wanted.startswith("PR#") else wanted
    known = status or {}
    repos = sorted(
        {row["repo"] for row in known.get("work", ())}
        | {row["repo"] for row in known.get("pull_requests", ())}
        | {repo for agent in known.get("agents", ()) for repo in agent["repos"]}
    )
    if len(repos) != 1:
        known_ones = ", ".join(repos) or "no repository is known"
        raise ConfigError(f"'{wanted}' is ambiguous; write OWNER/NAME#{number} ({known_ones})")
    return f"{repos[0]}#{number}"


def _of_finding(journal: Any, finding: str) -> Iterator[Record]:
    from hive.cli.findings_history import is_about

    return (record for record in journal.records() if is_about(record.event, finding))


def _about(journal: Any, subject: str) -> Iterator[Record]:
    """Events whose subject it is; for a task or an intent, those that name it."""
    found = journal.about(subject, limit=_READ, without=BOOKKEEPING)
    if found or "#" in subject:
        yield from found
        return
    for record in journal.records():
        event = record.event
        if subject in (getattr(event, "task", None), getattr(event, "intent_id", None)):
            yield record


def _now(subject: str, status: Mapping[str, Any]) -> Iterator[str]:
    for agent in status.get("agents", ()):
        if agent["name"] == subject:
            yield f"{agent['state']}" + (f": {agent['detail']}" if agent["detail"] else "")
            if agent.get("fallback"):
                yield f"it fell back {agent['fallback']}"
            if agent.get("limited_until"):
                yield f"its account is limited, and tried again at {agent['limited_until']}"
            yield from _sandbox(agent.get("sandbox"))
    for one in status.get("findings", ()):
        if one["id"] == subject:
            yield f"{one.get('state', 'open')}: {one.get('because', '')}"
    for row in status.get("work", ()):
        if f"{row['repo']}#{row['number']}".casefold() == subject.casefold():
            yield ("it is work: " if row["eligible"] else "it is no work: ") + row["because"]
            place = f"rank {row['rank']}: " if row["rank"] else ""
            yield from (f"{place}{'; '.join(why)}" for why in (row.get("why"),) if why)
    for pull in status.get("pull_requests", ()):
        if f"{pull['repo']}#{pull['number']}".casefold() == subject.casefold():
            yield f"{pull['state']}, {'held, ' if pull['held'] else ''}{pull['verdict']}"
            yield from (f"{one['code']}: {one['because']}" for one in pull["obstacles"])


def _sandbox(sandbox: Mapping[str, Any] | None) -> Iterator[str]:
    """Where the agent's pod is, and what placement says of each cluster."""
    if sandbox is None:
        return
    where = " ".join(str(sandbox[key]) for key in ("cluster", "node", "pod") if sandbox.get(key))
    phase = sandbox["phase"] or "asked for"
    yield f"sandbox {sandbox['request']}: {phase}" + (f" on {where}" if where else "")
    if sandbox.get("message"):
        yield f"sandbox: {sandbox['message']}"
    yield from (f"{cluster}: {why}" for cluster, why in (sandbox.get("why") or {}).items())


def render(document: Mapping[str, Any]) -> str:
    lines = [document["id"], *(f"  now  {line}" for line in document["now"])]
    lines += [f"  {event['at'][:19]}  {event['text']}" for event in document["events"]]
    if len(lines) == 1:
        lines.append("  nothing is known about it; names are as in 'hive status'")
    return "\n".join(lines)
