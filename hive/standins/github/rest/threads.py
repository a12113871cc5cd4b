"""Comments on lines of a pull request; REST knows them one by one, without their threads' state."""

from hive.standins.github import reviews, threads
from hive.standins.github.failures import not_found
from hive.standins.github.records import Repository
from hive.standins.github.records_reviews import LineComment
from hive.standins.github.rest.bodies import threads as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.reviews import remark_of
from hive.standins.github.rest.routing import routes

_PULLS = "/repos/{owner}/{repo}/pulls"
_OF_PULL = _PULLS + "/{number}/comments"


def _shown(call: Call, repo: Repository, found: list[LineComment]) -> Reply:
    since, down = call.query.get("since", ""), call.query.get("direction", "asc") == "desc"
    key = "updated_at" if call.query.get("sort") == "updated" else "created_at"
    chosen = [
        each for each in found if each.updated_at >= since and threads.seen(call.forge, each, call.actor)
    ]
    chosen.sort(key=lambda each: (getattr(each, key), each.id), reverse=down)
    return paged(chosen, lambda each: bodies.comment(call.view, repo, each))


@routes.add("GET", _PULLS + "/comments")
def of_repository(call: Call) -> Reply:
    """Every comment on lines of a repository."""
    repo = call.repo()
    return _shown(call, repo, [each for each in call.forge.store.line_comments if each.repo == repo.id])


@routes.add("GET", _OF_PULL)
def of_pull(call: Call) -> Reply:
    """The comments on lines of one pull request."""
    repo = call.repo()
    return _shown(call, repo, call.forge.store.line_comments.of(repo.id, call.pull(repo).number))


@routes.add("POST", _OF_PULL)
def create(call: Call) -> Reply:
    """Say something about lines, or answer with `in_reply_to`."""
    me, repo = call.me(), call.repo()
    pull = call.pull(repo)
    if call.body.get("in_reply_to"):
        return _answer(call, repo, int(call.body["in_reply_to"]))
    remark = remark_of(call.body)
    review = reviews.remark_alone(call.forge, repo, pull, me, remark, call.text("commit_id"))
    return _newest(call, repo, review.id)


@routes.add("POST", _OF_PULL + "/{comment}/replies")
def reply(call: Call) -> Reply:
    """Answer in a thread."""
    repo = call.repo()
    call.pull(repo)
    return _answer(call, repo, _comment(call, repo).id)


def _answer(call: Call, repo: Repository, to: int) -> Reply:
    found = call.forge.store.line_comments.get(to)
    if found is None or found.repo != repo.id:
        raise not_found()
    thread = threads.thread_of(call.forge, found)
    said = call.needed("PullRequestReviewComment", "body")
    review = reviews.reply(call.forge, repo, call.pull(repo), call.me(), thread, said)
    return _newest(call, repo, review.id)


def _newest(call: Call, repo: Repository, review: int) -> Reply:
    said = call.forge.store.line_comments.of(repo.id, call.number())
    made = [comment for comment in said if comment.review == review][-1]
    return Reply(bodies.comment(call.view, repo, made), 201)


def _comment(call: Call, repo: Repository) -> LineComment:
    text = call.params["comment"]
    found = call.forge.store.line_comments.get(int(text)) if text.isascii() and text.isdigit() else None
    if found is None or found.repo != repo.id or not threads.seen(call.forge, found, call.actor):
        raise not_found()
    return found


@routes.add("GET", _PULLS + "/comments/{comment}")
def get(call: Call) -> Reply:
    """One comment."""
    repo = call.repo()
    return Reply(bodies.comment(call.view, repo, _comment(call, repo)))


@routes.add("PATCH", _PULLS + "/comments/{comment}")
def edit(call: Call) -> Reply:
    """Change a comment: its author, or who may write."""
    repo = call.repo()
    found = _comment(call, repo)
    call.own(repo, found.author)
    found.body = call.needed("PullRequestReviewComment", "body")
    found.updated_at = found.edited_at = call.forge.clock.now()
    call.forge.store.line_comments.put(found)
    return Reply(bodies.comment(call.view, repo, found))


@routes.add("DELETE", _PULLS + "/comments/{comment}")
def delete(call: Call) -> Reply:
    """Remove a comment."""
    repo = call.repo()
    found = _comment(call, repo)
    call.own(repo, found.author)
    threads.remove(call.forge, found)
    return Reply(status=204)
