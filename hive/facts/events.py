"""The journal's only content: a tagged union of what happened, and its codec.

Msgspec structs rather than dataclasses, since a tagged union of these is what makes replay of a long
journal fast (measured: 0.8 s for a million events, where json takes 2.7 s).
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from hive.facts.agent_events import (
    AgentAttached,
    AgentChanged,
    AgentPaused,
    AgentRejected,
    AgentResumed,
    ConversationSeen,
    DialogAnswered,
    ModelSeen,
    ProgramSeen,
    PromptArrived,
    RestartRequested,
    SandboxChanged,
    TextSent,
    TurnEnded,
)
from hive.facts.finding_events import FindingDecided, FindingRecorded, FindingRepeated
from hive.facts.governor_events import LoadModeChanged
from hive.facts.hold_events import ActionHeld, HoldDecided, HoldUsed
from hive.facts.incident_events import IncidentClosed, IncidentRaised, RepositoryWatched
from hive.facts.intents import Intent
from hive.facts.merge_events import (
    MergeChecked,
    MergingHeld,
    MergingReleased,
    PullRequestAdvanced,
    PullRequestDequeued,
    PullRequestLeft,
    PullRequestReviewed,
    PullRequestTakenUp,
)
from hive.facts.model_events import ModelRefused
from hive.facts.need_events import NeedCleared, NeedRaised, NoticeBegun, NoticeEnded
from hive.facts.port_events import LaneAbandoned, PortFailed, PortRecovered
from hive.facts.recorded import AgentEvent, RecordedEvent
from hive.facts.request_events import ApprovalCarriedOut, RequestDone
from hive.facts.token_events import SandboxTokenIssued, SandboxTokenRevoked, TokenIssued, TokenRefused
from hive.facts.tree_events import TreeKept, TreePrepared, TreeReleased, TreeRemoved
from hive.facts.usage_events import BudgetReached, LimitEnded, LimitSeen, UsageRecorded
from hive.facts.work_events import (
    IssueTriaged,
    PullRequestEnded,
    PullRequestJudged,
    PullRequestOpened,
)

__all__ = ["ApprovalCarriedOut", "RequestDone"]
__all__ += ["IncidentClosed", "IncidentRaised", "RepositoryWatched"]
__all__ += ["ActionHeld", "HoldDecided", "HoldUsed"]
__all__ += ["MergeChecked", "MergingHeld", "MergingReleased", "PullRequestDequeued"]
__all__ += ["PullRequestAdvanced", "PullRequestLeft", "PullRequestReviewed", "PullRequestTakenUp"]
__all__ += ["ModelRefused"]
__all__ += ["SandboxTokenIssued", "SandboxTokenRevoked", "TokenIssued", "TokenRefused"]
__all__ += ["BudgetReached", "LimitEnded", "LimitSeen", "UsageRecorded"]
__all__ += [
    "AgentAttached",
    "AgentChanged",
    "AgentPaused",
    "AgentRejected",
    "AgentResumed",
    "ConversationSeen",
    "DialogAnswered",
    "ModelSeen",
    "ProgramSeen",
    "PromptArrived",
    "RestartRequested",
    "SandboxChanged",
    "TextSent",
    "TurnEnded",
]
__all__ += ["FindingDecided", "FindingRecorded", "FindingRepeated"]
__all__ += ["IssueTriaged", "PullRequestEnded", "PullRequestJudged", "PullRequestOpened"]
__all__ += ["LaneAbandoned", "PortFailed", "PortRecovered"]
__all__ += ["LoadModeChanged", "NeedCleared", "NeedRaised", "NoticeBegun", "NoticeEnded"]
__all__ += ["TreeKept", "TreePrepared", "TreeReleased", "TreeRemoved"]
"""Events of other modules that belong to the union here."""


class SupervisorStarted(RecordedEvent, tag="supervisor-started", frozen=True, kw_only=True):
    """`boot` is of the machine's kernel: another one than before, and no session of before is left."""

    pid: int
    version: str
    boot: str = ""


class SupervisorStopped(RecordedEvent, tag="supervisor-stopped", frozen=True, kw_only=True):
    reason: str


class ConfigurationLoaded(RecordedEvent, tag="configuration-loaded", frozen=True, kw_only=True):
    """`raised` are the operator's overrides above the autonomy table: role, level, mode and why."""

    digest: str
    source: str
    raised: tuple[str, ...] = ()


class ConfigurationRejected(RecordedEvent, tag="configuration-rejected", frozen=True, kw_only=True):
    """The old configuration stays in force."""

    message: str


