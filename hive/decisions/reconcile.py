"""Whether hive's account did on the forge only what hive let through or did itself.

An act without leave is an incident: a leaked token, a way around the gateway, or a person who shares the
account. The comparison is made anew at each look, over the last day, and always gives the same incidents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hive.decisions.edits import edits
from hive.decisions.leave import AFTER, is_covered, made_by, makes
from hive.decisions.policy import Policy
from hive.decisions.recall_acts import KEPT
from hive.facts.actors import same_login
from hive.facts.autonomy import Action
from hive.facts.events import IncidentRaised, RepositoryWatched
from hive.facts.forge import RepositorySnapshot
from hive.facts.incidents import UNHELD, Act, Incident, Leave
from hive.facts.memory import Memory

SPAN = timedelta(days=1)
"""How far back acts are compared (chosen: leave is kept for longer than that)."""
_PATIENCE = timedelta(minutes=1)
"""For so long what was done to something new may be shown before what made it."""
MOST_OPEN = 50
"""In one repository: more are raised when these are dealt with."""
ONCE = frozenset({"issue", "pull", "comment", "review"})
"""Kinds of which one leave covers one."""
_MAKE = frozenset({"issue", "pull"})


def compare(
    look: RepositorySnapshot, memory: Memory, policy: Policy, now: datetime
) -> Iterator[RepositoryWatched | IncidentRaised]:
    """What the journal does not know yet of the account's acts in one repository.

    At its first look hive takes what is there for granted.
    """
    if look.activity is None or not policy.account:
        return
    acts = [*look.activity.acts, *_reviews(look, policy.account), *edits(look, policy.account)]
    if look.repo not in memory.watched:
        yield RepositoryWatched(repo=look.repo, until=max((one.at for one in acts), default=None))
        return
    yield from _incidents(look.repo, acts, memory, policy, now)


def _reviews(look: RepositorySnapshot, account: str) -> Iterator[Act]:
    for pull in look.pull_requests:
        for review in pull.reviews or ():
            by = review.by.login if review.by else ""
            if review.at is not None and review.state != "pending" and same_login(by, account):
                key = f"review:{pull.number}:{review.at.isoformat()}:{review.head}"
                yield Act(key, "review", look.repo, review.at, pull.number, shown=review.state)


def _incidents(
    repo: str, acts: list[Act], memory: Memory, policy: Policy, now: datetime
) -> Iterator[IncidentRaised]:
    begin = _begin(repo, memory, now)
    leaves = list(_by_repo(memory.leaves).get(repo.casefold(), ()))
    left = MOST_OPEN - sum(same_login(one.repo, repo) for one in open_incidents(memory))
    for act in _Comparison(leaves, memory, policy.hold_label, now).strange(acts):
        if act.at <= begin or incident_id(act) in memory.incidents or _withdrew(act, memory):
            continue
        event = _raised(act, memory, is_note=policy.incidents.shared_account and not act.agent)
        left -= not event.is_note
        if left >= 0 or event.is_note:
            yield event


def _begin(repo: str, memory: Memory, now: datetime) -> datetime:
    """What was done before is not compared: it was there already, or its leave may be forgotten by now."""
    begin = max(memory.watched[repo], now - SPAN)
    if len(memory.leaves) >= KEPT:
        begin = max(begin, memory.leaves[0].at + AFTER)
    return begin


_sorted: list[tuple[tuple[Leave, ...], Mapping[str, list[Leave]]]] = []
"""The leaves that were sorted last, and how."""


def _by_repo(leaves: tuple[Leave, ...]) -> Mapping[str, list[Leave]]:
    """Those that count, by repository in lower case. The very same are sorted once for a hundred looks:
    by identity, which is safe as they are kept with the answer."""
    if _sorted and _sorted[0][0] is leaves:
        return _sorted[0][1]
    found: dict[str, list[Leave]] = {}
    for leave in leaves:
        if not leave.is_void:
            found.setdefault(_repo_of(leave.target), []).append(leave)
    _sorted[:] = [(leaves, found)]
    return found


def _repo_of(target: str) -> str:
    return target.partition("#")[0].partition("@")[0].partition(":")[0].casefold()


@dataclass
class _Comparison:
    """Of the acts in one repository with the leave that was given there."""

    leaves: list[Leave]
    memory: Memory
    hold_label: str
    now: datetime
    used: set[int] = field(default_factory=set)

    def strange(self, acts: Iterable[Act]) -> Iterator[Act]:
        """Acts that no leave covers, oldest first."""
        # What makes something comes before what is done to it in the same second.
        ordered = sorted(acts, key=lambda act: (act.at, act.kind not in _MAKE, act.key))
        named = {makes(leave): index for index, leave in enumerate(self.leaves) if leave.made}
        for act in ordered:
            found = named.get(act.key)
            if found is None:
                found = self._covering(act)
            if found is None:
                if not self._may_be_of_something_new(act):
                    yield act
                continue
            if act.kind in ONCE:
                self.used.add(found)
            if act.kind in _MAKE:
                self.leaves.append(made_by(self.leaves[found], act))

    def _covering(self, act: Act) -> int | None:
        for index, leave in enumerate(self.leaves):
            if is_covered(act, leave, self.memory, self.hold_label) and not self._is_spent(act, index):
                return index
        return None

    def _is_spent(self, act: Act, index: int) -> bool:
        """Whether the leave was for another one of the act's kind. What it made of another kind leaves room:
        of a remark on a line the forge makes a review besides."""
        made = (makes(self.leaves[index]) or "").partition(":")[0]
        return act.kind in ONCE and (index in self.used or made == act.kind)

    def _may_be_of_something_new(self, act: Act) -> bool:
        """Whether something was let be made a moment ago that is not seen yet, and the act may be on it."""
        if act.kind in _MAKE or not act.number or self.now - act.at >= _PATIENCE:
            return False
        return any(
            index not in self.used
            and leave.action in (Action.FILE_ISSUE, Action.OPEN_PR)
            and makes(leave) is None
            and abs(act.at - leave.at) < AFTER
            and is_covered(act, made_by(leave, act), self.memory, self.hold_label)
            for index, leave in enumerate(self.leaves)
        )


def incident_id(act: Act) -> str:
    """The same for the same act."""
    return "X" + hashlib.sha256(f"{act.repo.casefold()} {act.key}".encode()).hexdigest()[:8]


def incident_of_unheld(repo: str, number: int) -> str:
    """Of a pull request that hive could not hold: the same at each try."""
    return "X" + hashlib.sha256(f"{repo.casefold()} {UNHELD}:{number}".encode()).hexdigest()[:8]


def _withdrew(act: Act, memory: Memory) -> bool:
    """Whether hive closed the pull request itself, because it could not hold it."""
    return act.kind == "closed" and incident_of_unheld(act.repo, act.number) in memory.incidents


def _raised(act: Act, memory: Memory, *, is_note: bool) -> IncidentRaised:
    told = [f"{act.kind} at {act.at:%Y-%m-%d %H:%M:%S} UTC", act.ref, act.shown]
    return IncidentRaised(
        incident_id=incident_id(act),
        what=act.kind,
        repo=act.repo,
        number=act.number,
        ref=act.ref,
        evidence=": ".join(part for part in told if part),
        agent="" if is_note else suspect(act, memory),
        is_note=is_note,
    )


def suspect(act: Act, memory: Memory) -> str:
    """The agent whose branch or pull request it is about, or whose marker it bears; empty for none."""
    parts = act.ref.removeprefix("refs/heads/").split("/")
    opened = memory.pulls.get(f"{act.repo}#{act.number}")
    named = [
        parts[1] if parts[0] == "hive" and len(parts) > 2 else "",
        opened.agent if opened else "",
        act.agent,
    ]
    return next((one for one in named if one in memory.agents), "")


def open_incidents(memory: Memory) -> tuple[Incident, ...]:
    return tuple(one for one in memory.incidents.values() if one.is_open)


def incident_behind(agent: str, memory: Memory) -> Incident | None:
    """An open incident that the agent may be behind."""
    return next((one for one in open_incidents(memory) if one.agent == agent), None)


def is_troubled(repo: str, memory: Memory) -> bool:
    """Whether an incident is open there: nothing is merged meanwhile."""
    return any(same_login(one.repo, repo) for one in open_incidents(memory))


def about_pull(repo: str, number: int, head_ref: str, memory: Memory) -> Incident | None:
    """An open incident that concerns a pull request: it was done to it, or to its branch."""
    for one in open_incidents(memory):
        if same_login(one.repo, repo) and (one.number == number or one.ref == f"refs/heads/{head_ref}"):
            return one
    return None
