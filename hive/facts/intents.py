"""What hive means to do: a tagged union, ruled on, journalled, then acted on once.

An intent's `id` is its idempotency key and its trace: the same string in journal, log, tmux mark and
marker on the forge. It follows from what is intended, so that deciding twice gives one intent.
"""

from __future__ import annotations

from datetime import datetime

from hive.facts.finding_intents import FileFinding, UpdateTracking
from hive.facts.intended import OfAgent, OfIssue
from hive.facts.lease_intents import LEASING, DropLease, TakeLease
from hive.facts.pull_intents import (
    DeleteBranch,
    DequeuePullRequest,
    EnqueuePullRequest,
    HoldPullRequest,
    LiftHold,
    MergePullRequest,
    OpenRevert,
    UpdateBranch,
)
from hive.facts.work import TaskKind

__all__ = [
    "LEASING",
    "DeleteBranch",
    "DequeuePullRequest",
    "DropLease",
    "EnqueuePullRequest",
    "FileFinding",
    "HoldPullRequest",
    "LiftHold",
    "MergePullRequest",
    "OpenRevert",
    "TakeLease",
    "UpdateBranch",
    "UpdateTracking",
]
"""Intents of another module that belong to the union here."""


class StartAgent(OfAgent, tag="start-agent", frozen=True, kw_only=True):
    generation: int
    """Counts starts of this agent, from 1."""
    resume: str = ""
    """The conversation to go on with; empty for a new one."""
    choice: int = 0
    """Of what the agent may run on (`AgentSpec.choices`)."""

    @property
    def id(self) -> str:
        return f"start/{self.agent}/{self.generation}"


class StopAgent(OfAgent, tag="stop-agent", frozen=True, kw_only=True):
    session: str
    generation: int
    """Of the start that it ends."""
    identity: str = ""
    """Of the session that was seen: a later one of the same name is left alone."""

    @property
    def id(self) -> str:
        return f"stop/{self.agent}/{self.generation}/{self.session}"


class RequestSandbox(OfAgent, tag="request-sandbox", frozen=True, kw_only=True):
    """Ask the fleet for the agent's pod, or for another one than before."""

    digest: str
    """Of what is asked (`SandboxSpec.digest`)."""

    @property
    def id(self) -> str:
        return f"sandbox/{self.agent}/{self.digest}"


class WithdrawSandbox(OfAgent, tag="withdraw-sandbox", frozen=True, kw_only=True):
    """Have the agent's pod removed, with all that is in it."""

    request: str
    """``NAMESPACE/NAME``."""

    @property
    def id(self) -> str:
        return f"withdraw/{self.agent}/{self.request}"


class ClaimWork(OfIssue, tag="claim-work", frozen=True, kw_only=True):
    """Give an issue, or what a pull request needs, to an agent. Touches nothing but the journal.

    `kind`, `head`, `items` and `closes` are as in `facts.work.Task`.
    """

    task: str
    agent: str
    attempt: int
    branch: str
    kind: TaskKind = TaskKind.ISSUE
    head: str = ""
    items: tuple[str, ...] = ()
    closes: int = 0
    snapshot: str = ""
    """What title and body were when the issue was given out, as `decisions.released.text_digest` makes it."""

    @property
    def id(self) -> str:
        return f"claim/{self.task}"


class DeliverPrompt(OfAgent, tag="deliver-prompt", frozen=True, kw_only=True):
    task: str
    prompt_id: str
    text: str
    generation: int
    """Of the agent's start: a prompt belongs to one process."""
    goes_on: bool = False
    """The task's prompt is in this conversation already: it is only told to go on."""
    wakes: int = 0
    """The number of this waking after a limit, in this start; 0: it is none."""

    @property
    def id(self) -> str:
        return f"prompt/{self.prompt_id}"


class PressSubmit(OfAgent, tag="press-submit", frozen=True, kw_only=True):
    """Submit once more: the prompt stands in the composer and work has not begun."""

    prompt_id: str
    attempt: int

    @property
    def id(self) -> str:
        return f"submit/{self.prompt_id}/{self.attempt}"


