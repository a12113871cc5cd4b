"""Claims, and tasks on pull requests, folded from the journal."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.recall_maps import Maps
from hive.facts.autonomy import Action
from hive.facts.events import PullRequestReviewed, PullRequestTakenUp, RequestRuled
from hive.facts.intents import ClaimWork
from hive.facts.memory import PeerReview, RoundMemory
from hive.facts.verdicts import Ruling
from hive.facts.work import Task, TaskKind, TaskState

ANY_HEAD = "*"
"""In place of a head of the branch: the next one that is seen is one of hive's."""
_HEADS = 50
"""The most heads of one branch that are remembered."""
_PEERS = 20
"""The most reviews by other agents that are remembered of one pull request."""
_PUSHES = (Action.PUSH_OWN_BRANCH, Action.UPDATE_OWN_PR, Action.CHANGE_WORKFLOW)
_ANSWERED = 200
"""The most reviews of one pull request that are remembered as dealt with."""


def task_of(intent: ClaimWork, at: datetime) -> Task:
    return Task(
        id=intent.task,
        repo=intent.repo,
        issue=intent.issue,
        agent=intent.agent,
        branch=intent.branch,
        attempt=intent.attempt,
        state=TaskState.CLAIMED,
        claimed_at=at,
        snapshot=intent.snapshot,
        kind=intent.kind,
        head=intent.head,
        items=intent.items,
        closes=intent.closes,
    )


def claimed(maps: Maps, intent: ClaimWork, at: datetime) -> None:
    if intent.kind is TaskKind.STANDING:
        maps.standing.update({f"{intent.repo.casefold()} {role}": at for role in intent.items})
    elif intent.kind is not TaskKind.ISSUE:
        _change(maps, intent.subject, intent.kind, by=1, items=intent.items, ended_at=None)


def ended(maps: Maps, task: Task, outcome: str, at: datetime, *, is_moot: bool) -> None:
    """The newest of its kind is over. What was done is answered, and what was moot was no try."""
    if not task.is_round:
        return
    key = f"{task.repo}#{task.issue}"
    _change(maps, key, task.kind, by=-1 if is_moot else 0, items=task.items, ended_at=at)
    known = maps.pulls.get(key)
    if known is not None and outcome == "done":
        maps.pull(key, answered=tuple(dict.fromkeys((*known.answered, *task.items)))[-_ANSWERED:])


def _change(
    maps: Maps, key: str, kind: TaskKind, *, by: int, items: tuple[str, ...], ended_at: datetime | None
) -> None:
    pull = maps.pulls.get(key)
    if pull is None:
        return
    known = pull.rounds.get(kind, RoundMemory())
    changed = RoundMemory(max(known.count + by, 0), items, ended_at)
    maps.pull(key, rounds={**pull.rounds, kind: changed})


def pushed(maps: Maps, event: RequestRuled) -> None:
    """A push that hive let through: what it brings is the agent's own. Where the head cannot be known
    before, the next one that is seen is taken for it."""
    repo, _, ref = event.target.partition("@refs/heads/")
    if not ref or event.action not in _PUSHES or event.ruling == Ruling.DENY:
        return
    for key, pull in maps.pulls.items():
        if pull.head_ref == ref and key.rpartition("#")[0].casefold() == repo.casefold():
            advanced(maps, key, event.head or ANY_HEAD, keeps=True)
            if event.agent not in (pull.agent, *pull.hands):
                maps.pull(key, hands=(*pull.hands, event.agent))
            return


def reviewed(maps: Maps, event: PullRequestReviewed) -> None:
    known = maps.pulls.get(event.subject)
    if known is not None and all(one.key != event.key for one in known.peers):
        said = PeerReview(event.agent, event.head, event.verdict, event.key)
        maps.pull(event.subject, peers=(*known.peers, said)[-_PEERS:])


def advanced(maps: Maps, key: str, head: str, *, keeps: bool = False) -> None:
    """`head` is one of hive's; with `keeps` one that is not known yet may still come."""
    known = maps.pulls.get(key)
    if known is not None:
        others = [one for one in known.heads if one != head and (keeps or one != ANY_HEAD)]
        maps.pull(key, heads=(*others, head)[-_HEADS:])


def taken_up(maps: Maps, event: PullRequestTakenUp) -> None:
    """As if nothing had been tried; whatever its branch is at now is what the agent goes on from."""
    if event.subject in maps.pulls:
        maps.pull(event.subject, left="", rounds={})
        advanced(maps, event.subject, ANY_HEAD, keeps=True)
    if event.subject in maps.issues:
        maps.issue(event.subject, killed_agents=0, last_outcome="")
