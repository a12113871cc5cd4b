"""The section `triage`: the policy of `hive triage`, and what only a running hive goes by besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field, field_validator

from hive.decisions.triage_policy import Kind, Lane, Rule, TriagePolicy
from hive.documents.values import Duration, Flag
from hive.settings.fields import Day, Second, between
from hive.settings.policies import LaneModel, Name, TrustModel

_Limit = Annotated[Duration, between(Second, 365 * Day)]


class RuleModel(LaneModel):
    """What puts an issue into a lane or size: a label, a word, or a path that it names."""

    paths: list[Name] = Field(
        default=[], description="Patterns as in .gitignore, for files and folders that title or body name."
    )

    @field_validator("paths")
    @classmethod
    def _patterns(cls, patterns: list[str]) -> list[str]:
        if patterns:
            # Late: it is much to import, and most files have no pattern of their own.
            from hive.decisions.triage.rules import paths_spec

            paths_spec(tuple(patterns))
        return patterns


class KindModel(RuleModel):
    """What makes an issue one of this kind: a label, a word, or a path that it names."""

    sla: _Limit | None = Field(
        default=None, description="How old an eligible one may become; left out: what governor.sla says."
    )


class TriageModel(TrustModel):
    """Which issues become work, and in which order."""

    lanes: dict[Name, RuleModel] = Field(
        default={}, description="What agents may be kept to, in the order of service; the first match."
    )
    kinds: dict[Name, KindModel] = Field(
        default={}, description="Sorts of issues, in the order of service within a lane; the first match."
    )
    sizes: dict[Name, RuleModel] = Field(
        default={}, description="Sizes of issues, in the order of service within a kind; the first match."
    )
    dependencies: Flag = Field(
        default=True, description="What an issue's text says that it is blocked by or depends on blocks it."
    )
    stale_after: _Limit | None = Field(
        default=None, description="So long without a word or change by a person, and an issue is stale."
    )

    def policy(self) -> TriagePolicy:
        """The policy that triage goes by in a running hive."""
        return replace(
            self.trust(),
            lanes=tuple(Lane(name, *_matches(one)) for name, one in self.lanes.items()),
            kinds=tuple(Kind(name, *_matches(one), one.sla) for name, one in self.kinds.items()),
            sizes=tuple(Rule(name, *_matches(one)) for name, one in self.sizes.items()),
            dependencies=self.dependencies,
            stale_after=self.stale_after,
        )


def _matches(rule: RuleModel) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Labels, words and paths."""
    return tuple(rule.labels), tuple(rule.words), tuple(rule.paths)
