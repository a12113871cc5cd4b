"""What is remembered of webhooks: where they go, and what was sent."""

from dataclasses import dataclass


@dataclass(slots=True)
class Hook:
    """A webhook of a repository, or of an App (`app` then has its id, and `repo` is 0)."""

    id: int
    repo: int
    url: str
    secret: str | None
    events: list[str]
    content_type: str
    created_at: str
    updated_at: str
    active: bool = True
    app: int = 0


@dataclass(slots=True)
class Delivery:
    """One sending of one event; `status` is the receiver's, 0 where nobody answered."""

    id: int
    hook: int
    guid: str
    event: str
    action: str | None
    payload: str
    at: str
    repo: int
    redelivery: bool = False
    status: int = 0
    reason: str = "pending"
    duration_s: float = 0.0
