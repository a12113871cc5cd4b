"""Repositories full of open issues and pull requests, as a look has them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from hive.facts.activity import Activity
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.events import PullRequestOpened
from hive.facts.forge import (
    ChangedFile,
    Check,
    Comment,
    Issue,
    Label,
    LinkedIssue,
    PullRequest,
    RepositorySnapshot,
    Review,
)
from hive.facts.incidents import Act

ACCOUNT = "hive-bot"
AGENTS = tuple(f"quality-{number}" for number in range(60))
_PULLS = 5
"""One open item of so many is a pull request, and every second of those an agent's."""
_HIVE = Actor(ACCOUNT, ActorKind.AGENT)
_LABELS = ("bug", "docs", "good first issue", "hold")


def repo_name(number: int) -> str:
    return f"acme/tool-{number}"


def look_at(repo: str, items: int, now: datetime, *, turn: int = 0, changed: int = 0) -> RepositorySnapshot:
    """A look with nothing in common with the one before: one item of `changed` is another by each turn."""
    numbers = range(1, items + 1)
    news = {number for number in numbers if changed and number % changed == turn % changed}
    return RepositorySnapshot(
        repo=repo,
        default_branch="main",
        issues=tuple(_issue(repo, one, now, one in news) for one in numbers if one % _PULLS),
        pull_requests=tuple(_pull(repo, one, now, one in news) for one in numbers if not one % _PULLS),
        activity=Activity(tuple(_acts(repo, items, now))),
    )


def opened(look: RepositorySnapshot) -> Iterator[PullRequestOpened]:
    """How the journal knows the agents' pull requests."""
    for pull in look.pull_requests:
        if pull.author == _HIVE:
            agent = pull.head_ref.split("/")[1]
            yield PullRequestOpened(
                repo=look.repo,
                number=pull.number,
                agent=agent,
                head_ref=pull.head_ref,
                head=pull.head or "",
                held=False,
                issue=pull.number + 1,
            )


def _issue(repo: str, number: int, now: datetime, is_news: bool) -> Issue:
    author = Actor(f"person-{number % 40}", ActorKind.PERSON, Association.MEMBER)
    labels = (_LABELS[number % 3],) if not is_news else (_LABELS[number % 3], "hold")
    return Issue(
        number=number,
        title=f"Crash number {number} when the cache is cold",
        body=f"It crashes in step {number}.\n" + "A trace line of some length, as people paste them.\n" * 12,
        repo=repo,
        author=author,
        created_at=now - timedelta(hours=number),
        labels=tuple(Label(name, author, now) for name in labels),
        comments=tuple(
            Comment(author, now - timedelta(minutes=place), f"I see it too, comment {place} of {number}.")
            for place in range(2)
        ),
    )


def _pull(repo: str, number: int, now: datetime, is_news: bool) -> PullRequest:
    head = f"{number:08x}{'ab' if is_news else 'cd'}" * 4
    is_ours = number % (2 * _PULLS) == 0
    agent = AGENTS[number % len(AGENTS)]
    author = _HIVE if is_ours else Actor(f"person-{number % 40}", ActorKind.PERSON, Association.MEMBER)
    return PullRequest(
        number=number,
        draft=False,
        author=author,
        pushers=(author.login,),
        base="main",
        head=head,
        mergeable=True,
        pushed_at=now - timedelta(hours=2),
        labels=(),
        checks=tuple(_check(number, place, head, is_news) for place in range(4)),
        reviews=(Review(_HIVE, "commented", head, now - timedelta(hours=1)),),
        unresolved_threads=0,
        linked_issues=(LinkedIssue(number + 1, "open"),),
        files=tuple(ChangedFile(f"src/part_{place}/module_{number}.py") for place in range(5)),
        repo=repo,
        title=f"Mend crash {number}",
        body=f"Closes #{number + 1}\n" + "What was done and why, in a line of some length.\n" * 8,
        head_ref=f"hive/{agent}/{number}-crash" if is_ours else f"fix-{number}",
        head_repo=repo,
    )


def _check(number: int, place: int, head: str, is_news: bool) -> Check:
    conclusion = "failure" if is_news or place == number % 9 else "success"
    return Check(number * 10 + place, f"build-{place}", "check", head, "completed", conclusion)


def _acts(repo: str, items: int, now: datetime) -> Iterator[Act]:
    for number in range(2 * _PULLS, items + 1, 2 * _PULLS):
        at = now - timedelta(days=2)
        yield Act(f"pull:{number}", "pull", repo, at, number, shown=f"Mend crash {number}")
