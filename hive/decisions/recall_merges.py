"""Merges, what their checks came to, and merging on hold, folded from the journal."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeAlias, assert_never

from hive.decisions import recall_rounds
from hive.decisions.recall_crashes import NO_CRASH
from hive.decisions.recall_maps import Maps
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.memory import MergeWatch, MergingHold, PullMemory
from hive.facts.on_forge import OnForge

Merges: TypeAlias = (
    e.MergeChecked
    | e.MergingHeld
    | e.MergingReleased
    | e.PullRequestAdvanced
    | e.PullRequestDequeued
    | e.PullRequestLeft
    | e.PullRequestReviewed
    | e.PullRequestTakenUp
)
_RESTS = {
    "failed": timedelta(seconds=10),
    "missing": timedelta(minutes=1),
    "refused": timedelta(minutes=10),
}
"""How long a pull request rests after the forge did not do what hive asked. Asking at each tick would only
tire the forge; never asking again would miss the person who clears the way."""


def fold(maps: Maps, event: Merges, at: datetime) -> None:
    match event:
        case e.MergeChecked():
            maps.merges.pop(event.subject, None)
        case e.MergingHeld(repo=repo):
            maps.merging[repo] = MergingHold(
                base=event.base,
                commit=event.commit,
                number=event.number,
                because=event.because,
                by=event.by,
                at=at,
            )
        case e.MergingReleased(repo=repo):
            maps.merging.pop(repo, None)
        case e.PullRequestDequeued():
            maps.pull(event.subject, queued_head="")
        case e.PullRequestLeft(because=because):
            maps.pull(event.subject, left=because)
        case e.PullRequestAdvanced(head=head):
            recall_rounds.advanced(maps, event.subject, head)
        case e.PullRequestReviewed():
            recall_rounds.reviewed(maps, event)
        case e.PullRequestTakenUp():
            recall_rounds.taken_up(maps, event)
        case _:
            assert_never(event)


def opened(maps: Maps, event: e.PullRequestOpened) -> None:
    """An agent's pull request; that it opened one proves that it works."""
    if event.subject in maps.pulls:
        return
    maps.pulls[event.subject] = PullMemory(
        agent=event.agent,
        issue=event.issue,
        task=event.task,
        head_ref=event.head_ref,
        held_head=event.head if event.held else "",
        reverts=event.reverts,
        heads=(event.head,) if event.head else (),
    )
    maps.agent(event.agent, **NO_CRASH)


def ended(maps: Maps, event: e.PullRequestEnded, at: datetime) -> None:
    """Seen merged or closed; the checks of what is on the base now are waited for."""
    maps.pull(event.subject, state=event.state, merge_commit=event.commit, queued_head="")
    known = maps.pulls.get(event.subject)
    if known is not None and event.state == "merged" and event.commit:
        maps.merges[event.subject] = MergeWatch(
            event.repo, event.number, event.base, event.commit, at, known.red_before
        )


def done(maps: Maps, intent: OnForge) -> None:
    match intent:
        case i.HoldPullRequest(head=head):
            maps.pull(intent.subject, held_head=head)
        case i.LiftHold():
            maps.pull(intent.subject, held_head="")
        case i.MergePullRequest():
            maps.pull(intent.subject, state="merged", red_before=intent.red_before)
        case i.EnqueuePullRequest():
            maps.pull(intent.subject, queued_head=intent.head, red_before=intent.red_before)
        case i.DequeuePullRequest():
            maps.pull(intent.subject, queued_head="")
        case i.DeleteBranch():
            maps.pull(intent.subject, branch_settled=True)
        case i.UpdateBranch():
            recall_rounds.advanced(maps, intent.subject, recall_rounds.ANY_HEAD, keeps=True)
        case i.OpenRevert():
            pass  # seen by the next look, and recorded as opened then
        case _:
            assert_never(intent)


def rest(maps: Maps, intent: OnForge, outcome: str, at: datetime) -> None:
    """The forge did not do what hive asked."""
    if isinstance(intent, i.DeleteBranch) and outcome in ("moved", "refused"):
        maps.pull(intent.subject, branch_settled=True)
    if outcome in _RESTS:
        until = at + _RESTS[outcome]
        maps.pull(intent.subject, rests_until=until, rests_head=intent.head, rests_after=outcome)
