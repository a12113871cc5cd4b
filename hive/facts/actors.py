"""Who did something on the forge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    BOT = "bot"
    APP = "app"


class Association(StrEnum):
    """GitHub's author associations (GraphQL `CommentAuthorAssociation`), in GitHub's spelling."""

    OWNER = "OWNER"
    MEMBER = "MEMBER"
    COLLABORATOR = "COLLABORATOR"
    CONTRIBUTOR = "CONTRIBUTOR"
    FIRST_TIMER = "FIRST_TIMER"
    FIRST_TIME_CONTRIBUTOR = "FIRST_TIME_CONTRIBUTOR"
    MANNEQUIN = "MANNEQUIN"
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Actor:
    """An account. A deleted account is `None`, which is nobody and trusted with nothing.

    Attributes:
        login: As GitHub spells it; an app's ends in ``[bot]``. Compare with `same_login`.
        kind: `None` where the source did not say.
        association: To the repository, where the source said.
    """

    login: str
    kind: ActorKind | None = None
    association: Association | None = None


def same_login(one: str, other: str) -> bool:
    """Whether two logins name one account: GitHub compares logins without regard to case."""
    return one.casefold() == other.casefold()


def name_of(actor: Actor | None) -> str:
    """The login; of an account that is gone, that it is."""
    return actor.login if actor else "a deleted account"