class AnswerDialog(OfAgent, tag="answer-dialog", frozen=True, kw_only=True):
    """Take one option of the box on the agent's screen, if it is still there."""

    box: str
    """Which box (`decisions.dialogs.box_of`)."""
    option: str
    """Its whole text."""
    rule: str
    number: int
    """Counts hive's answers to boxes of this agent, from 1."""

    @property
    def id(self) -> str:
        return f"answer/{self.agent}/{self.number}"


class InterruptAgent(OfAgent, tag="interrupt-agent", frozen=True, kw_only=True):
    """End the turn of a prompt by the program's own keys: nothing shows that it is at work."""

    task: str
    prompt_id: str

    @property
    def id(self) -> str:
        return f"interrupt/{self.prompt_id}"


class PrepareTree(OfAgent, tag="prepare-tree", frozen=True, kw_only=True):
    """Have the working copy of a task, new or as it was left. Idempotent: what is there is found."""

    task: str
    repo: str
    issue: int
    name: str
    """Of its folder (`facts.trees.tree_name`)."""
    branch: str
    base: str
    generation: int
    """The start of the agent that is to work in it."""

    @property
    def id(self) -> str:
        return f"tree/{self.task}/{self.generation}"


class RemoveTree(OfAgent, tag="remove-tree", frozen=True, kw_only=True):
    """Remove the working copy of a task that is over, unless anything in it would be lost. Idempotent."""

    task: str
    repo: str
    name: str
    pulls: tuple[int, ...] = ()
    """Pull requests that came of it: what the forge keeps of them is not lost."""
    rescue: bool = False
    """A person wants it gone: what would be lost is kept in the agent's store first."""

    @property
    def id(self) -> str:
        return f"untree/{self.task}"


class FinishTask(OfIssue, tag="finish-task", frozen=True, kw_only=True):
    """Close a task with its outcome. Touches nothing but the journal."""

    task: str
    outcome: str
    detail: str = ""

    @property
    def id(self) -> str:
        return f"finish/{self.task}"


class ReleaseTask(OfIssue, tag="release-task", frozen=True, kw_only=True):
    """Give an issue back so that it can be tried again after `until`. Touches nothing but the journal."""

    task: str
    until: datetime
    is_moot: bool = False
    """What it was for is gone, before its agent was told: it counts as no try."""

    @property
    def id(self) -> str:
        return f"release/{self.task}"


Intent = (
    StartAgent
    | StopAgent
    | RequestSandbox
    | WithdrawSandbox
    | ClaimWork
    | DeliverPrompt
    | PressSubmit
    | AnswerDialog
    | InterruptAgent
    | PrepareTree
    | RemoveTree
    | FinishTask
    | ReleaseTask
    | HoldPullRequest
    | LiftHold
    | MergePullRequest
    | EnqueuePullRequest
    | DequeuePullRequest
    | DeleteBranch
    | OpenRevert
    | UpdateBranch
    | FileFinding
    | UpdateTracking
    | TakeLease
    | DropLease
)

JOURNAL_ONLY = (ClaimWork, FinishTask, ReleaseTask)
"""Intents whose whole effect is their record."""

IN_TERMINAL = (StartAgent, StopAgent, DeliverPrompt, PressSubmit, AnswerDialog, InterruptAgent)
"""Intents that do something in an agent's terminal."""

ON_FORGE = (
    HoldPullRequest,
    LiftHold,
    MergePullRequest,
    EnqueuePullRequest,
    DequeuePullRequest,
    DeleteBranch,
    OpenRevert,
    UpdateBranch,
)
"""Intents that change something on the forge."""

FILING = (FileFinding, UpdateTracking)
"""Intents that write an issue of hive's own on the forge: the same one, however often they are begun."""

ON_FLEET = (RequestSandbox, WithdrawSandbox)
"""Intents that change what is asked of the fleet."""

ON_DISK = (PrepareTree, RemoveTree)
"""Intents that change something in an agent's home."""

DESTRUCTIVE = (
    StopAgent,
    InterruptAgent,
    WithdrawSandbox,
    MergePullRequest,
    EnqueuePullRequest,
    DeleteBranch,
    OpenRevert,
    LiftHold,
    ReleaseTask,
    RemoveTree,
)
"""Intents that undo or end something: never decided about what was not seen."""
