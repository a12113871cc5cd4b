"""`hive triage FILE [--prompt NUMBER]`: which issues become work, in which order, and as what prompt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from hive import documents
from hive.decisions.one_line import printable
from hive.decisions.prompt import MAX_CHARS, build
from hive.decisions.triage import TriageItem, TriagePolicy, approved_at, triage
from hive.documents import Document
from hive.documents.models import StrictModel
from hive.documents.values import Time
from hive.errors import ConfigError
from hive.facts.forge import Comment, Issue, PullRequestRef
from hive.facts.work import TaskKind
from hive.settings.policies import TriagePolicyModel
from hive.settings.prompts import load_prompts
from hive.surfaces.shapes import ActorShape, Answer, LabelShape, Number, actor


class CommentShape(StrictModel):
    by: ActorShape | None = None
    at: Time | None = None
    edited_at: Time | None = None
    body: str | None = None

    def fact(self) -> Comment:
        return Comment(actor(self.by), self.at, self.body or "", self.edited_at)


class PullRequestRefShape(StrictModel):
    number: Number
    state: Literal["open", "closed", "merged"]
    by: ActorShape | None = None

    def fact(self) -> PullRequestRef:
        return PullRequestRef(self.number, self.state, actor(self.by))


class IssueShape(StrictModel):
    """An open issue. `hive triage` needs its number, `hive demo` gives one where it has none."""

    number: Number | None = None
    title: str | None = None
    body: str | None = None
    author: ActorShape | None = None
    created_at: Time | None = None
    title_edited_at: Time | None = None
    edited_at: Time | None = None
    title_edited_by: ActorShape | None = None
    edited_by: ActorShape | None = None
    labels: list[LabelShape] = []
    comments: list[CommentShape] = []
    assignees: list[ActorShape | None] = []
    blocked_by: list[Number] = []
    pull_requests: list[PullRequestRefShape] = []

    def fact(self, number: int) -> Issue:
        return Issue(
            number=number,
            title=self.title or "",
            body=self.body or "",
            author=actor(self.author),
            created_at=self.created_at,
            title_edited_at=self.title_edited_at,
            edited_at=self.edited_at,
            title_edited_by=actor(self.title_edited_by),
            edited_by=actor(self.edited_by),
            labels=tuple(each.fact() for each in self.labels),
            comments=tuple(each.fact() for each in self.comments),
            assignees=tuple(each.fact() for each in self.assignees if each),
            blocked_by=tuple(self.blocked_by),
            pull_requests=tuple(each.fact() for each in self.pull_requests),
        )


class TriageFile(StrictModel):
    """The input of `hive triage`, and of `hive demo --issues`."""

    now: Time | None = None
    policy: TriagePolicyModel | None = None
    issues: list[IssueShape]


class ItemAnswer(Answer):
    number: int
    eligible: bool
    rank: int | None
    lane: str | None
    because: str


class TriageAnswer(Answer):
    """The output of `hive triage`: eligible issues in order, then the others by number."""

    items: list[ItemAnswer]


class StrippedAnswer(Answer):
    where: str
    what: str
    count: int


class PromptAnswer(Answer):
    """The output of `hive triage --prompt NUMBER --json`."""

    number: int
    eligible: bool
    prompt: str
    stripped: list[StrippedAnswer]


@dataclass(frozen=True, slots=True)
class PromptOutcome:
    """What `hive triage --prompt` says.

    Attributes:
        document: For stdout; `None` where nothing may stand there.
        exit_code: 0, or 1 for an issue that is not eligible.
        because: Why it is or is not eligible, for stderr.
    """

    document: dict[str, Any] | None
    exit_code: int
    because: str


def triage_document(data: bytes, source: str) -> tuple[dict[str, Any], int]:
    """Triage the issues in `data`. A list exits 0. Raises `ConfigError` for bad input."""
    policy, issues = _read(data, source)
    items = [_item(each) for each in triage(issues, policy)]
    return TriageAnswer(items=items).model_dump(mode="json"), 0


def triage_prompt(data: bytes, source: str, number: int, *, max_chars: int = MAX_CHARS) -> PromptOutcome:
    """The prompt that an agent would get for issue `number`.

    Raises `ConfigError` for bad input and for an issue that is not there.
    """
    if max_chars < 1:
        raise ConfigError(f"--max-chars {max_chars} leaves no room; write 1 or more")
    policy, issues = _read(data, source)
    issue = next((each for each in issues if each.number == number), None)
    if issue is None:
        raise ConfigError(f"there is no issue {number} in it", source=source)
    item = next(each for each in triage(issues, policy) if each.number == number)
    if not item.eligible:
        return PromptOutcome(None, 1, item.because)
    prompt = build(
        issue,
        prompt_id=f"triage/{number}",
        approved_at=approved_at(issue, policy),
        policy=policy,
        template=load_prompts()[TaskKind.ISSUE],
        max_chars=max_chars,
    )
    stripped = [
        StrippedAnswer(where=each.where, what=each.what, count=each.count) for each in prompt.stripped
    ]
    answer = PromptAnswer(number=number, eligible=True, prompt=prompt.text, stripped=stripped)
    return PromptOutcome(answer.model_dump(mode="json"), 0, item.because)


def read_issues(data: bytes, source: str) -> tuple[Issue, ...]:
    """The issues of a triage file, of which some may have no number: they get the free ones, from 1.

    Raises `ConfigError` for bad input.
    """
    document = documents.read(data, source)
    return _issues(document, document.parse(TriageFile).issues)


def render_triage(answer: dict[str, Any]) -> str:
    """The same facts for a person."""
    lines = [f"{each['rank'] or '-':>4}  #{each['number']}  {_told(each)}" for each in answer["items"]]
    return "\n".join(lines) or "no issues"


def _told(item: dict[str, Any]) -> str:
    return printable(f"{item['lane'] or '-'}  {item['because']}")


def render_prompt(answer: dict[str, Any]) -> str:
    """The prompt alone, as an agent would get it."""
    return str(answer["prompt"])


def _read(data: bytes, source: str) -> tuple[TriagePolicy, tuple[Issue, ...]]:
    document = documents.read(data, source)
    given = document.parse(TriageFile)
    for index, issue in enumerate(given.issues):
        if issue.number is None:
            raise document.error(f"the key 'number' is missing in issues[{index}]", ("issues", index))
    return (given.policy or TriagePolicyModel()).policy(), _issues(document, given.issues)


def _issues(document: Document, shapes: list[IssueShape]) -> tuple[Issue, ...]:
    taken: set[int] = set()
    for index, shape in enumerate(shapes):
        if shape.number in taken:
            raise document.error(f"issue {shape.number} is there twice", ("issues", index, "number"))
        if shape.number is not None:
            taken.add(shape.number)
    free = _free_numbers(taken)
    return tuple(shape.fact(shape.number or next(free)) for shape in shapes)


def _free_numbers(taken: set[int]) -> Iterator[int]:
    number = 0
    while True:
        number += 1
        if number not in taken:
            yield number


def _item(item: TriageItem) -> ItemAnswer:
    return ItemAnswer(
        number=item.number, eligible=item.eligible, rank=item.rank, lane=item.lane, because=item.because
    )
