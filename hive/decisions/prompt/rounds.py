"""What a pull request needs into one prompt: failed checks, reviews, threads, its own words, its issue.

Logs and threads go before descriptions: what there is no room for is the least needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hive.decisions.prompt.assembled import assembled
from hive.decisions.prompt.build import take_issue
from hive.decisions.prompt.foreign import Foreign, Prompt, described, spelled
from hive.decisions.prompt.order import Part, TaskOrder
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.redaction import redact
from hive.decisions.triage.trust import approved_at
from hive.decisions.triage_policy import TriagePolicy
from hive.facts.actors import Actor
from hive.facts.forge import Issue, PullRequest
from hive.facts.pull_details import CheckFailure, ReviewText, ReviewThread, ThreadComment
from hive.facts.work import Task, TaskKind

_MAX_LOG = 16_384
"""Characters of one log, from its end: the cause stands near it."""
_MOST_COMMENTS = 30
"""Of one thread."""
_WORK = {
    TaskKind.FIX_CI: "mend the failed checks of pull request",
    TaskKind.ANSWER_REVIEW: "answer the reviews of pull request",
    TaskKind.REBASE: "rebase pull request",
    TaskKind.REVIEW: "review pull request",
}


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """What is known of the pull request.

    Attributes:
        issue: The one that it is for, where that was seen.
        threads: Those to be answered. `heard` says of a comment whether its author is trusted.
        reviews: Those that ask for changes, all of trusted reviewers.
        earlier: What agents said of it before.
    """

    pull: PullRequest
    issue: Issue | None = None
    failures: tuple[CheckFailure, ...] = ()
    threads: tuple[ReviewThread, ...] = ()
    reviews: tuple[ReviewText, ...] = ()
    heard: frozenset[int] = frozenset()
    earlier: tuple[ReviewText, ...] = ()


def build_round(
    task: Task,
    facts: RoundFacts,
    *,
    prompt_id: str,
    order: TaskOrder,
    policy: TriagePolicy,
    template: PromptTemplate,
) -> Prompt:
    """The prompt for a task on a pull request. Equal input gives equal bytes."""
    foreign = Foreign()
    _take(foreign, facts, policy)
    work, about = f"{_WORK[task.kind]} {task.issue}", _about(task, facts)
    part = Part.REVIEWER if task.kind is TaskKind.REVIEW else Part.OWNER
    return assembled(template, order, foreign, prompt_id, work, about, number=task.issue, part=part)


def _about(task: Task, facts: RoundFacts) -> Iterator[tuple[str, str]]:
    yield "kind", task.kind
    yield "pull", str(task.issue)
    if task.closes:
        yield "issue", str(task.closes)
    yield "head", task.head
    if task.kind is TaskKind.REVIEW:
        to = f"repos/{task.repo}/pulls/{task.issue}/reviews"
        yield "answer", f"gh api {to} -f event=COMMENT -f commit_id={task.head} -f body=TEXT"
    if facts.threads:
        firsts = [thread.comments[0].id for thread in facts.threads]
        yield "threads", ", ".join(f"{place} is comment {one}" for place, one in enumerate(firsts, start=1))
        to = f"repos/{task.repo}/pulls/{task.issue}/comments/COMMENT/replies"
        yield "answer", f"gh api {to} -f body=TEXT, with the thread's number for COMMENT"


def _take(foreign: Foreign, facts: RoundFacts, policy: TriagePolicy) -> None:
    for place, failure in enumerate(facts.failures, start=1):
        foreign.offer(f"failed check {place}", f"its runner, {failure.conclusion}", _log(failure))
    for place, review in enumerate(facts.reviews, start=1):
        foreign.offer(f"review {place}, for you", _said(review.by, review.at), review.body or "(no words)")
    for place, thread in enumerate(facts.threads, start=1):
        _take_thread(foreign, place, thread, facts.heard)
    for place, review in enumerate(facts.earlier, start=1):
        of = f" of {review.head[:12]}" if review.head else ""
        foreign.offer(f"earlier review {place}{of}", _said(review.by, review.at), redact(review.body))
    author = described(facts.pull.author)
    foreign.title("title", author, facts.pull.title)
    if facts.pull.body:
        foreign.offer("pull request's body", author, facts.pull.body)
    if facts.issue is not None:
        take_issue(foreign, facts.issue, policy, approved_at(facts.issue, policy), "issue's ")


def _log(failure: CheckFailure) -> str:
    """Names of checks and steps are words of whoever wrote the workflow: they stay within the fence."""
    head = [f"check: {failure.check}", *([f"step: {failure.step}"] if failure.step else [])]
    log = redact("\n".join(failure.lines))[-_MAX_LOG:]
    return redact("\n".join(head)) + "\n\n" + (log or "(there is no log)")


def _take_thread(foreign: Foreign, place: int, thread: ReviewThread, heard: frozenset[int]) -> None:
    where = f"{thread.path}:{thread.line}" if thread.line is not None else thread.path
    aged = " (these lines were changed since)" if thread.is_outdated else ""
    for comment in _newest(thread.comments):
        for_you = ", for you" if comment.id in heard else ""
        is_first = comment is thread.comments[0]
        text = f"{where}{aged}\n\n{comment.body}" if is_first else comment.body
        name = f"thread {place}, comment {comment.id}{for_you}"
        foreign.offer(name, _said(comment.by, comment.at), redact(text))


def _newest(comments: Sequence[ThreadComment]) -> Sequence[ThreadComment]:
    """The first, and the newest of the rest."""
    return comments if len(comments) <= _MOST_COMMENTS else (comments[0], *comments[1 - _MOST_COMMENTS :])


def _said(by: Actor | None, at: datetime | None) -> str:
    return described(by) + (f", {spelled(at)}" if at else "")
