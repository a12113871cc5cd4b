"""All open issues of a repository into work, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from hive.decisions.triage.blocking import FREE, blocking
from hive.decisions.triage.eligibility import approval, objections
from hive.decisions.triage.rules import Filed, Filing, filing
from hive.decisions.triage_policy import Rule, TriagePolicy
from hive.facts.forge import Issue

_LAST = datetime.max.replace(tzinfo=UTC)
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TriageItem:
    """The answer for one issue.

    Attributes:
        rank: From 1 among the eligible; `None` for the others.
        lane: The first of the policy's that matches, `None` for none.
        because: Why it is eligible, or everything that is against it.
        kind, size: The first of the policy's that matches, `None` for none.
        why: What put it where it is, as far as no time is concerned (`timely_words` has the rest).
    """

    number: int
    eligible: bool
    rank: int | None
    lane: str | None
    because: str
    kind: str | None = None
    size: str | None = None
    why: tuple[str, ...] = ()


def triage(
    issues: Iterable[Issue],
    policy: TriagePolicy,
    named: Mapping[int, tuple[str, ...]] = _NOTHING,
    elsewhere: Mapping[str, bool] = _NOTHING,
    across: Mapping[int, tuple[str, ...]] = _NOTHING,
) -> tuple[TriageItem, ...]:
    """Rule on every open issue: eligible ones first in the order in which to take them, then the others.

    The order is by lane, kind and size as the policy has them (none last), then oldest, then number. `named`,
    `elsewhere` and `across` are about what their texts say that they wait for, as `blocking` takes them.
    """
    given = tuple(issues)
    blocked = blocking(given, named, elsewhere, across)
    eligible: list[tuple[Issue, Filing]] = []
    others: list[TriageItem] = []
    for issue in given:
        blocks = blocked.get(issue.number, FREE)
        against = "; ".join(objections(issue, policy, blocks))
        filed = filing(issue, policy)
        if against:
            others.append(_item(issue, None, filed, against, blocks.unwatched))
        else:
            eligible.append((issue, filed))
    lanes, kinds, sizes = (_places(rules) for rules in (policy.lanes, policy.kinds, policy.sizes))
    eligible.sort(
        key=lambda pair: (
            _place(pair[1].lane, lanes),
            _place(pair[1].kind, kinds),
            _place(pair[1].size, sizes),
            pair[0].created_at or _LAST,
            pair[0].number,
        )
    )
    ranked = (
        _item(issue, rank, filed, approval(issue, policy), blocked.get(issue.number, FREE).unwatched)
        for rank, (issue, filed) in enumerate(eligible, start=1)
    )
    return (*ranked, *sorted(others, key=lambda item: item.number))


def _item(
    issue: Issue, rank: int | None, filed: Filing, because: str, unwatched: Sequence[str]
) -> TriageItem:
    unseen = (f"{key}, which it waits for by its text, is in no repository of hive's" for key in unwatched)
    return TriageItem(
        number=issue.number,
        eligible=rank is not None,
        rank=rank,
        lane=filed.lane.name,
        because=because,
        kind=filed.kind.name,
        size=filed.size.name,
        why=(*filed.words, *unseen),
    )


def _places(rules: Sequence[Rule]) -> dict[str, int]:
    return {rule.name: place for place, rule in enumerate(rules)}


def _place(filed: Filed, places: Mapping[str, int]) -> int:
    return places.get(filed.name or "", len(places))


_KNOWN = 4096
"""Repositories of which the last answer is kept: it is dear for 500 issues, and every part of a tick asks."""
_Foreign = tuple[Mapping[str, bool], Mapping[int, tuple[str, ...]]]
_Known = tuple[tuple[Issue, ...], TriagePolicy, _Foreign, tuple[TriageItem, ...]]
_answers: dict[tuple[str, int], _Known] = {}


def triage_of(
    issues: tuple[Issue, ...],
    policy: TriagePolicy,
    named: Mapping[int, tuple[str, ...]] = _NOTHING,
    elsewhere: Mapping[str, bool] = _NOTHING,
    across: Mapping[int, tuple[str, ...]] = _NOTHING,
) -> tuple[TriageItem, ...]:
    """`triage` of the very same issues is answered as before: a look stands for many ticks.

    By identity, which is safe as both are kept with the answer; a newer look of a repository takes the place
    of the one before, which would be held in memory for nothing. `named` follows from the others.
    """
    key = (issues[0].repo if issues else "", id(policy))
    known = _answers.get(key)
    if known is not None and known[0] is issues and known[1] is policy and known[2] == (elsewhere, across):
        return known[3]
    answer = triage(issues, policy, named, elsewhere, across)
    while len(_answers) >= _KNOWN:
        _answers.pop(next(iter(_answers)), None)
    _answers[key] = (issues, policy, (elsewhere, across), answer)
    return answer