class LevelChanged(RecordedEvent, tag="level-changed", frozen=True, kw_only=True):
    """An operator's change. `scope` is hive, repo or agent; `name` which; `level` None takes it back."""

    scope: str
    name: str = ""
    level: int | None
    by: str
    why: str = ""

    @property
    def subject(self) -> str:
        return self.name


class IntentRuled(RecordedEvent, tag="intent-ruled", frozen=True, kw_only=True):
    """Recorded when the ruling on an intent is new or has changed."""

    intent_id: str
    about: str
    ruling: str
    rule: str
    because: str

    @property
    def subject(self) -> str:
        return self.about


class IntentStarted(RecordedEvent, tag="intent-started", frozen=True, kw_only=True):
    """Written before acting. Without an `IntentFinished` the intent is in doubt."""

    intent_id: str
    body: Intent

    @property
    def subject(self) -> str:
        return self.body.subject


class IntentFinished(RecordedEvent, tag="intent-finished", frozen=True, kw_only=True):
    """`outcome`: done, failed, refused, moved, missing, or undone for what never happened."""

    intent_id: str
    about: str
    outcome: str
    detail: str = ""

    @property
    def subject(self) -> str:
        return self.about


class RequestRuled(AgentEvent, tag="request-ruled", frozen=True, kw_only=True):
    """The gateway ruled on something that an agent asked of the forge.

    Attributes:
        request_id: Groups the operations of one request.
        action: `facts.autonomy.Action`.
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
        route: How it came: rest, graphql, git, hive.
        head: The commit that it is about, where it is about one.
        shown: The beginning of what it would publish, without secrets.
    """

    request_id: str
    action: str
    target: str
    ruling: str
    rule: str
    because: str
    route: str
    task: str = ""
    head: str = ""
    shown: str = ""


class Noticed(RecordedEvent, tag="noticed", frozen=True, kw_only=True):
    """Something that a person should know and no other event tells."""

    about: str
    message: str

    @property
    def subject(self) -> str:
        return self.about


Event = (
    SupervisorStarted
    | SupervisorStopped
    | ConfigurationLoaded
    | ConfigurationRejected
    | AgentRejected
    | LevelChanged
    | AgentPaused
    | AgentResumed
    | RestartRequested
    | TextSent
    | TokenIssued
    | SandboxTokenIssued
    | SandboxTokenRevoked
    | TokenRefused
    | ModelRefused
    | MergeChecked
    | MergingHeld
    | MergingReleased
    | PullRequestDequeued
    | PullRequestAdvanced
    | PullRequestLeft
    | PullRequestReviewed
    | PullRequestTakenUp
    | ActionHeld
    | HoldDecided
    | HoldUsed
    | AgentChanged
    | DialogAnswered
    | AgentAttached
    | ConversationSeen
    | ModelSeen
    | ProgramSeen
    | SandboxChanged
    | PromptArrived
    | TurnEnded
    | IntentRuled
    | IntentStarted
    | IntentFinished
    | RequestRuled
    | RequestDone
    | ApprovalCarriedOut
    | RepositoryWatched
    | IncidentRaised
    | IncidentClosed
    | PullRequestOpened
    | FindingRecorded
    | FindingRepeated
    | FindingDecided
    | IssueTriaged
    | PullRequestJudged
    | PullRequestEnded
    | PortFailed
    | PortRecovered
    | LaneAbandoned
    | Noticed
    | UsageRecorded
    | BudgetReached
    | LoadModeChanged
    | NeedRaised
    | NeedCleared
    | NoticeBegun
    | NoticeEnded
    | LimitSeen
    | LimitEnded
    | TreePrepared
    | TreeRemoved
    | TreeKept
    | TreeReleased
)


class Record(msgspec.Struct, frozen=True, gc=False):
    """One event as the journal holds it.

    A struct that the garbage collector leaves alone: of a long journal there are a million.

    Attributes:
        seq: Position in the journal, from 1, without gaps.
        at: UTC, when it was recorded.
        tick: Of which tick; 0 outside one.
    """

    seq: int
    at: datetime
    tick: int
    event: Event


_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def kind_of(event: Event) -> str:
    """The event's tag: the journal's `kind` column."""
    return str(type(event).__struct_config__.tag)


def encode(event: Event) -> bytes:
    """One event as JSON, with its kind."""
    return _ENCODER.encode(event)


def decode(body: bytes | str) -> Event:
    """Read what `encode` wrote. Raises `msgspec.ValidationError` for anything else."""
    return _DECODER.decode(body)
