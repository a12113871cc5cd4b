"""Leases on issues that other hives see: a label for each hive, and who of two was first.

The forge has no way to change a label only if it is not there. What makes it safe is the order: a hive puts
its label on first and looks afterwards, so that of two hives the one that looks later sees both labels. It
gives way unless its own is older by the forge's clock, and then the other one gives way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from hive.decisions.lookup import in_hand, snapshot, split_key
from hive.decisions.policy import Policy
from hive.facts.forge import Issue, Label
from hive.facts.intents import ClaimWork, DropLease, TakeLease
from hive.facts.memory import Memory
from hive.facts.world import World

GRACE = timedelta(minutes=5)
"""For so long a lease is kept that nobody works on: between two attempts, say."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another hive's label; `name` is what follows the prefix."""

    name: str
    label: str
    at: datetime | None


def rivals(
    labels: Iterable[Label], own: str, prefix: str, expires: timedelta, now: datetime
) -> tuple[Rival, ...]:
    """Other hives that hold an issue now. A label of which nobody knows the time holds for ever."""
    begin = prefix.casefold()
    return tuple(
        Rival(one.name[len(prefix) :], one.name, one.at)
        for one in labels
        if one.name.casefold().startswith(begin)
        and one.name.casefold() != own.casefold()
        and (one.at is None or now - one.at < expires)
    )


def first_of(labels: tuple[Label, ...], own: str, prefix: str, expires: timedelta, now: datetime) -> str:
    """Who holds an issue on which hive has just put its label, in words; empty where that is hive itself.

    In one second nobody was first: then everybody gives way, and tries again later.
    """
    mine = next((one.at for one in labels if one.name.casefold() == own.casefold()), None)
    if mine is None:
        return f"label {own} is not on it"
    for one in rivals(labels, own, prefix, expires, now):
        if one.at is None or one.at.replace(microsecond=0) <= mine.replace(microsecond=0):
            return f"hive {one.name} has it (label {one.label})"
    return ""


def held_by_others(issue: Issue, policy: Policy, now: datetime) -> str:
    """Which other hive has an issue, for a person; empty where none has."""
    rule = policy.leases
    if rule is None:
        return ""
    found = rivals(issue.labels, rule.label, rule.prefix, rule.expires, now)
    return f"hive {found[0].name} has it (label {found[0].label})" if found else ""


def with_leases(
    claims: Iterable[ClaimWork], memory: Memory, policy: Policy, now: datetime
) -> Iterator[ClaimWork | TakeLease]:
    """Each claim, or where hive has no lease that lasts for the whole task, the taking of one."""
    rule = policy.leases
    for claim in claims:
        taken = memory.leases.get(claim.subject)
        if rule is None or (taken is not None and now - taken < rule.expires - policy.lifecycle.deadline):
            yield claim
        else:
            yield TakeLease(
                repo=claim.repo,
                issue=claim.issue,
                label=rule.label,
                prefix=rule.prefix,
                expires_s=int(rule.expires.total_seconds()),
                because=f"{claim.agent} is to have it",
            )


def lease_intents(world: World, memory: Memory, policy: Policy) -> Iterator[DropLease]:
    """Leases that hive needs no more: no task and no open pull request of hive's is about the issue."""
    needed = in_hand(memory)
    for key, at in memory.leases.items():
        repo, number = split_key(key)
        if snapshot(world, repo) is None or (repo.casefold(), number) in needed or world.now - at < GRACE:
            continue
        if policy.leases is not None:
            label = policy.leases.label
            yield DropLease(repo=repo, issue=number, label=label, because="nobody works on it")
