"""What is remembered of merge queues."""

from dataclasses import dataclass


@dataclass(slots=True)
class QueueEntry:
    """A pull request in the queue of its base; `group` is the commit that is checked and then put there."""

    id: int
    repo: int
    base: str
    number: int
    head_sha: str
    by: int
    at: str
    group: str | None = None
    on: str | None = None
    """The commit that `group` was built on: the base, or the group before it."""
