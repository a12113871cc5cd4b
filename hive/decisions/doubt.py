"""What became of an intent that was started and has no outcome: look for its mark before doing it again."""

from __future__ import annotations

from collections.abc import Container
from typing import assert_never

from hive.decisions.lookup import label_of, pull_of, reverted, sightings, snapshot
from hive.facts import intents as i
from hive.facts.agents import AgentSighting
from hive.facts.events import IntentFinished
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.memory import Memory
from hive.facts.world import Seen, World

_DONE = ("done", "its mark was found")
_NOT_DONE = ("undone", "there is no mark of it: it did not happen")

_AGAIN = ("undone", "it is done again, and finds what is there")


def settle(world: World, memory: Memory, acting: Container[str] = frozenset()) -> tuple[IntentFinished, ...]:
    """Outcomes of the intents in doubt, as far as this look tells. The rest stays in doubt.

    `acting` are ids of intents that are being carried out right now: nobody doubts those.
    """
    settled = []
    for intent_id, intent in memory.in_doubt.items():
        outcome = None if intent_id in acting else _outcome(intent, world)
        if outcome is not None:
            settled.append(
                IntentFinished(
                    intent_id=intent_id, about=intent.subject, outcome=outcome[0], detail=outcome[1]
                )
            )
    return tuple(settled)


def _outcome(intent: i.Intent, world: World) -> tuple[str, str] | None:
    match intent:
        case (
            i.StartAgent()
            | i.StopAgent()
            | i.DeliverPrompt()
            | i.PressSubmit()
            | i.AnswerDialog()
            | i.InterruptAgent()
        ):
            seen = sightings(world)
            hidden = seen is None or intent.agent in world.hidden
            return None if seen is None or hidden else _in_terminal(intent, seen.get(intent.agent))
        case i.PrepareTree() | i.RemoveTree():
            # Each looks for its own marks beside the tree: the one way to tell is to do it again.
            return None if sightings(world) is None or intent.agent in world.hidden else _AGAIN
        case i.RequestSandbox() | i.WithdrawSandbox():
            return _sandbox(intent, world)
        case i.HoldPullRequest() | i.LiftHold():
            return _hold(intent, world)
        case i.MergePullRequest():
            return _merge(intent, world)
        case i.EnqueuePullRequest() | i.DequeuePullRequest():
            return _queue(intent, world)
        case i.DeleteBranch():
            # To delete what is gone does nothing.
            return None if snapshot(world, intent.repo) is None else _NOT_DONE
        case i.UpdateBranch():
            return _updated(intent, world)
        case i.OpenRevert():
            return _revert(intent, world)
        case i.FileFinding() | i.UpdateTracking() | i.TakeLease() | i.DropLease():
            # Each looks for its marker first, or sets it anew. A look that came after tells that it is over.
            return None if snapshot(world, intent.repo) is None else _AGAIN
        case i.ClaimWork() | i.FinishTask() | i.ReleaseTask():
            return _NOT_DONE  # written in one step with their outcome, so never in doubt
        case _ as never:
            assert_never(never)


def _in_terminal(
    intent: i.StartAgent | i.StopAgent | i.DeliverPrompt | i.PressSubmit | i.AnswerDialog | i.InterruptAgent,
    sighting: AgentSighting | None,
) -> tuple[str, str]:
    marks = sighting.pane.marks if sighting is not None else {}
    match intent:
        case i.StartAgent():
            done = marks.get("generation") == str(intent.generation)
        case i.StopAgent():
            done = sighting is None
        case i.DeliverPrompt():
            done = intent.prompt_id in (marks.get("pasted"), marks.get("submitted"))
        case i.PressSubmit():
            done = marks.get("presses") == str(intent.attempt)
        case i.AnswerDialog():
            done = marks.get("answered") == str(intent.number)
        case i.InterruptAgent():
            done = marks.get("interrupted") == intent.prompt_id
        case _ as never:
            assert_never(never)
    return _DONE if done else _NOT_DONE


def _sandbox(intent: i.RequestSandbox | i.WithdrawSandbox, world: World) -> tuple[str, str] | None:
    if not isinstance(world.fleet, Seen):
        return None
    sandbox = world.fleet.value.of_agent(intent.agent)
    if isinstance(intent, i.RequestSandbox):
        return _DONE if sandbox is not None and sandbox.digest == intent.digest else _NOT_DONE
    return _DONE if sandbox is None or sandbox.phase is SandboxPhase.WITHDRAWN else _NOT_DONE


def _hold(intent: i.HoldPullRequest | i.LiftHold, world: World) -> tuple[str, str] | None:
    pull = pull_of(world, intent.repo, intent.number)
    if pull is None or pull.labels is None:
        return None
    there = label_of(pull, intent.label) is not None
    return _DONE if there is isinstance(intent, i.HoldPullRequest) else _NOT_DONE


def _merge(intent: i.MergePullRequest, world: World) -> tuple[str, str] | None:
    if snapshot(world, intent.repo) is None:
        return None
    pull = pull_of(world, intent.repo, intent.number)
    if pull is None:
        return None
    if pull.state == "merged":
        return _DONE
    return _NOT_DONE if pull.state == "open" else ("refused", "it was closed without a merge")


def _queue(intent: i.EnqueuePullRequest | i.DequeuePullRequest, world: World) -> tuple[str, str] | None:
    pull = pull_of(world, intent.repo, intent.number)
    if pull is None:
        return None
    if pull.state != "open":
        # Merged out of the queue meanwhile, or closed: in neither case there is anything left to do.
        return _DONE if pull.state == "merged" else ("refused", "it was closed without a merge")
    return _DONE if (pull.queued is not None) is isinstance(intent, i.EnqueuePullRequest) else _NOT_DONE


def _updated(intent: i.UpdateBranch, world: World) -> tuple[str, str] | None:
    """Asked for twice, the second does nothing: it names the head that it is meant for."""
    pull = pull_of(world, intent.repo, intent.number)
    if pull is None:
        return None
    return _NOT_DONE if pull.head == intent.head else ("done", "its head has moved on")


def _revert(intent: i.OpenRevert, world: World) -> tuple[str, str] | None:
    look = snapshot(world, intent.repo)
    if look is None:
        return None
    pulls = (*look.pull_requests, *look.recent)
    return _DONE if any(reverted(pull) == intent.number for pull in pulls) else _NOT_DONE
