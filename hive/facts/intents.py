"""What hive means to do: a tagged union, ruled on, journalled, then acted on once.

An intent's `id` is its idempotency key and its trace: the same string in journal, log, tmux mark and
marker on the forge. It follows from what is intended, so that deciding twice gives one intent.
"""

from __future__ import annotations

from datetime import datetime

from hive.facts.finding_intents import FileFinding, UpdateTracking
from hive.facts.intended import OfAgent as _OfAgent
from hive.facts.intended import OfIssue as _OfIssue
from hive.facts.intended import OfPullRequest as _OfPullRequest

__all__ = ["FileFinding", "UpdateTracking"]
"""Intents of other modules that belong to the union here."""


class StartAgent(_OfAgent, tag="start-agent", frozen=True, kw_only=True):
    generation: int
    """Counts starts of this agent, from 1."""
    resume: str = ""
    """The conversation to go on with; empty for a new one."""
    choice: int = 0
    """Of what the agent may run on (`AgentSpec.choices`)."""

    @property
    def id(self) -> str:
        return f"start/{self.agent}/{self.generation}"


class StopAgent(_OfAgent, tag="stop-agent", frozen=True, kw_only=True):
    session: str
    generation: int
    """Of the start that it ends."""
    identity: str = ""
    """Of the session that was seen: a later one of the same name is left alone."""

    @property
    def id(self) -> str:
        return f"stop/{self.agent}/{self.generation}/{self.session}"


class RequestSandbox(_OfAgent, tag="request-sandbox", frozen=True, kw_only=True):
    """Ask the fleet for the agent's pod, or for another one than before."""

    digest: str
    """Of what is asked (`SandboxSpec.digest`)."""

    @property
    def id(self) -> str:
        return f"sandbox/{self.agent}/{self.digest}"


class WithdrawSandbox(_OfAgent, tag="withdraw-sandbox", frozen=True, kw_only=True):
    """Have the agent's pod removed, with all that is in it."""

    request: str
    """``NAMESPACE/NAME``."""

    @property
    def id(self) -> str:
        return f"withdraw/{self.agent}/{self.request}"


class ClaimWork(_OfIssue, tag="claim-work", frozen=True, kw_only=True):
    """Give an issue to an agent. Touches nothing but the journal."""

    task: str
    agent: str
    attempt: int
    branch: str

    @property
    def id(self) -> str:
        return f"claim/{self.task}"


class DeliverPrompt(_OfAgent, tag="deliver-prompt", frozen=True, kw_only=True):
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


class PressSubmit(_OfAgent, tag="press-submit", frozen=True, kw_only=True):
    """Submit once more: the prompt stands in the composer and work has not begun."""

    prompt_id: str
    attempt: int

    @property
    def id(self) -> str:
        return f"submit/{self.prompt_id}/{self.attempt}"


class AnswerDialog(_OfAgent, tag="answer-dialog", frozen=True, kw_only=True):
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


class InterruptAgent(_OfAgent, tag="interrupt-agent", frozen=True, kw_only=True):
    """End the turn of a prompt by the program's own keys: nothing shows that it is at work."""

    task: str
    prompt_id: str

    @property
    def id(self) -> str:
        return f"interrupt/{self.prompt_id}"


class PrepareTree(_OfAgent, tag="prepare-tree", frozen=True, kw_only=True):
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


class RemoveTree(_OfAgent, tag="remove-tree", frozen=True, kw_only=True):
    """Remove the working copy of a task that is over, unless anything in it would be lost. Idempotent."""

    task: str
    repo: str
    name: str
    pulls: tuple[int, ...] = ()
    """Pull requests that came of it: what the forge keeps of them is not lost."""

    @property
    def id(self) -> str:
        return f"untree/{self.task}"


class FinishTask(_OfIssue, tag="finish-task", frozen=True, kw_only=True):
    """Close a task with its outcome. Touches nothing but the journal."""

    task: str
    outcome: str
    detail: str = ""

    @property
    def id(self) -> str:
        return f"finish/{self.task}"


class ReleaseTask(_OfIssue, tag="release-task", frozen=True, kw_only=True):
    """Give an issue back so that it can be tried again after `until`. Touches nothing but the journal."""

    task: str
    until: datetime

    @property
    def id(self) -> str:
        return f"release/{self.task}"


class HoldPullRequest(_OfPullRequest, tag="hold-pull-request", frozen=True, kw_only=True):
    label: str

    @property
    def id(self) -> str:
        return self._at_head("hold")


class LiftHold(_OfPullRequest, tag="lift-hold", frozen=True, kw_only=True):
    """Take off hive's own hold, its reason being gone. A person's hold is never lifted."""

    label: str

    @property
    def id(self) -> str:
        return self._at_head("lift")


class MergePullRequest(_OfPullRequest, tag="merge-pull-request", frozen=True, kw_only=True):
    """Merge exactly the head that was judged."""

    base: str
    red_before: tuple[str, ...] = ()
    """Checks of the base that fail already."""

    @property
    def id(self) -> str:
        return self._at_head("merge")


class EnqueuePullRequest(_OfPullRequest, tag="enqueue-pull-request", frozen=True, kw_only=True):
    """Put exactly the head that was judged into the merge queue of its base, which does the merging."""

    base: str
    red_before: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self._at_head("enqueue")


class DequeuePullRequest(_OfPullRequest, tag="dequeue-pull-request", frozen=True, kw_only=True):
    """Take it out of the merge queue again: the gate has something against it now."""

    @property
    def id(self) -> str:
        return self._at_head("dequeue")


class DeleteBranch(_OfPullRequest, tag="delete-branch", frozen=True, kw_only=True):
    """Delete the branch of a pull request that was seen merged, if it still is at `head`."""

    branch: str

    @property
    def id(self) -> str:
        return self._at_head("delete-branch")


class OpenRevert(_OfPullRequest, tag="open-revert", frozen=True, kw_only=True):
    """Open a pull request that undoes a merged one. `head` is the merge commit."""

    title: str
    body: str

    @property
    def id(self) -> str:
        return self._at_head("revert")


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
    | FileFinding
    | UpdateTracking
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
