"""What the journal has of tokens and money."""

from __future__ import annotations

from datetime import datetime

from hive.facts.recorded import AgentEvent, RecordedEvent
from hive.facts.usage import TokenUsage


class UsageRecorded(AgentEvent, tag="usage-recorded", frozen=True, kw_only=True):
    """What one answer of a model took, whole: another of the same agent and key replaces it where it is more.

    Attributes:
        task, repo, issue: What the agent was at work on; empty where it had no task.
        backend, role, account: Of the agent at that time: budgets may be about them.
        input, output, cache_read, cache_write, cache_write_hour: See `facts.usage.TokenUsage`.
        cost: In micro-USD; None where the model has no price.
        key: The provider's id of the message.
        source: `facts.usage.UsageSource`.
        used_at: When the model answered, where known: else when it was recorded.
        is_estimate: By what was seen of an answer that broke off: its provider may have counted otherwise.
    """

    model: str
    key: str
    source: str
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0
    cost: int | None = None
    task: str = ""
    repo: str = ""
    issue: int | None = None
    backend: str = ""
    role: str = ""
    account: str = ""
    used_at: datetime | None = None
    is_estimate: bool = False

    @property
    def tokens(self) -> TokenUsage:
        return TokenUsage(self.input, self.output, self.cache_read, self.cache_write, self.cache_write_hour)


BOOKKEEPING = ("usage-recorded",)
"""Kinds of events that come by the hundred and tell a person nothing one by one: lists of what happened leave
them out unless they are asked for, and `hive costs` adds them up."""


class BudgetReached(RecordedEvent, tag="budget-reached", frozen=True, kw_only=True):
    """A budget's soft or hard limit was reached in a window; recorded once for each.

    Attributes:
        budget: Its name.
        window: Its first moment as ISO 8601 in UTC; the task for a budget per task; empty for all time.
        covers: What it is about: ``hive``, ``agent quality``.
        limit: ``soft``, ``hard``, or ``unpriced`` for tokens that a budget in USD cannot count.
        message: One line with the figures.
    """

    budget: str
    covers: str
    window: str
    limit: str
    message: str

    @property
    def subject(self) -> str:
        return self.covers.partition(" ")[2]


class LimitSeen(AgentEvent, tag="limit-seen", frozen=True, kw_only=True):
    """The agent's account has met its provider's limit, or met it again after the agent was woken.

    Attributes:
        limit: ``limited`` or ``out-of-credit``.
        until: When it ends, where the provider says so.
        stated: The same as it was read, over or believed or not.
        retry_at: When the agent is woken.
        refusals: In a row, this one among them.
    """

    account: str
    limit: str
    until: datetime | None = None
    stated: datetime | None = None
    retry_at: datetime
    refusals: int = 1
    detail: str = ""


class LimitEnded(AgentEvent, tag="limit-ended", frozen=True, kw_only=True):
    """An agent of the account works again."""

    account: str
