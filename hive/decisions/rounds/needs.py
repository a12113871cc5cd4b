"""What a pull request needs of its agent, out of one look at it.

Each need is spelled by its items: the same items are the same need, and after a try at it hive waits before
it gives the same again. A new head, another comment or another base make other items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hive.decisions.merge_gate.bases import broken
from hive.decisions.merge_gate.checks import newest
from hive.decisions.merge_gate.conclusions import COMPLETED
from hive.decisions.merging import red_now
from hive.decisions.peers import CHANGES, agent_behind, may_review, peer_reviews, review_key
from hive.decisions.policy import Policy
from hive.decisions.triage.trust import is_trusted
from hive.facts.actors import Actor, name_of, same_login
from hive.facts.forge import Check, PullRequest, RepositorySnapshot
from hive.facts.memory import Memory, PullMemory
from hive.facts.pull_details import DetailsWanted, PullDetails, ReviewText, ReviewThread, ThreadComment
from hive.facts.work import TaskKind

_MOST_FAILURES = 5
"""Logs read of one head: an agent mends the first causes first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Attributes:
    items: See the module; the head is the first where the need is about it.
    because: For a person.
    """

    kind: TaskKind
    items: tuple[str, ...]
    because: str


def wanted(pull: PullRequest, look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[Wanted]:
    """Everything that `pull` needs of its agent now, the most urgent first."""
    known = memory.pulls.get(f"{look.repo}#{pull.number}")
    if (
        known is None
        or known.state != "open"
        or pull.state != "open"
        or not pull.head
        or pull.queued
        or known.left
    ):
        return
    if pull.mergeable is False:
        items = (pull.head, pull.base_tip or str(pull.base))
        yield Wanted(TaskKind.REBASE, items, f"it conflicts with {pull.base}")
    yield from _fix(pull, look.repo, policy)
    details = look.details.get(pull.number)
    if details is not None and details.is_whole:
        yield from _answer(pull, known, details, policy)


def _fix(pull: PullRequest, repo: str, policy: Policy) -> Iterator[Wanted]:
    """Checks that failed on this head and not on its base, once all have reported."""
    failed = failed_checks(pull, repo, policy)
    runs = newest(run for run in pull.checks or () if run.head == pull.head)
    if not failed or any(run.status != COMPLETED for run in runs):
        return
    names = sorted({run.name for run in failed})
    told = ", ".join(names)
    yield Wanted(
        TaskKind.FIX_CI, (str(pull.head), *names), f"{told} failed on {str(pull.head)[:12]}, not on its base"
    )


def failed_checks(pull: PullRequest, repo: str, policy: Policy) -> tuple[Check, ...]:
    """Newest runs on the head that failed, of those that count, and that do not fail on the base as well."""
    runs = broken(pull.checks or (), str(pull.head), pull.rules, policy.merge[repo])
    red = red_now(pull, repo, policy)
    return tuple(run for run in runs if run.name not in red)


def _answer(pull: PullRequest, known: PullMemory, details: PullDetails, policy: Policy) -> Iterator[Wanted]:
    threads = open_threads(known, details, policy)
    reviews = open_reviews(pull, known, details, policy)
    items = (*map(_thread_key, threads), *map(review_key, reviews))
    if not items:
        return
    parts = []
    if reviews:
        names = dict.fromkeys(agent_behind(one.by, one.body, policy) or name_of(one.by) for one in reviews)
        parts.append(", ".join(names) + " requested changes")
    if threads:
        count = len(threads)
        parts.append(f"{count} review thread{'s wait' if count > 1 else ' waits'} for an answer")
    yield Wanted(TaskKind.ANSWER_REVIEW, items, " and ".join(parts))


def open_threads(known: PullMemory, details: PullDetails, policy: Policy) -> list[ReviewThread]:
    """Threads that nobody resolved, in which a person or another agent whose word counts spoke and hive's
    account did not speak last for its agent. Who is not trusted neither opens one for the agent nor closes
    it."""
    found = []
    for thread in details.threads:
        heard = [one for one in thread.comments if speaks(one.by, policy) or _is_hive(one.by, policy)]
        if not thread.is_resolved and heard and is_for_agent(heard[-1], known, policy):
            found.append(thread)
    return found


def is_for_agent(comment: ThreadComment, known: PullMemory, policy: Policy) -> bool:
    """Whether it is the word of a trusted person, or of another agent that reviews."""
    return speaks(comment.by, policy) or may_review(
        agent_behind(comment.by, comment.body, policy), known, policy
    )


def open_reviews(
    pull: PullRequest, known: PullMemory, details: PullDetails, policy: Policy
) -> list[ReviewText]:
    """Each trusted reviewer's newest word, where it asks for changes, is of this head and not dealt with."""
    newest_of: dict[str, ReviewText] = {}
    for review in details.reviews:
        if speaks(review.by, policy) and review.state in ("approved", "changes_requested", "dismissed"):
            newest_of[name_of(review.by).casefold()] = review
    for review, said in peer_reviews(known, details, policy):
        told = replace(review, state="changes_requested" if said.verdict == CHANGES else "approved")
        newest_of[f"agent {said.agent}"] = told
    return [
        review
        for review in newest_of.values()
        if review.state == "changes_requested"
        and review.head == pull.head
        and review_key(review) not in known.answered
    ]


def speaks(by: Actor | None, policy: Policy) -> bool:
    """Whether a reviewer's word counts as an instruction."""
    return is_trusted(by, policy.triage) and not _is_hive(by, policy)


def _is_hive(by: Actor | None, policy: Policy) -> bool:
    return by is not None and same_login(by.login, policy.account)


def _thread_key(thread: ReviewThread) -> str:
    return f"comment {thread.comments[-1].id}"


def details_wanted(look: RepositorySnapshot, memory: Memory, policy: Policy) -> tuple[DetailsWanted, ...]:
    """Of which pull requests a look has to read more: those with failed checks, reviews or open threads."""
    found = []
    for pull in look.pull_requests:
        known = memory.pulls.get(f"{look.repo}#{pull.number}")
        if known is None or known.state != "open" or not pull.head or look.repo not in policy.merge:
            continue
        failed = [run for run in failed_checks(pull, look.repo, policy) if run.source == "check"]
        talks = bool(pull.unresolved_threads) or any(
            review.state == "changes_requested" for review in pull.reviews or ()
        )
        talks = talks or (policy.rounds.has_reviews and TaskKind.REVIEW in known.rounds)
        if failed or talks:
            numbers = tuple(run.id for run in failed[:_MOST_FAILURES])
            found.append(DetailsWanted(pull.number, pull.head, numbers, talks))
    return tuple(found)
