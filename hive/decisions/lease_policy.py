"""The section `claims` of ``hive.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class LeasePolicy:
    """How several hives share repositories: each puts its own label on the issues that it works on.

    Attributes:
        prefix: How the labels of all hives begin.
        name: Of this hive; its label is both together.
        expires: After so long another hive's label counts no more; longer than a task may take.
    """

    prefix: str
    name: str
    expires: timedelta

    @property
    def label(self) -> str:
        return f"{self.prefix}{self.name}"
