"""Words on the forge that hive's account changed: what the forge lists as no event."""

from __future__ import annotations

from collections.abc import Iterator

from hive.facts.actors import Actor, same_login
from hive.facts.forge import Issue, RepositorySnapshot
from hive.facts.incidents import Act

_SHOWN = 80
"""Characters of the words as they are now."""


def edits(look: RepositorySnapshot, account: str) -> Iterator[Act]:
    """The last edit of each open issue's body and of each of its comments, where `account` made it.

    Whose words they are makes no difference: an administrator's token changes those of others as well.
    """
    for issue in look.issues:
        yield from _of(issue, account, look.repo)


def _of(issue: Issue, account: str, repo: str) -> Iterator[Act]:
    number = issue.number
    if issue.edited_at is not None and _is(issue.edited_by, account):
        key = f"edited:{number}:{issue.edited_at.isoformat()}"
        yield Act(key, "edited", repo, issue.edited_at, number, shown=issue.body[:_SHOWN])
    for comment in issue.comments:
        if comment.at is not None and comment.edited_at is not None and _is(comment.edited_by, account):
            key = f"comment_edited:{number}:{comment.at.isoformat()}:{comment.edited_at.isoformat()}"
            yield Act(key, "comment_edited", repo, comment.edited_at, number, shown=comment.body[:_SHOWN])


def _is(actor: Actor | None, account: str) -> bool:
    return actor is not None and same_login(actor.login, account)
