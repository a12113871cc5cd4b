"""How long issues have waited, and which is overdue: all of triage that depends on the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hive.decisions.triage.triage import TriageItem
from hive.decisions.triage_policy import Kind, TriagePolicy
from hive.facts.actors import Actor, ActorKind
from hive.facts.forge import Issue

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
Slas = Mapping[str, timedelta]
"""By lane (``""``: every other), how old an eligible issue may become."""


def sla_of(item: TriageItem, kinds: Sequence[Kind], slas: Slas) -> tuple[timedelta, str] | None:
    """How old the issue may become, and whose limit that is: its kind's, else its lane's. `None`: none."""
    kind = next((one for one in kinds if one.name == item.kind), None)
    if kind is not None and kind.sla is not None:
        return kind.sla, f"kind {kind.name}"
    if item.lane and item.lane in slas:
        return slas[item.lane], f"lane {item.lane}"
    return (slas[""], "default") if "" in slas else None


def overdue(
    item: TriageItem, issue: Issue | None, kinds: Sequence[Kind], slas: Slas, now: datetime
) -> timedelta:
    """By how much the issue is older than it may become; zero where it is not, or where that is not known."""
    limit = sla_of(item, kinds, slas)
    if limit is None or issue is None or issue.created_at is None:
        return timedelta()
    return max(now - issue.created_at - limit[0], timedelta())


def by_urgency(
    items: tuple[TriageItem, ...],
    issues: Iterable[Issue],
    policy: TriagePolicy,
    slas: Slas,
    now: datetime,
) -> tuple[TriageItem, ...]:
    """`items` with overdue ones first, the longest overdue before all; the others stay in their order."""
    if not slas and all(kind.sla is None for kind in policy.kinds):
        return items
    known = {issue.number: issue for issue in issues}
    eligible = [item for item in items if item.eligible]
    late = {one.number: overdue(one, known.get(one.number), policy.kinds, slas, now) for one in eligible}
    if not any(late.values()):
        return items
    eligible.sort(key=lambda item: -late[item.number])
    ranked = (
        item if item.rank == rank else replace(item, rank=rank) for rank, item in enumerate(eligible, start=1)
    )
    return (*ranked, *(item for item in items if not item.eligible))


def timely_words(
    item: TriageItem, issue: Issue, policy: TriagePolicy, slas: Slas, now: datetime
) -> Iterator[str]:
    """Say what time does to an issue: its age, its SLA, and whether it has gone stale."""
    if issue.created_at is None:
        return
    yield f"{_about(now - issue.created_at)} old"
    limit = sla_of(item, policy.kinds, slas)
    if item.eligible and limit is not None:
        left = issue.created_at + limit[0] - now
        if left < timedelta():
            yield f"{_about(-left)} over its SLA of {_about(limit[0])} ({limit[1]})"
        else:
            yield f"due in {_about(left)} ({limit[1]})"
    if policy.stale_after is not None:
        quiet = now - last_heard(issue, issue.created_at)
        if quiet >= policy.stale_after:
            yield f"stale: nobody said or changed anything for {_about(quiet)}"


def last_heard(issue: Issue, written: datetime) -> datetime:
    """When a person last wrote, edited or labelled something there, as far as hive sees it."""
    moments = [written, issue.edited_at, issue.title_edited_at]
    moments += [label.at for label in issue.labels if _is_person(label.by)]
    for comment in issue.comments:
        if _is_person(comment.by):
            moments += [comment.at, comment.edited_at]
    return max(moment for moment in moments if moment is not None)


def _is_person(actor: Actor | None) -> bool:
    return actor is not None and actor.kind in (ActorKind.PERSON, None)


def _about(span: timedelta) -> str:
    """In whole days from two of them on, in hours from two, else in minutes: nobody reads seconds here."""
    for unit, letter in ((_DAY, "d"), (_HOUR, "h")):
        if span >= 2 * unit or span == unit:
            return f"{span // unit}{letter}"
    return f"{max(span, timedelta()) // timedelta(minutes=1)}m"
