"""Comments on lines."""

from hive.standins.github import nodeids, threads
from hive.standins.github.records import Repository
from hive.standins.github.records_reviews import LineComment
from hive.standins.github.rest.bodies import issues, people
from hive.standins.github.rest.call import Json, View


def comment(view: View, repo: Repository, shown: LineComment) -> Json:
    """`pull-request-review-comment`."""
    thread, pull = threads.thread_of(view.forge, shown), view.forge.pull(repo, shown.number)
    assert pull is not None
    url = view.urls.repo(repo.full_name, "pulls", "comments", shown.id)
    parent = view.urls.repo(repo.full_name, "pulls", shown.number)
    page = f"{view.urls.page(repo.full_name, 'pull', shown.number)}#discussion_r{shown.id}"
    body = {
        "url": url,
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "pull_request_review_id": shown.review,
        "diff_hunk": thread.hunk,
        "path": thread.path,
        "position": thread.line,
        "original_position": thread.original_line or 1,
        "commit_id": thread.commit if thread.outdated else pull.head_sha,
        "original_commit_id": thread.commit,
        "user": people.of(view, shown.author),
        "body": shown.body,
        "created_at": shown.created_at,
        "updated_at": shown.updated_at,
        "html_url": page,
        "pull_request_url": parent,
        "author_association": issues.association(view, repo, shown.author, None),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": parent}},
        "reactions": issues.reactions(url),
        "start_line": thread.start,
        "original_start_line": thread.original_start,
        "start_side": thread.side if thread.original_start else None,
        "line": thread.line,
        "original_line": thread.original_line,
        "side": thread.side,
        "subject_type": "file" if thread.whole_file else "line",
    }
    if shown.reply_to is not None:
        body["in_reply_to_id"] = shown.reply_to
    # GitHub leaves out what has no number, where its description knows no null.
    return {name: value for name, value in body.items() if value is not None or name in _NULLABLE}


_NULLABLE = ("start_line", "original_start_line", "start_side", "pull_request_review_id")


def of_review(view: View, repo: Repository, shown: LineComment) -> Json:
    """`review-comment`: as a part of its review."""
    body = comment(view, repo, shown)
    return {name: value for name, value in body.items() if name != "subject_type"}
