"""What persons say of held actions on the forge, and merges of hive's own that wait for such a word."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from datetime import datetime

from hive.decisions import holds
from hive.decisions.policy import Policy
from hive.decisions.triage.trust import in_or_after
from hive.facts.activity import Told
from hive.facts.actors import Actor, ActorKind, Association, same_login
from hive.facts.events import ActionHeld, HoldDecided, HoldUsed
from hive.facts.forge import RepositorySnapshot
from hive.facts.holds import Hold, HoldState
from hive.facts.intents import EnqueuePullRequest, MergePullRequest
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling, Verdict

_SAID = re.compile(r"^[ \t]*/hive[ \t]+(approve|deny)[ \t]+([HM]\d{1,9})\b[ \t]*(.*)$", re.I | re.M)
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.M | re.S)
_TRUSTED = frozenset({Association.OWNER, Association.MEMBER, Association.COLLABORATOR})
_OPEN = frozenset({HoldState.WAITING, HoldState.APPROVED, HoldState.DENIED})
_LONGEST_WHY = 500
OWN = "hive"
"""For whom merges of hive's own are held."""


def decided(look: RepositorySnapshot, memory: Memory, policy: Policy, now: datetime) -> Iterator[HoldDecided]:
    """The newest word on each held action, where it is a trusted person's and the journal has it not yet.

    It has to be said on the issue or pull request that the action is about, after it was held, and must not
    have been edited since: what it says may be another's otherwise.
    """
    if look.activity is None:
        return
    said = [one for one in look.activity.told if may_decide(one, policy)]
    for hold in memory.holds.values():
        if holds.state_of(hold, now) not in _OPEN or not _is_in(hold, look.repo):
            continue
        numbers = concerned(hold, look.repo, memory)
        words = [
            (one.at, one.key, word, one)
            for one in said
            if one.number in numbers
            and in_or_after(one.at, hold.at)
            and one.at >= (hold.decided_at or one.at)
            for word in [_word_on(hold, one)]
            if word is not None
        ]
        if not words:
            continue
        _, key, (approved, why), told = max(words, key=lambda one: (one[0], one[1]))
        if key != hold.source:
            assert told.by is not None
            by = f"{told.by.login} on {look.repo}#{told.number}"
            yield HoldDecided(hold_id=hold.id, approved=approved, by=by, why=why, source=key)


def may_decide(told: Told, policy: Policy) -> bool:
    """Whether it is a trusted person's word, as it was said."""
    by: Actor | None = told.by
    return (
        by is not None
        and by.kind is ActorKind.PERSON
        and by.association in _TRUSTED
        and not same_login(by.login, policy.account)
        and not told.edited
    )


def _word_on(hold: Hold, told: Told) -> tuple[bool, str] | None:
    """What is said of the hold, the last word of several; the label says yes to all that is held there."""
    if not told.text:
        return True, ""
    found = None
    for verb, name, why in _SAID.findall(_FENCED.sub("", told.text)):
        if name.upper() == hold.id:
            found = verb.lower() == "approve", why.strip()[:_LONGEST_WHY]
    return found


def concerned(hold: Hold, repo: str, memory: Memory) -> Collection[int]:
    """Issues and pull requests in `repo` that the held action is about: the one that it names, those of the
    branch that it names, and the issue of the task that its agent had then."""
    _, _, number = hold.target.partition("#")
    _, _, ref = hold.target.partition("@refs/heads/")
    found = {int(number)} if number.isdecimal() else set()
    for key, pull in memory.pulls.items():
        if ref and pull.head_ref == ref and same_login(key.rpartition("#")[0], repo):
            found.add(int(key.rpartition("#")[2]))
    for task in memory.tasks.values():
        had = task.claimed_at <= hold.at and (task.ended_at is None or hold.at <= task.ended_at)
        if task.agent == hold.agent and had and same_login(task.repo, repo):
            found |= {task.issue, task.about_issue} - {0}
    return found


def _is_in(hold: Hold, repo: str) -> bool:
    return same_login(re.split("[#@:]", hold.target, maxsplit=1)[0], repo)


def merge_on_hold(
    intent: MergePullRequest | EnqueuePullRequest,
    verdict: Verdict,
    memory: Memory,
    now: datetime,
    *,
    taken: int = 0,
) -> tuple[Verdict, tuple[ActionHeld | HoldUsed, ...]]:
    """The ruling on a merge that a guardrail holds, or on a place in the queue that makes it, and what to
    record of it.

    It is put to a person like an agent's action; the word is about exactly this head. `taken` are so many
    names that others of the same tick may have got.
    """
    action, shown = "merge", f"merge {intent.head} into {intent.base}"
    if isinstance(intent, EnqueuePullRequest):
        action, shown = "enqueue", f"put {intent.head} into the merge queue of {intent.base}"
    wanted = Hold(
        id="",
        agent=OWN,
        action=action,
        target=intent.subject,
        content=hashlib.sha256(f"{intent.id} {intent.head} {intent.base}".encode()).hexdigest(),
        shown=shown,
        rule=verdict.rule,
        because=verdict.because,
        at=now,
    )
    found = holds.standing(memory.holds, wanted, now)
    if found is None:
        # Named apart from agents' holds, which are named by another thread at the same time.
        name = f"M{1 + taken + max((int(one[1:]) for one in memory.holds if one.startswith('M')), default=0)}"
        waits = Verdict(Ruling.HOLD, verdict.rule, f"{verdict.because}; it waits for a person as {name}")
        return waits, (holds.put(wanted, name),)
    if holds.is_approved(found, now):
        return holds.verdict(found, now), (HoldUsed(agent=OWN, hold_id=found.id, request_id=intent.id),)
    if holds.state_of(found, now) is HoldState.DENIED:
        return holds.verdict(found, now), ()
    return Verdict(Ruling.HOLD, verdict.rule, f"{verdict.because}; it waits for a person as {found.id}"), ()
