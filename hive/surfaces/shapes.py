"""Shapes that several surfaces share: actors, labels, times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hive.documents.models import StrictModel
from hive.documents.values import Time, Whole
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import Label

Name = Annotated[str, Field(min_length=1)]
Number = Annotated[Whole, Field(ge=1)]
"""An issue's or pull request's."""
Count = Annotated[Whole, Field(ge=0)]


class Answer(BaseModel):
    """Base of all output: its fields in this order, all of them always there."""

    model_config = ConfigDict(frozen=True)


class ActorShape(StrictModel):
    """An account; null in its place is a deleted one, which is nobody."""

    login: Name
    kind: ActorKind | None = None
    association: Association | None = None

    def fact(self) -> Actor:
        return Actor(self.login, self.kind, self.association)


class LabelShape(StrictModel):
    """A label, and who put it on when."""

    name: Name
    by: ActorShape | None = None
    at: Time | None = None

    def fact(self) -> Label:
        return Label(self.name, actor(self.by), self.at)


def actor(shape: ActorShape | None) -> Actor | None:
    return shape.fact() if shape else None


def moment_of_answer(
    asked: datetime | None, written: datetime | None, clock: Callable[[], datetime]
) -> datetime:
    """The time to answer for: the caller's wins over the file's, which wins over the clock. UTC."""
    return (asked or written or clock()).astimezone(UTC)
