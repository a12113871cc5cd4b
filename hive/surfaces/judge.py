"""`hive judge FILE`: the merge gate on one pull request, given as facts in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, model_validator

from hive import documents
from hive.decisions.merge_gate import (
    Judgement,
    MergeVerdict,
    Obstacle,
    ObstacleCode,
    judge,
)
from hive.decisions.one_line import printable
from hive.documents.models import StrictModel
from hive.documents.values import Flag, Time, Whole
from hive.facts.forge import ChangedFile, Check, LinkedIssue, PullRequest, Review
from hive.settings.policies import MergePolicyModel
from hive.surfaces.judge_base import RulesShape, text_or_mapping
from hive.surfaces.shapes import ActorShape, Answer, Count, LabelShape, Name, Number, actor, moment_of_answer

_NO_NUMBER = 0
"""No pull request has it: only a file can leave the number out, the forge never does."""


class CheckShape(StrictModel):
    """One check run or commit status. `conclusion` may be left out only where it did not complete."""

    id: Whole
    name: Name
    source: Literal["check", "status"]
    app: Name | None = None
    app_id: Whole | None = None
    workflow: Name | None = None
    head: Name
    status: Name
    conclusion: Name | None = None
    completed_at: Time | None = None

    @model_validator(mode="after")
    def _concluded(self) -> CheckShape:
        if self.status == "completed" and "conclusion" not in self.model_fields_set:
            raise ValueError("the key 'conclusion' is missing, and the check has completed")
        return self

    def fact(self) -> Check:
        return Check(
            id=self.id,
            name=self.name,
            source=self.source,
            head=self.head,
            status=self.status,
            conclusion=self.conclusion,
            app=self.app,
            workflow=self.workflow,
            completed_at=self.completed_at,
            app_id=self.app_id,
        )


class ReviewShape(StrictModel):
    by: ActorShape | None
    state: Literal["approved", "changes_requested", "commented", "dismissed", "pending"]
    head: Name | None
    at: Time | None

    def fact(self) -> Review:
        return Review(actor(self.by), self.state, self.head, self.at)


class LinkedIssueShape(StrictModel):
    number: Number
    state: Literal["open", "closed"]


class FileShape(StrictModel):
    path: Name
    previous: Name | None = None
    mode: Name | None = None


FileOrPath = Annotated[
    Annotated[Name, Tag("text")] | Annotated[FileShape, Tag("mapping")], Discriminator(text_or_mapping)
]


class PullRequestShape(StrictModel):
    """Every key without a default must be given; null means not known, and what is not known never merges.

    `rules`, `base_tip`, `base_checks` and `behind` are of the base; left out, it has no rules and no checks.
    """

    number: Number | None
    draft: Flag | None
    author: ActorShape | None
    pushers: list[Name] | None = []
    base: Name | None
    head: Name | None
    mergeable: Flag | None
    pushed_at: Time | None
    labels: list[LabelShape] | None
    checks: list[CheckShape] | None
    reviews: list[ReviewShape] | None
    unresolved_threads: Count | None
    linked_issues: list[LinkedIssueShape] | None
    files: list[FileOrPath] | None
    checks_total: Count | None = None
    changed_files: Count | None = None
    rules: RulesShape | None = RulesShape()
    base_tip: str = ""
    base_checks: list[CheckShape] | None = []
    behind: Count | None = None
    review_decision: Literal["", "approved", "review_required", "changes_requested"] = ""

    def fact(self) -> PullRequest:
        return PullRequest(
            number=self.number or _NO_NUMBER,
            draft=self.draft,
            author=actor(self.author),
            pushers=None if self.pushers is None else tuple(self.pushers),
            base=self.base,
            head=self.head,
            mergeable=self.mergeable,
            pushed_at=self.pushed_at,
            labels=None if self.labels is None else tuple(each.fact() for each in self.labels),
            checks=None if self.checks is None else tuple(each.fact() for each in self.checks),
            reviews=None if self.reviews is None else tuple(each.fact() for each in self.reviews),
            unresolved_threads=self.unresolved_threads,
            linked_issues=None
            if self.linked_issues is None
            else tuple(LinkedIssue(each.number, each.state) for each in self.linked_issues),
            files=None if self.files is None else tuple(_file(each) for each in self.files),
            checks_total=self.checks_total,
            changed_files=self.changed_files,
            rules=None if self.rules is None else self.rules.fact(),
            base_tip=self.base_tip,
            base_checks=None if self.base_checks is None else tuple(each.fact() for each in self.base_checks),
            behind=self.behind,
            review_decision=self.review_decision,
        )


class JudgeFile(StrictModel):
    """The input of `hive judge`."""

    now: Time | None = None
    policy: MergePolicyModel | None = None
    pull_request: PullRequestShape


class ObstacleAnswer(Answer):
    code: ObstacleCode
    subject: str
    because: str
    until: datetime | None


class JudgeAnswer(Answer):
    """The output of `hive judge`; `remarks` are shown and do not block."""

    verdict: MergeVerdict
    head: str | None
    obstacles: list[ObstacleAnswer]
    remarks: list[ObstacleAnswer]


def judge_document(
    data: bytes, source: str, *, now: datetime | None, clock: Callable[[], datetime]
) -> tuple[dict[str, Any], int]:
    """Judge the pull request in `data`; `now` is the caller's, `None` for the file's or the clock's.

    Returns the answer and the exit code: 0 for merge, 1 else. Raises `ConfigError` for bad input.
    """
    given = documents.read(data, source).parse(JudgeFile)
    policy = (given.policy or MergePolicyModel()).policy()
    at = moment_of_answer(now, given.now, clock)
    judgement = judge(given.pull_request.fact(), policy, at, others=_unnumbered(given.pull_request))
    answer = _answer(judgement).model_dump(mode="json")
    return answer, 0 if judgement.verdict == MergeVerdict.MERGE else 1


def _unnumbered(shape: PullRequestShape) -> Iterator[Obstacle]:
    if shape.number is None:
        because = "number is not known, and what is not known never merges"
        yield Obstacle(ObstacleCode.INCOMPLETE, "number", because)


def render_judgement(answer: dict[str, Any]) -> str:
    """The same facts for a person."""
    lines = [f"{answer['verdict']} {printable(answer['head'] or '(head not known)')}"]
    for mark, key in (("-", "obstacles"), ("i", "remarks")):
        for each in answer[key]:
            until = f" (until {each['until']})" if each["until"] else ""
            told = printable(f"{each['subject']}: {each['because']}")
            lines.append(f"  {mark} {each['code']}: {told}{until}")
    return "\n".join(lines)


def _answer(judgement: Judgement) -> JudgeAnswer:
    return JudgeAnswer(
        verdict=judgement.verdict,
        head=judgement.head,
        obstacles=[_told(each) for each in judgement.obstacles],
        remarks=[_told(each) for each in judgement.remarks],
    )


def _told(obstacle: Obstacle) -> ObstacleAnswer:
    return ObstacleAnswer(
        code=obstacle.code, subject=obstacle.subject, because=obstacle.because, until=obstacle.until
    )


def _file(shape: str | FileShape) -> ChangedFile:
    if isinstance(shape, str):
        return ChangedFile(shape)
    return ChangedFile(shape.path, shape.previous, shape.mode)
