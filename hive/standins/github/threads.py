"""Conversations about lines: opening, answering, resolving, and where their lines are after a push."""

import re
from dataclasses import dataclass

from hive.standins.github import diffs, pulls
from hive.standins.github.failures import ApiFailure, invalid, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import GitRepo
from hive.standins.github.records import Account, Pull, Repository, Review
from hive.standins.github.records_reviews import LineComment, Thread

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody says about lines: `line` is the last of them, `start` the first where there are more."""

    path: str
    body: str
    line: int | None = None
    side: str = "RIGHT"
    start: int | None = None
    whole_file: bool = False


def of_pull(forge: Forge, pull: Pull, viewer: Account | None = None) -> list[Thread]:
    """The threads of a pull request, oldest first, without those of others' unsubmitted reviews."""
    found = forge.store.threads.of(pull.repo, pull.number)
    return [thread for thread in found if comments_of(forge, thread, viewer)]


def unresolved(forge: Forge, pull: Pull) -> list[Thread]:
    """The threads that are still open."""
    return [thread for thread in of_pull(forge, pull) if thread.resolved_by is None]


def comments_of(forge: Forge, thread: Thread, viewer: Account | None = None) -> list[LineComment]:
    """What was said in a thread, oldest first; what is not submitted yet is its author's to see."""
    return [
        comment
        for comment in forge.store.line_comments.of(thread.repo, thread.number)
        if comment.thread == thread.id and seen(forge, comment, viewer)
    ]


def seen(forge: Forge, comment: LineComment, viewer: Account | None) -> bool:
    """Whether `viewer` may see a comment: its review is submitted, or their own."""
    review = forge.store.reviews.get(comment.review)
    pending = review is not None and review.state == "PENDING"
    return not pending or (viewer is not None and viewer.id == comment.author)


def thread_of(forge: Forge, comment: LineComment) -> Thread:
    """The thread that a comment is in."""
    thread = forge.store.threads.get(comment.thread)
    if thread is None:
        raise not_found()
    return thread


def open_thread(
    forge: Forge, repo: Repository, pull: Pull, review: Review, remark: Remark
) -> tuple[Thread, LineComment]:
    """A new thread with its first comment; 422 for lines that the pull request does not show."""
    if not remark.body.strip():
        raise invalid("PullRequestReviewComment", "body", "missing_field")
    hunk = "" if remark.whole_file else _hunk(forge, repo, pull, review.commit, remark)
    if remark.whole_file:
        _changed(forge, repo, pull, remark.path)
    table = forge.store.threads
    thread = Thread(
        id=table.next_id(),
        repo=repo.id,
        number=pull.number,
        path=remark.path,
        side=remark.side,
        commit=review.commit,
        original_line=remark.line,
        original_start=remark.start,
        line=remark.line,
        start=remark.start,
        hunk=hunk,
        whole_file=remark.whole_file,
    )
    table.put(thread)
    follow(forge, repo, pull, thread)
    return thread, _comment(forge, thread, review, remark.body)


def answer(forge: Forge, thread: Thread, review: Review, body: str) -> LineComment:
    """A further comment in a thread."""
    if not body.strip():
        raise invalid("PullRequestReviewComment", "body", "missing_field")
    first = comments_of(forge, thread)
    return _comment(forge, thread, review, body, reply_to=first[0].id if first else None)


def _comment(
    forge: Forge, thread: Thread, review: Review, body: str, reply_to: int | None = None
) -> LineComment:
    table, now = forge.store.line_comments, forge.clock.now()
    return table.put(
        LineComment(
            table.next_id(),
            thread.repo,
            thread.number,
            thread.id,
            review.id,
            review.author,
            body,
            now,
            now,
            reply_to=reply_to,
        )
    )


