"""All open issues of a repository into work, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from hive.decisions.foreign_text import without_any
from hive.decisions.triage.eligibility import approval, objections
from hive.decisions.triage.rings import rings
from hive.decisions.triage_policy import Lane, TriagePolicy, same_name
from hive.facts.forge import Issue

_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TriageItem:
    """The answer for one issue.

    Attributes:
        rank: From 1 among the eligible; `None` for the others.
        lane: The first of the policy's that matches, `None` for none.
        because: Why it is eligible, or everything that is against it.
    """

    number: int
    eligible: bool
    rank: int | None
    lane: str | None
    because: str


def triage(issues: Iterable[Issue], policy: TriagePolicy) -> tuple[TriageItem, ...]:
    """Rule on every open issue: eligible ones first in the order in which to take them, then the others.

    The order is by lane as the policy has them (none last), then oldest, then number.
    """
    given = tuple(issues)
    ringed = rings({issue.number: issue.blocked_by for issue in given})
    numbers = frozenset(issue.number for issue in given)
    eligible: list[tuple[Issue, str | None]] = []
    others: list[TriageItem] = []
    for issue in given:
        against = "; ".join(objections(issue, policy, numbers, ringed))
        lane = lane_of(issue, policy)
        if against:
            others.append(TriageItem(issue.number, False, None, lane, against))
        else:
            eligible.append((issue, lane))
    order = {lane.name: place for place, lane in enumerate(policy.lanes)}
    eligible.sort(
        key=lambda pair: (
            order.get(pair[1] or "", len(order)),
            pair[0].created_at or _LAST,
            pair[0].number,
        )
    )
    ranked = (
        TriageItem(issue.number, True, rank, lane, approval(issue, policy))
        for rank, (issue, lane) in enumerate(eligible, start=1)
    )
    return (*ranked, *sorted(others, key=lambda item: item.number))


_KNOWN = 4096
"""Repositories of which the last answer is kept: it is dear for 500 issues, and every part of a tick asks."""
_answers: dict[tuple[str, int], tuple[tuple[Issue, ...], TriagePolicy, tuple[TriageItem, ...]]] = {}


def triage_of(issues: tuple[Issue, ...], policy: TriagePolicy) -> tuple[TriageItem, ...]:
    """`triage` of the very same issues is answered as before: a look stands for many ticks.

    By identity, which is safe as both are kept with the answer; a newer look of a repository takes the place
    of the one before, which would be held in memory for nothing.
    """
    key = (issues[0].repo if issues else "", id(policy))
    known = _answers.get(key)
    if known is not None and known[0] is issues and known[1] is policy:
        return known[2]
    answer = triage(issues, policy)
    while len(_answers) >= _KNOWN:
        _answers.pop(next(iter(_answers)), None)
    _answers[key] = (issues, policy, answer)
    return answer


def lane_of(issue: Issue, policy: TriagePolicy) -> str | None:
    """The first of the policy's lanes that matches `issue`."""
    if not policy.lanes:
        return None
    text = without_any(f"{issue.title}\n{issue.body}").casefold()
    return next((lane.name for lane in policy.lanes if _matches(lane, issue, text)), None)


def _matches(lane: Lane, issue: Issue, text: str) -> bool:
    if any(same_name(label.name, wanted) for label in issue.labels for wanted in lane.labels):
        return True
    return any(
        re.search(rf"(?<!\w){re.escape(word.strip().casefold())}(?!\w)", text)
        for word in lane.words
        if word.strip()
    )
