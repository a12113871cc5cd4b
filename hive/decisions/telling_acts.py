"""Holds, ends of requests and incidents in one sentence for a person."""

from __future__ import annotations

from typing import assert_never

from hive.decisions.one_line import one_line
from hive.facts.events import (
    ActionHeld,
    ApprovalCarriedOut,
    HoldDecided,
    HoldUsed,
    IncidentClosed,
    IncidentRaised,
    RepositoryWatched,
    RequestDone,
)
from hive.facts.incidents import said_of

_ENDS = {
    "done": "was done",
    "refused": "was refused by the forge",
    "repeated": "was done before; it got the first answer again",
    "found": "had been done already",
    "in-doubt": "is in doubt: no answer came",
}


def of_acts(
    event: ActionHeld
    | HoldDecided
    | HoldUsed
    | RequestDone
    | ApprovalCarriedOut
    | RepositoryWatched
    | IncidentRaised
    | IncidentClosed,
) -> str:
    match event:
        case ActionHeld() | HoldDecided() | HoldUsed():
            return _of_hold(event)
        case RequestDone(agent=agent, outcome=outcome, made=made):
            said = f"what {agent} asked of the forge {_ENDS.get(outcome, outcome)}"
            return f"{said}: {made}" if made else said
        case ApprovalCarriedOut(agent=agent, holds=holds, outcome=outcome, detail=detail):
            said = f"hive did for {agent} what was approved as {', '.join(holds)}: {outcome}"
            return f"{said} ({one_line(detail)})" if detail else said
        case RepositoryWatched(repo=repo):
            return f"from now on hive answers for every act of its account in {repo}"
        case IncidentRaised():
            what = "note" if event.is_note else "incident"
            told = f"{what} {event.incident_id}: {said_of(event.what)}"
            return f"{told} at {event.subject}: {one_line(event.evidence)}" + (
                f"; {event.agent} is stopped" if event.agent else ""
            )
        case IncidentClosed(incident_id=name, by=by, why=why):
            return f"incident {name} was closed by {by}: {why}"
        case _:
            assert_never(event)


def _of_hold(event: ActionHeld | HoldDecided | HoldUsed) -> str:
    match event:
        case ActionHeld(agent=agent, action=action, target=target, hold_id=hold, because=because, rule=rule):
            return f"{agent}'s {action} on {target} waits for a person as {hold}: {because} [{rule}]"
        case HoldDecided(hold_id=hold, approved=approved, by=by, why=why):
            said = f"{hold} was {'approved' if approved else 'denied'} by {by}"
            return f"{said}: {why}" if why else said
        case HoldUsed(agent=agent, hold_id=hold):
            return f"{agent} did what was approved as {hold}"
        case _:
            assert_never(event)