def resolve(forge: Forge, thread: Thread, actor: Account, resolved: bool) -> None:
    """Close a conversation, or open it again."""
    thread.resolved_by = actor.id if resolved else None
    forge.store.threads.put(thread)
    repo = forge.repo_of(thread.repo)
    pull = pulls.get(forge, repo, thread.number)
    forge.touch(forge.issue_of(pull))
    what = "thread.resolve" if resolved else "thread.unresolve"
    forge.record(actor, what, f"{repo.full_name}#{thread.number}", thread.path)


def remove(forge: Forge, comment: LineComment) -> None:
    """Take a comment away, and its thread with the last one."""
    thread = thread_of(forge, comment)
    forge.store.line_comments.remove(comment)
    if not any(each.thread == thread.id for each in forge.store.line_comments.of(thread.repo, thread.number)):
        forge.store.threads.remove(thread)


def head_moved(forge: Forge, repo: Repository, pull: Pull) -> None:
    """Find the lines of every thread on the new head; those that are gone make it outdated."""
    for thread in forge.store.threads.of(pull.repo, pull.number):
        follow(forge, repo, pull, thread)


def follow(forge: Forge, repo: Repository, pull: Pull, thread: Thread) -> None:
    """Find a thread's lines on the present head."""
    if thread.whole_file or thread.original_line is None or thread.side == "LEFT":
        return
    git = forge.git(repo)
    place = (git, thread.commit, pull.head_sha, thread.path)
    thread.line = line_after(*place, thread.original_line)
    thread.start = line_after(*place, thread.original_start) if thread.original_start else None
    forge.store.threads.put(thread)


def line_after(git: GitRepo, old: str, new: str, path: str, line: int) -> int | None:
    """Where a line of a file is after a change; None where it was changed or is gone."""
    if old == new:
        return line
    patch = git.run("diff", "--unified=0", "--no-ext-diff", "--find-renames", old, new, "--", path)
    shift = 0
    for text in patch.splitlines():
        match = _HUNK.match(text)
        if match is None:
            if text.startswith("deleted file"):
                return None
            continue
        start, removed = int(match[1]), int(match[2] or "1")
        added = int(match[4] or "1")
        if removed and start <= line < start + removed:
            return None
        if (start if removed else start + 1) <= line:
            shift += added - removed
    return line + shift


def _changed(forge: Forge, repo: Repository, pull: Pull, path: str) -> diffs.FileChange:
    git = forge.git(repo)
    for change in diffs.between(git, pulls.compared_with(forge, repo, pull), pull.head_sha):
        if change.path == path:
            return change
    raise invalid("PullRequestReviewComment", "path")


def _hunk(forge: Forge, repo: Repository, pull: Pull, commit: str, remark: Remark) -> str:
    """The part of the file's diff that ends with the line; 422 where the diff does not show it."""
    git = forge.git(repo)
    start = pulls.compared_with(forge, repo, pull)
    change = next((c for c in diffs.between(git, start, commit) if c.path == remark.path), None)
    if change is None:
        raise invalid("PullRequestReviewComment", "path")
    shown = _up_to(change.patch or "", remark.line or 0, remark.side)
    if shown is None:
        raise ApiFailure(
            422,
            "Validation Failed",
            {
                "resource": "PullRequestReviewComment",
                "field": "pull_request_review_thread.line",
                "code": "custom",
                "message": "pull_request_review_thread.line must be part of the diff",
            },
        )
    return shown


def _up_to(patch: str, line: int, side: str) -> str | None:
    """The hunk of a patch up to and with a line of one side."""
    shown: list[str] = []
    old = new = 0
    for text in patch.splitlines():
        match = _HUNK.match(text)
        if match:
            shown, old, new = [text], int(match[1]) - 1, int(match[3]) - 1
            continue
        shown.append(text)
        old += text[:1] in (" ", "-", "")
        new += text[:1] in (" ", "+", "")
        here = (new if text[:1] != "-" else None) if side == "RIGHT" else (old if text[:1] != "+" else None)
        if here == line:
            return "\n".join(shown)
    return None
