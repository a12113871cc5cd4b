"""Memory from the journal: the only way in which hive remembers.

Replaying the same records always gives the same memory (a law; see tests/decisions/test_laws.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TypeAlias, assert_never

from hive.decisions import (
    dialogs,
    holds,
    recall_boot,
    recall_findings,
    recall_leases,
    recall_limits,
    recall_merges,
    recall_needs,
    recall_rounds,
    recall_tokens,
)
from hive.decisions import recall_conversations as conversations
from hive.decisions import recall_crashes as crashes
from hive.decisions import recall_trees as trees
from hive.decisions.recall_acts import Ends
from hive.decisions.recall_maps import Maps
from hive.decisions.recall_tokens import revoked
from hive.decisions.triage_news import triage_answer
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentState
from hive.facts.governor import GovernorMemory
from hive.facts.memory import AgentMemory, Memory, Pause
from hive.facts.verdicts import Ruling, Verdict
from hive.facts.work import TaskState

_LOST = (AgentState.CRASHED, AgentState.FAILED_TO_START, AgentState.HUNG)
_Work: TypeAlias = e.PromptArrived | e.TurnEnded | e.IssueTriaged
_Deed: TypeAlias = (
    e.ActionHeld
    | e.HoldDecided
    | e.HoldUsed
    | e.RequestRuled
    | e.IntentRuled
    | e.IntentStarted
    | e.IntentFinished
    | e.PullRequestOpened
    | e.PullRequestJudged
    | e.PullRequestEnded
    | e.SupervisorStarted
    | e.SupervisorStopped
    | e.AgentRejected
    | e.TextSent
    | e.DialogAnswered
    | e.AgentAttached
    | e.TokenRefused
    | e.LaneAbandoned
    | e.Noticed
    | Ends
)


def recall(memory: Memory, records: Iterable[e.Record]) -> Memory:
    """Fold `records` (in order, each newer than `memory.seq`) into `memory`."""
    fold = _Fold(memory)
    for record in records:
        fold.add(record)
    return fold.memory()


def each(memory: Memory, records: Iterable[e.Record]) -> Iterator[tuple[Callable[[], Memory], e.Record]]:
    """Each record, and what gives the memory before it until the next one is asked for."""
    fold = _Fold(memory)
    for record in records:
        yield fold.memory, record
        fold.add(record)


class _Fold(Maps):
    """Changes the maps, event by event."""

    def add(self, record: e.Record) -> None:
        self.seq = record.seq
        at = record.at
        match record.event:
            case e.LevelChanged() as event:
                self.level_event(event)
            case e.AgentPaused(agent=agent, by=by, why=why):
                self.agent(agent, pause=Pause(by, why, at))
            case e.AgentResumed(agent=agent):
                self.agent(agent, pause=None, **crashes.NO_CRASH)
            case e.RestartRequested(agent=agent):
                self.agent(agent, restart_wanted=True, **crashes.NO_CRASH)
            case e.TokenIssued() | e.SandboxTokenIssued() | e.SandboxTokenRevoked() as event:
                self._token(event, at)
            case e.AgentChanged() as event:
                self._changed(event, at)
            case e.ProgramSeen(agent=agent, version=version):
                self.agent(agent, version=version)
            case e.ModelSeen(agent=agent, used=used):
                self.agent(agent, other_model=used)
            case e.ConversationSeen() as event:
                conversations.seen(self, event)
            case e.SandboxChanged() as event:
                self.moved_event(event, at)
            case e.PortFailed() | e.PortRecovered() as event:
                self.port_event(event)
            case e.LoadModeChanged() as event:
                self.load = GovernorMemory(event.mode, at, event.pressure, event.why)
            case e.ConfigurationLoaded():
                self.rejected_configuration = ""
            case e.ConfigurationRejected(message=message):
                self.rejected_configuration = message
            case e.NeedRaised() | e.NeedCleared() | e.NoticeBegun() | e.NoticeEnded() as event:
                recall_needs.fold(self.needs, self.channels, event, at)
            case e.TreePrepared() | e.TreeRemoved() | e.TreeKept() | e.TreeReleased() as event:
                trees.fold(self.trees, event, at)
            case e.PromptArrived() | e.TurnEnded() | e.IssueTriaged() as event:
                self._work(event, at)
            case e.FindingRecorded() | e.FindingRepeated() | e.FindingDecided() as event:
                recall_findings.fold(self, event, at)
            case (
                e.UsageRecorded() | e.BudgetReached() | e.LimitSeen() | e.LimitEnded() | e.ModelRefused()
            ) as event:
                recall_limits.fold(self, event, at)
            case (
                e.MergeChecked()
                | e.MergingHeld()
                | e.MergingReleased()
                | e.PullRequestDequeued()
                | e.PullRequestAdvanced()
                | e.PullRequestLeft()
                | e.PullRequestReviewed()
                | e.PullRequestTakenUp()
            ) as event:
                recall_merges.fold(self, event, at)
            case _ as event:
                self._deed(event, at)

    def _work(self, event: _Work, at: datetime) -> None:
        match event:
            case e.PromptArrived(task=task):
                self.task(task, state=TaskState.WORKING)
                conversations.arrived(self, event)
            case e.TurnEnded():
                self._turned(event)
            case e.IssueTriaged():
                self.issue(event.subject, triaged=triage_answer(event))
            case _ as never:
                assert_never(never)

    def _deed(self, event: _Deed, at: datetime) -> None:
        """What was ruled, begun and done, and what became of pull requests; the rest is told and not kept."""
        match event:
            case e.ActionHeld() | e.HoldDecided() | e.HoldUsed():
                holds.fold(self.holds, event, at)
            case e.RequestRuled():
                recall_rounds.pushed(self, event)
                self.deeds.add(event, at)
                self.acts.ruled(event, at)
            case e.IntentRuled():
                self._ruled(event)
            case e.IntentStarted(intent_id=intent_id, body=body):
                self.acts.started(event, at)
                self.in_doubt[intent_id] = body
                self._started(body, at)
            case e.IntentFinished():
                self._finished(event, at)
            case e.PullRequestOpened():
                recall_merges.opened(self, event)
                self.acts.opened(event, at)
            case e.PullRequestJudged():
                self.pull(event.subject, verdict=event.verdict, judged=event.obstacles)
            case e.SupervisorStarted():
                recall_boot.started(self, event)
            case e.PullRequestEnded():
                recall_merges.ended(self, event, at)
            case (
                e.RequestDone()
                | e.ApprovalCarriedOut()
                | e.RepositoryWatched()
                | e.IncidentRaised()
                | e.IncidentClosed()
            ):
                self._answered(event, at)
            case (
                e.SupervisorStopped()
                | e.AgentRejected()
                | e.TextSent()
                | e.DialogAnswered()
                | e.AgentAttached()
                | e.LaneAbandoned()
                | e.Noticed()
            ):
                pass
            case e.TokenRefused():
                self.deeds.turned_away(event, at)
            case _ as never:
                assert_never(never)

    def _answered(self, event: Ends, at: datetime) -> None:
        self.acts.ended(event, at)
        if isinstance(event, e.IncidentRaised) and not event.is_note and event.agent in self.agents:
            self.agents[event.agent] = recall_tokens.suspected(self.agents[event.agent], event, at)

    def _token(
        self, event: e.TokenIssued | e.SandboxTokenIssued | e.SandboxTokenRevoked, at: datetime
    ) -> None:
        known = self.agents.get(event.agent, AgentMemory())
        self.agents[event.agent] = recall_tokens.after(known, event, at)

    def _changed(self, event: e.AgentChanged, at: datetime) -> None:
        known = self.agents.get(event.agent, AgentMemory())
        since = known.since if known.state == event.state else at
        self.agent(event.agent, state=event.state, detail=event.detail, since=since, options=event.options)
        if event.state == AgentState.CONTEXT_FULL and not known.context_full:
            conversations.filled(self, event.agent)
        if event.state not in _LOST or known.state == event.state:
            return
        self.agents[event.agent] = crashes.after(self.agents[event.agent], event, at)
        conversations.lost(self, event.agent)
        if not (event.with_terminal or event.shared):
            crashes.blame(self, known, event)

    def _turned(self, event: e.TurnEnded) -> None:
        self.task(event.task, turn=event.outcome, detail=event.detail)
        if event.outcome in crashes.PROVEN:
            self.agent(event.agent, **crashes.NO_CRASH)

    def _ruled(self, event: e.IntentRuled) -> None:
        if event.ruling == Ruling.ALLOW:
            self.rulings.pop(event.intent_id, None)
        else:
            self.rulings[event.intent_id] = Verdict(Ruling(event.ruling), event.rule, event.because)

    def _started(self, intent: i.Intent, at: datetime) -> None:
        if isinstance(intent, i.StartAgent):
            self.agent(
                intent.agent,
                generation=intent.generation,
                choice=intent.choice,
                started_at=at,
                restart_wanted=False,
            )
            recall_limits.started(self, intent, at)
            conversations.started(self, intent)
        elif isinstance(intent, i.PrepareTree):
            trees.started(self.trees, intent)
        elif isinstance(intent, i.AnswerDialog):
            known = self.agents.get(intent.agent, AgentMemory()).answered
            self.agent(intent.agent, answered=dialogs.answered(known, intent, at))
        elif isinstance(intent, i.InterruptAgent):
            self.task(intent.task, interrupted_at=at)
        elif isinstance(intent, i.DeliverPrompt):
            self.task(
                intent.task,
                interrupted_at=None,
                state=TaskState.PROMPTED,
                prompt_id=intent.prompt_id,
                prompted_at=at,
                turn="",
                detail="",
            )
            conversations.typed(self, intent)
            recall_limits.typed(self, intent, at)

    def _finished(self, event: e.IntentFinished, at: datetime) -> None:
        intent = self.in_doubt.pop(event.intent_id, None)
        if intent is None:
            return
        if isinstance(intent, i.PrepareTree | i.RemoveTree):
            trees.finished(self.trees, intent, event, at)
        elif isinstance(intent, i.FILING):
            recall_findings.ended(self, intent, event, at)
        elif isinstance(intent, i.LEASING):
            recall_leases.ended(self, intent, event, at)
        elif event.outcome == "done":
            self._done(intent, event.detail, at)
        elif isinstance(intent, i.DeliverPrompt):
            self.task(intent.task, state=TaskState.CLAIMED, prompt_id="", prompted_at=None)
            recall_limits.undone(self, intent)
            if event.outcome == "undone":
                conversations.untyped(self, intent)
        elif isinstance(intent, i.InterruptAgent):
            self.task(intent.task, interrupted_at=None)
        elif isinstance(intent, i.StartAgent):
            self.agents[intent.agent] = revoked(self.agents.get(intent.agent, AgentMemory()))
            if event.outcome != "undone":
                self.agents[intent.agent] = crashes.counted(self.agents[intent.agent], at)
        elif isinstance(intent, i.ON_FORGE):
            recall_merges.rest(self, intent, event.outcome, at)

    def _done(self, intent: i.Intent, detail: str, at: datetime) -> None:
        if isinstance(intent, i.ON_FORGE):
            recall_merges.done(self, intent)
            return
        match intent:
            case i.ClaimWork():
                self._claim(intent, at)
            case i.FinishTask():
                self._end(intent.task, TaskState.FINISHED, intent.outcome, intent.detail, at)
            case i.ReleaseTask():
                self._end(intent.task, TaskState.RELEASED, "", intent.because, at, is_moot=intent.is_moot)
                self.issue(intent.subject, rests_until=intent.until)
            case i.StopAgent():
                self.agents[intent.agent] = revoked(self.agents.get(intent.agent, AgentMemory()))
            case i.StartAgent():
                # What the last start came to is no news of this one: its end is to be seen as one of its own.
                self.agent(intent.agent, state=AgentState.STARTING, detail="", since=at)
            case (
                i.DeliverPrompt()
                | i.PressSubmit()
                | i.AnswerDialog()
                | i.InterruptAgent()
                | i.RequestSandbox()
                | i.WithdrawSandbox()
                | i.PrepareTree()
                | i.RemoveTree()
                | i.FileFinding()
                | i.UpdateTracking()
                | i.TakeLease()
                | i.DropLease()
            ):
                pass
            case _ as never:
                assert_never(never)

    def _claim(self, intent: i.ClaimWork, at: datetime) -> None:
        self.tasks[intent.task] = recall_rounds.task_of(intent, at)
        recall_rounds.claimed(self, intent, at)
        self.agent(intent.agent, task=intent.task)
        self.issue(intent.subject, attempts=intent.attempt, rests_until=None)
        self.forget_old_tasks()

    def _end(
        self, task: str, state: TaskState, outcome: str, detail: str, at: datetime, *, is_moot: bool = False
    ) -> None:
        known = self.tasks.get(task)
        if known is None:
            return
        recall_rounds.ended(self, known, outcome, at, is_moot=is_moot)
        self.task(task, state=state, outcome=outcome, detail=detail, ended_at=at)
        self.issue(f"{known.repo}#{known.issue}", last_outcome=outcome or "released")
        if self.agents.get(known.agent, AgentMemory()).task == task:
            self.agent(known.agent, task="")
