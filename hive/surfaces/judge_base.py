"""What a file for `hive judge` may say of the base: its rules, and where a head stands to it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from hive.documents.models import StrictModel
from hive.documents.values import Flag, Whole
from hive.facts.bases import METHODS, BaseRules, RequiredContext
from hive.surfaces.shapes import Count, Name


class ContextShape(StrictModel):
    """A check that the base requires; `app_id` is the number of the app that has to report it."""

    name: Name
    app_id: Whole | None = None


def text_or_mapping(value: Any) -> str:
    """Which of two ways something is written in."""
    return "text" if isinstance(value, str) else "mapping"


ContextOrName = Annotated[
    Annotated[Name, Tag("text")] | Annotated[ContextShape, Tag("mapping")], Discriminator(text_or_mapping)
]


class RulesShape(StrictModel):
    """What branch protection and rulesets ask together; what is left out is not asked."""

    contexts: list[ContextOrName] = []
    strict: Flag = False
    approvals: Count = 0
    code_owners: Flag = False
    last_push: Flag = False
    threads: Flag = False
    linear: Flag = False
    signatures: Flag = False
    deployments: list[Name] = []
    locked: Flag = False
    methods: list[Literal["merge", "squash", "rebase"]] | None = None
    queue: Flag = False
    others: list[Name] = []

    def fact(self) -> BaseRules:
        return BaseRules(
            contexts=tuple(
                RequiredContext(one) if isinstance(one, str) else RequiredContext(one.name, one.app_id)
                for one in self.contexts
            ),
            strict=self.strict,
            approvals=self.approvals,
            code_owners=self.code_owners,
            last_push=self.last_push,
            threads=self.threads,
            linear=self.linear,
            signatures=self.signatures,
            deployments=tuple(self.deployments),
            locked=self.locked,
            methods=METHODS if self.methods is None else frozenset(self.methods),
            queue=self.queue,
            others=tuple(self.others),
        )
