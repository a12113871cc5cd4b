"""The policies of `hive.yaml`, which the files of `hive judge` and `hive triage` carry as well.

One model per policy, so that a key means the same wherever it is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, field_validator

from hive.decisions.merge_policy import MergePolicy, RequiredCheck
from hive.decisions.triage_policy import Lane, TriagePolicy
from hive.documents.models import StrictModel
from hive.documents.values import Duration, Flag, Text, Whole
from hive.facts.actors import ActorKind, Association


class SettingsModel(StrictModel):
    """Base of the models here: built when first used, so that a part is not built alone and in the whole.

    Measured: it takes 90 ms off the start of every command that reads `hive.yaml`.
    """

    model_config = ConfigDict(defer_build=True)


Name = Annotated[Text, Field(min_length=1)]

Conclusion = Literal[
    "success",
    "neutral",
    "skipped",
    "failure",
    "cancelled",
    "timed_out",
    "action_required",
    "stale",
    "startup_failure",
]


class RequiredCheckModel(SettingsModel):
    """A check that must be green."""

    name: Name = Field(description="As the forge spells it.")
    app: Name | None = Field(default=None, description="The app that must have reported it, by its slug.")
    app_id: Annotated[Whole, Field(ge=1)] | None = Field(default=None, description="The same, by its number.")


def _named(value: Any) -> Any:
    """A plain text is the name of a check by any app."""
    return {"name": value} if isinstance(value, str) else value


_CheckName = Annotated[str, Field(min_length=1)]
CheckEntry = Annotated[
    RequiredCheckModel, BeforeValidator(_named, json_schema_input_type=_CheckName | RequiredCheckModel)
]


class MergePolicyModel(SettingsModel):
    """When hive merges a pull request."""

    required: list[CheckEntry] | None = Field(
        default=None, description="Checks that must be green; left out: every check that reports."
    )
    accept: list[Conclusion] = Field(default=["success"], description="Conclusions that count as green.")
    approvals: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="Approving reviews that it takes."
    )
    approvals_by: list[ActorKind] = Field(default=[ActorKind.PERSON], description="Whose approvals count.")
    settle: Duration = Field(default="5m", validate_default=True, description="Quiet time after a push.")
    missing_after: Duration = Field(
        default="1h",
        validate_default=True,
        description="A check that has not reported by then needs a person.",
    )
    resolve_threads: Flag = Field(default=True, description="Open review threads block.")
    allow_no_checks: Flag = Field(default=False, description="A repository without CI has to say so.")
    own_checks: list[Name] = Field(
        default=[], description="Checks of hive itself and of other merge bots: not looked at."
    )
    hold_labels: list[Name] = Field(default=[], description="Labels that hold, besides 'hold'.")
    protected_paths: list[Name] = Field(
        default=[],
        description="Patterns as in .gitignore, besides hive's own; '!CLAUDE.md' takes one of those out.",
    )

    up_to_date: Flag = Field(
        default=False, description="A head has to contain its base's tip, and be checked with it."
    )
    base_green: Flag = Field(default=True, description="Nothing is merged onto a base whose checks fail.")

    delete_branch: Flag = Field(default=True, description="Delete the branch after a merge.")

    @field_validator("protected_paths")
    @classmethod
    def _patterns(cls, patterns: list[str]) -> list[str]:
        if patterns:
            # Late: it is much to import, and most files have no pattern of their own.
            from hive.facts.protected_paths import compiled

            compiled(tuple(patterns))
        return patterns

    def policy(self) -> MergePolicy:
        """The policy that the merge gate judges by."""
        required = self.required
        return MergePolicy(
            required=None
            if required is None
            else tuple(RequiredCheck(one.name, one.app, one.app_id) for one in required),
            accept=frozenset(self.accept),
            approvals=self.approvals,
            approvals_by=frozenset(self.approvals_by),
            settle=self.settle,
            missing_after=self.missing_after,
            resolve_threads=self.resolve_threads,
            allow_no_checks=self.allow_no_checks,
            own_checks=frozenset(self.own_checks),
            hold_labels=frozenset(self.hold_labels),
            protected_paths=tuple(self.protected_paths),
            up_to_date=self.up_to_date,
            base_green=self.base_green,
            delete_branch=self.delete_branch,
        )


class LaneModel(SettingsModel):
    """How an issue gets into a lane: by one of its labels, or a word of title or body."""

    labels: list[Name] = Field(default=[], description="Whole label names, in any case.")
    words: list[Name] = Field(default=[], description="Whole words, in any case.")


class TrustModel(SettingsModel):
    """Whose issues become work, and which labels release and hold them."""

    trusted: list[Association] = Field(
        default=[Association.OWNER, Association.MEMBER, Association.COLLABORATOR],
        description="Associations whose issues become work.",
    )
    allow: list[Name] = Field(
        default=[], description="Logins trusted besides, whole; an app's has its '[bot]'."
    )
    go_label: Name | None = Field(
        default=None, description="With it, only issues that a trusted person labelled so become work."
    )
    hold_labels: list[Name] = Field(default=[], description="Labels that hold, besides 'hold'.")

    def trust(self) -> TriagePolicy:
        """A policy that knows no lanes yet."""
        return TriagePolicy(
            trusted=frozenset(self.trusted),
            allow=tuple(self.allow),
            go_label=self.go_label,
            hold_labels=frozenset(self.hold_labels),
        )


class TriagePolicyModel(TrustModel):
    """Which issues become work, and in which order."""

    lanes: dict[Name, LaneModel] = Field(
        default={}, description="Kinds of work; the first that matches, in this order."
    )

    def policy(self) -> TriagePolicy:
        """The policy that triage goes by."""
        lanes = (
            Lane(name, labels=tuple(lane.labels), words=tuple(lane.words))
            for name, lane in self.lanes.items()
        )
        return replace(self.trust(), lanes=tuple(lanes))
