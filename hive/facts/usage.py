"""What models were paid for: tokens of four kinds, and money in whole millionths of a dollar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one message or of many; none is counted twice.

    Attributes:
        input: Read anew: without what was read from a cache or written to one.
        output: Written by the model, its thinking included.
        cache_read, cache_write: Of the prompt, where the provider tells them apart.
        cache_write_hour: Those of `cache_write` that are kept for an hour, which some providers price apart.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0

    @property
    def prompt(self) -> int:
        """All that the model read."""
        return self.input + self.cache_read + self.cache_write

    @property
    def total(self) -> int:
        return self.prompt + self.output

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.cache_write_hour + other.cache_write_hour,
        )

    def __sub__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.input - other.input,
            self.output - other.output,
            self.cache_read - other.cache_read,
            self.cache_write - other.cache_write,
            self.cache_write_hour - other.cache_write_hour,
        )

    def union(self, other: TokenUsage) -> TokenUsage:
        """What two readings of one message say together: of each kind the greater, as a count only grows."""
        return TokenUsage(
            max(self.input, other.input),
            max(self.output, other.output),
            max(self.cache_read, other.cache_read),
            max(self.cache_write, other.cache_write),
            max(self.cache_write_hour, other.cache_write_hour),
        )


class UsageSource(StrEnum):
    TRANSCRIPT = "transcript"
    """The agent program's own file."""
    RELAY = "relay"
    """The provider's answer, as it went through hive."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer of a model took.

    Attributes:
        model: As the provider or the program names it.
        key: The provider's id of the message or request: the same answer has the same key wherever and
            however often it is read.
        at: UTC, when it was answered; None where nothing says so.
        is_estimate: The answer broke off before its own numbers came.
    """

    model: str
    tokens: TokenUsage
    key: str
    source: UsageSource
    at: datetime | None = None
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs from a day on, in micro-USD per million tokens.

    Attributes:
        model: A pattern with ``*``, ``?`` and ``[…]``, in small letters.
        since: The first day, UTC.
        prompt_over: The row is for prompts of more tokens than this.
        cache_write_hour: Of those kept for an hour.
        own: The operator's, which goes before hive's.
    """

    model: str
    since: date
    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int
    prompt_over: int = 0
    own: bool = False
