"""Events about issues and pull requests: how they were triaged and judged, and what became of them."""

from __future__ import annotations

from hive.facts.recorded import NumberedEvent


class PullRequestOpened(NumberedEvent, tag="pull-request-opened", frozen=True, kw_only=True):
    """An agent opened it through hive. `head` is the commit that `held` is about."""

    agent: str
    head_ref: str
    head: str = ""
    held: bool
    issue: int | None = None
    task: str = ""
    reverts: int = 0
    """The pull request that it undoes, where hive opened it for that; else 0."""


class IssueTriaged(NumberedEvent, tag="issue-triaged", frozen=True, kw_only=True):
    """Recorded when the answer for an issue is new or has changed."""

    eligible: bool
    rank: int | None = None
    lane: str | None = None
    because: str


class PullRequestJudged(NumberedEvent, tag="pull-request-judged", frozen=True, kw_only=True):
    """Recorded when a pull request's verdict or its obstacles are new or have changed.

    `obstacles` are ``(code, subject, because)``.
    """

    head: str
    verdict: str
    obstacles: tuple[tuple[str, str, str], ...] = ()


class PullRequestEnded(NumberedEvent, tag="pull-request-ended", frozen=True, kw_only=True):
    """Seen merged or closed, by whomever; merged as `commit` into `base`."""

    state: str
    commit: str = ""
    base: str = ""
