"""Held actions: how long they wait, which one is meant, and what is said to the agent meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.instants import iso
from hive.decisions.redaction import redact
from hive.facts import hold_events as e
from hive.facts.autonomy import Action
from hive.facts.holds import Hold, HoldState
from hive.facts.verdicts import Ruling, Verdict

PATIENCE = timedelta(days=1)
"""Chosen: a person who looks once a day sees each. Also for how long a word on one stands."""
MOST_WAITING = 20
"""Of one agent. Beyond, it is told to wait: a person is to read them all."""
_ASKED_AGAIN = frozenset({Action.PUSH_OWN_BRANCH, Action.UPDATE_OWN_PR, Action.CHANGE_WORKFLOW})
"""What hive keeps no copy of: a push."""
_KEPT = timedelta(days=7)
_LONGEST_SHOWN = 2000
"""Characters of what is shown; the hash covers all of it."""


def state_of(hold: Hold, now: datetime) -> HoldState:
    if hold.is_done:
        return HoldState.DONE
    since = hold.decided_at or hold.at
    if now - since >= PATIENCE:
        return HoldState.EXPIRED
    if hold.approved is None:
        return HoldState.WAITING
    return HoldState.APPROVED if hold.approved else HoldState.DENIED


def standing(holds: Mapping[str, Hold], wanted: Hold, now: datetime) -> Hold | None:
    """The hold that is about exactly what `wanted` is, if one still stands."""
    for hold in reversed([*holds.values()]):
        same = (hold.agent, hold.action, hold.target, hold.content) == (
            wanted.agent,
            wanted.action,
            wanted.target,
            wanted.content,
        )
        if same and state_of(hold, now) not in (HoldState.DONE, HoldState.EXPIRED):
            return hold
    return None


def waiting(holds: Mapping[str, Hold], now: datetime) -> tuple[Hold, ...]:
    """Those that a person is to decide on, oldest first."""
    return tuple(hold for hold in holds.values() if state_of(hold, now) is HoldState.WAITING)


def is_too_much(holds: Mapping[str, Hold], agent: str, now: datetime) -> bool:
    """Whether the agent has to wait before more of what it asks is put to a person."""
    return sum(hold.agent == agent for hold in waiting(holds, now)) >= MOST_WAITING


def next_id(holds: Mapping[str, Hold]) -> str:
    return f"H{max((int(known[1:]) for known in holds), default=0) + 1}"


def shown(text: str) -> str:
    """What of `text` a person is shown: its beginning, without secrets."""
    # A secret that this cut leaves half of is not shown at all.
    clean = redact(text[: 2 * _LONGEST_SHOWN])
    return clean if len(clean) <= _LONGEST_SHOWN else f"{clean[:_LONGEST_SHOWN]}…"


def is_approved(hold: Hold, now: datetime) -> bool:
    return state_of(hold, now) is HoldState.APPROVED


def put(wanted: Hold, name: str) -> e.ActionHeld:
    """The event by which `wanted` is put to a person under the id `name`."""
    return e.ActionHeld(
        agent=wanted.agent,
        hold_id=name,
        action=wanted.action,
        target=wanted.target,
        content=wanted.content,
        shown=shown(wanted.shown),
        rule=wanted.rule,
        because=wanted.because,
    )


def verdict(hold: Hold, now: datetime) -> Verdict:
    """The ruling on what `hold` is about."""
    state = state_of(hold, now)
    if state is HoldState.APPROVED:
        return Verdict(Ruling.ALLOW, "hold.approved", f"{hold.by} approved it as {hold.id}")
    if state is HoldState.DENIED:
        why = f": {hold.why}" if hold.why else ""
        return Verdict(Ruling.DENY, "hold.denied", f"{hold.by} denied it as {hold.id}{why}")
    said = f"{hold.because}; it waits for a person as {hold.id}. Go on without it; "
    if hold.action in _ASKED_AGAIN:
        said += "once it was approved, ask for exactly the same again"
    else:
        said += "once it was approved, hive does it, exactly as it was asked for"
    return Verdict(Ruling.HOLD, hold.rule, said)


def fold(
    holds: MutableMapping[str, Hold], event: e.ActionHeld | e.HoldDecided | e.HoldUsed, at: datetime
) -> None:
    """Take `event` into `holds`, which forget what is long over."""
    if isinstance(event, e.ActionHeld):
        for old in [one for one, hold in holds.items() if at - (hold.decided_at or hold.at) > _KEPT]:
            del holds[old]
        holds[event.hold_id] = Hold(
            id=event.hold_id,
            agent=event.agent,
            action=event.action,
            target=event.target,
            content=event.content,
            shown=event.shown,
            rule=event.rule,
            because=event.because,
            at=at,
        )
    elif (known := holds.get(event.hold_id)) is not None:
        if isinstance(event, e.HoldUsed):
            holds[known.id] = replace(known, is_done=True)
        else:
            holds[known.id] = replace(
                known,
                approved=event.approved,
                by=event.by,
                why=event.why,
                source=event.source,
                decided_at=at,
            )


def rows(holds: Mapping[str, Hold], now: datetime) -> Iterator[dict[str, Any]]:
    """For the status document: those that wait, and those that were decided on and still stand."""
    for hold in holds.values():
        state = state_of(hold, now)
        if state in (HoldState.DONE, HoldState.EXPIRED):
            continue
        yield {
            "id": hold.id,
            "state": state.value,
            "agent": hold.agent,
            "action": hold.action,
            "target": hold.target,
            "rule": hold.rule,
            "because": hold.because,
            "shown": hold.shown,
            "content": hold.content,
            "at": iso(hold.at),
            "until": iso((hold.decided_at or hold.at) + PATIENCE),
            "by": hold.by or None,
            "why": hold.why or None,
        }
