"""What hive means to do: a tagged union, ruled on, journalled, then acted on once.

An intent's `id` is its idempotency key and its trace: the same string in journal, log, tmux mark and
marker on the forge. It follows from what is intended, so that deciding twice gives one intent.
"""

from __future__ import annotations

from datetime import datetime

import msgspec


class _Intent(msgspec.Struct, frozen=True, tag_field="intent", kw_only=True, omit_defaults=True):
    because: str = ""
    """Why, in one sentence for a person."""


class StartAgent(_Intent, tag="start-agent", frozen=True, kw_only=True):
    agent: str
    generation: int
    """Counts starts of this agent, from 1."""

    @property
    def id(self) -> str:
        return f"start/{self.agent}/{self.generation}"

    @property
    def subject(self) -> str:
        return self.agent


class StopAgent(_Intent, tag="stop-agent", frozen=True, kw_only=True):
    agent: str
    session: str
    generation: int
    """Of the start that it ends."""

    @property
    def id(self) -> str:
        return f"stop/{self.agent}/{self.generation}/{self.session}"

    @property
    def subject(self) -> str:
        return self.agent


class ClaimWork(_Intent, tag="claim-work", frozen=True, kw_only=True):
    """Give an issue to an agent. Touches nothing but the journal."""

    task: str
    agent: str
    repo: str
    issue: int
    attempt: int
    branch: str

    @property
    def id(self) -> str:
        return f"claim/{self.task}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.issue}"


class DeliverPrompt(_Intent, tag="deliver-prompt", frozen=True, kw_only=True):
    task: str
    agent: str
    prompt_id: str
    text: str
    generation: int
    """Of the agent's start: a prompt belongs to one process."""

    @property
    def id(self) -> str:
        return f"prompt/{self.prompt_id}"

    @property
    def subject(self) -> str:
        return self.agent


class PressSubmit(_Intent, tag="press-submit", frozen=True, kw_only=True):
    """Submit once more: the prompt stands in the composer and work has not begun."""

    agent: str
    prompt_id: str
    attempt: int

    @property
    def id(self) -> str:
        return f"submit/{self.prompt_id}/{self.attempt}"

    @property
    def subject(self) -> str:
        return self.agent


class FinishTask(_Intent, tag="finish-task", frozen=True, kw_only=True):
    """Close a task with its outcome. Touches nothing but the journal."""

    task: str
    repo: str
    issue: int
    outcome: str
    detail: str = ""

    @property
    def id(self) -> str:
        return f"finish/{self.task}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.issue}"


class ReleaseTask(_Intent, tag="release-task", frozen=True, kw_only=True):
    """Give an issue back so that it can be tried again after `until`. Touches nothing but the journal."""

    task: str
    repo: str
    issue: int
    until: datetime

    @property
    def id(self) -> str:
        return f"release/{self.task}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.issue}"


class HoldPullRequest(_Intent, tag="hold-pull-request", frozen=True, kw_only=True):
    repo: str
    number: int
    label: str
    head: str
    """The content that is held: a new head is held anew."""

    @property
    def id(self) -> str:
        return f"hold/{self.repo}#{self.number}@{self.head[:12]}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}"


class LiftHold(_Intent, tag="lift-hold", frozen=True, kw_only=True):
    """Take off hive's own hold, its reason being gone. A person's hold is never lifted."""

    repo: str
    number: int
    label: str
    head: str

    @property
    def id(self) -> str:
        return f"lift/{self.repo}#{self.number}@{self.head[:12]}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}"


class MergePullRequest(_Intent, tag="merge-pull-request", frozen=True, kw_only=True):
    """Merge exactly the head that was judged."""

    repo: str
    number: int
    head: str
    base: str

    @property
    def id(self) -> str:
        return f"merge/{self.repo}#{self.number}@{self.head[:12]}"

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}"


Intent = (
    StartAgent
    | StopAgent
    | ClaimWork
    | DeliverPrompt
    | PressSubmit
    | FinishTask
    | ReleaseTask
    | HoldPullRequest
    | LiftHold
    | MergePullRequest
)

JOURNAL_ONLY = (ClaimWork, FinishTask, ReleaseTask)
"""Intents whose whole effect is their record."""

ON_FORGE = (HoldPullRequest, LiftHold, MergePullRequest)
"""Intents that change something on the forge."""

DESTRUCTIVE = (StopAgent, MergePullRequest, LiftHold, ReleaseTask)
"""Intents that undo or end something: never decided about what was not seen."""
