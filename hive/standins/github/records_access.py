"""What is remembered of programs and groups: Apps, where they are installed, their tokens, and teams."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class App:
    """A GitHub App; it acts as the account `SLUG[bot]`."""

    id: int
    slug: str
    client_id: str
    owner: int
    """The id of the account that it belongs to."""
    public_key: str
    """PEM; what its JWTs are checked against."""
    bot: int
    permissions: dict[str, str] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    created_at: str = "2020-01-01T00:00:00Z"


@dataclass(slots=True)
class Installation:
    """An App on an account: on all of its repositories, or on those listed."""

    id: int
    app: int
    account: int
    permissions: dict[str, str]
    repositories: list[str] | None
    """`owner/name`s, or None for all."""
    created_at: str
    suspended_at: str | None = None


@dataclass(slots=True)
class InstallationToken:
    """A token of an installation; an hour after its making it is nothing any more."""

    id: int
    installation: int
    token: str
    expires_at: float
    """Seconds since 1970."""
    permissions: dict[str, str]
    repositories: list[str] | None


@dataclass(slots=True)
class Team:
    """A team of an organization, whose members may do what it may in its repositories."""

    id: int
    organization: int
    slug: str
    name: str
    members: list[int] = field(default_factory=list)
    permissions: dict[str, str] = field(default_factory=dict)
    """By `owner/name` or `*`: admin, maintain, write, triage, read."""
