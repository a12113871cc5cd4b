"""What is remembered of milestones."""

from dataclasses import dataclass


@dataclass(slots=True)
class Milestone:
    """A milestone of a repository."""

    id: int
    repo: int
    number: int
    title: str
    creator: int
    created_at: str
    updated_at: str
    description: str | None = None
    due_on: str | None = None
    state: str = "open"
