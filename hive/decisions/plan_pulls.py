"""Holds and merges of the pull requests that agents opened. Nobody else's are touched.

While an incident is open in a repository nothing is merged there, and what it concerns is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.lookup import label_of, snapshot
from hive.decisions.plan_merges import after_merges, merge_of, out_of_queue, update_of
from hive.decisions.policy import Policy, mode_of
from hive.decisions.reconcile import about_pull, is_troubled
from hive.facts.autonomy import Mode
from hive.facts.forge import Label, PullRequest, RepositorySnapshot
from hive.facts.incidents import Incident
from hive.facts.intents import HoldPullRequest, Intent, LiftHold
from hive.facts.memory import Memory, PullMemory
from hive.facts.world import World


def pull_intents(world: World, memory: Memory, policy: Policy) -> Iterator[Intent]:
    """For every repository that was seen: holds to put on or lift, and at most one merge for each base."""
    for repo in world.repos:
        look = snapshot(world, repo)
        if look is None:
            continue
        merging = _just_merged(look, memory)
        for pull in sorted(look.pull_requests, key=lambda one: one.number):
            known = memory.pulls.get(f"{repo}#{pull.number}")
            if known is None or pull.head is None or rests(known, pull, world.now):
                continue
            mode = _mode(known, repo, memory, policy)
            hold: HoldPullRequest | LiftHold | None
            incident = about_pull(repo, pull.number, pull.head_ref, memory)
            if incident is not None:
                hold = _hold_for(incident, pull, known, repo, policy)
            else:
                hold = _hold(pull, known, mode, repo, policy)
            if hold is not None:
                yield hold
            leaves = out_of_queue(pull, mode, repo, world, memory, policy)
            if leaves is not None:
                yield leaves
            if hold is not None:
                continue
            if mode is Mode.FULL and pull.base not in merging and _may_merge(repo, known, memory):
                merge = merge_of(pull, repo, world, memory, policy)
                if merge is not None:
                    # The next one is judged on the base that this merge makes.
                    merging.add(merge.base)
                    yield merge
                    continue
                update = update_of(pull, repo, world, memory, policy)
                if update is not None and pull.base is not None:
                    # The next one is updated once this one is merged: each has to have the tip of then.
                    merging.add(pull.base)
                    yield update
        yield from after_merges(look, memory, policy)


def _just_merged(look: RepositorySnapshot, memory: Memory) -> set[str]:
    """Bases that hive merged into after this look, which still has the pull request open."""
    return {
        pull.base
        for pull in look.pull_requests
        for known in (memory.pulls.get(f"{look.repo}#{pull.number}"),)
        if known is not None and known.state == "merged" and pull.base is not None
    }


def _may_merge(repo: str, known: PullMemory, memory: Memory) -> bool:
    return known.state != "merged" and not is_troubled(repo, memory)


def _hold_for(
    incident: Incident, pull: PullRequest, known: PullMemory, repo: str, policy: Policy
) -> HoldPullRequest | None:
    """Hold what an incident concerns, also again: who took the hold off may be what it is about."""
    assert pull.head is not None
    label = label_of(pull, policy.hold_label)
    if label is not None and (known.held_head == pull.head or not _is_own(label, policy)):
        return None
    return HoldPullRequest(
        repo=repo,
        number=pull.number,
        label=policy.hold_label,
        head=pull.head,
        because=f"incident {incident.id}: {incident.what}",
    )


def rests(known: PullMemory, pull: PullRequest, now: datetime) -> bool:
    """Whether the forge lately did not do what hive asked of it on this head."""
    return known.rests_head == pull.head and known.rests_until is not None and now < known.rests_until


def _mode(known: PullMemory, repo: str, memory: Memory, policy: Policy) -> Mode | None:
    """The mode of the agent that opened it; of an agent that is no longer configured, none."""
    spec = policy.agent(known.agent)
    return None if spec is None else mode_of(policy, memory, repo, spec)


def _hold(
    pull: PullRequest, known: PullMemory, mode: Mode | None, repo: str, policy: Policy
) -> HoldPullRequest | LiftHold | None:
    """Hold each new head unless the mode is full; lift hive's own hold when its reason is gone.

    A hold that is missing on a head that was held already was released by a person: it stays off. One of
    hive's that still stands when a new head comes is put on again for that head: so it is remembered.
    """
    assert pull.head is not None
    label = label_of(pull, policy.hold_label)
    standing = label is not None and not _is_own(label, policy)
    if mode is not Mode.FULL and not standing and known.held_head != pull.head:
        return HoldPullRequest(
            repo=repo,
            number=pull.number,
            label=policy.hold_label,
            head=pull.head,
            because=f"opened by {known.agent}, which is {mode or 'not started'} here",
        )
    if mode is Mode.FULL and label is not None and known.held_head and _is_own(label, policy):
        return LiftHold(
            repo=repo,
            number=pull.number,
            label=label.name,
            head=pull.head,
            because="the agent's mode is full by now; hive put this hold on itself",
        )
    return None


def _is_own(label: Label, policy: Policy) -> bool:
    """Whether hive put the label on; where nobody knows who did, it is a person's."""
    return label.by is not None and label.by.login.casefold() == policy.account.casefold()
