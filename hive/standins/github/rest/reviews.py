"""Reviews of pull requests."""

from typing import Any

from hive.standins.github import access, reviews, threads
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import Repository, Review
from hive.standins.github.rest.bodies import pulls as bodies
from hive.standins.github.rest.bodies import threads as line_bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes
from hive.standins.github.threads import Remark

_REVIEWS = "/repos/{owner}/{repo}/pulls/{number}/reviews"
_REVIEW = _REVIEWS + "/{review}"


@routes.add("GET", _REVIEWS)
def list_reviews(call: Call) -> Reply:
    """Every review, oldest first; what is not submitted is its author's to see."""
    repo = call.repo()
    found = call.forge.store.reviews.of(repo.id, call.pull(repo).number)
    shown = [each for each in found if each.state != "PENDING" or _is_own(call, each)]
    return paged(shown, lambda review: bodies.review(call.view, repo, review))


def _is_own(call: Call, review: Review) -> bool:
    return call.actor is not None and call.actor.id == review.author


def remark_of(given: dict[str, Any]) -> Remark:
    """A comment on lines as REST's body has it; `position` counts as a line, which GitHub phases out."""
    line = given.get("line") or given.get("position")
    return Remark(
        path=str(given.get("path") or ""),
        body=str(given.get("body") or ""),
        line=int(line) if line else None,
        side=str(given.get("side") or "RIGHT"),
        start=given.get("start_line"),
        whole_file=given.get("subject_type") == "file",
    )


@routes.add("POST", _REVIEWS)
def submit(call: Call) -> Reply:
    """Review; without an `event` it stays pending until its author submits it."""
    me, repo = call.me(), call.repo()
    pull, event = call.pull(repo), call.text("event")
    body, commit = call.text("body") or "", call.text("commit_id")
    remarks = [remark_of(each) for each in call.body.get("comments") or []]
    if event is not None and event != "PENDING":
        made = reviews.submit(
            call.forge, repo, pull, me, event=event, body=body, commit=commit, remarks=remarks
        )
    else:
        made = reviews.begin(call.forge, repo, pull, me, body=body, commit=commit)
        for remark in remarks:
            threads.open_thread(call.forge, repo, pull, made, remark)
    return Reply(bodies.review(call.view, repo, made))


def _review(call: Call, repo: Repository) -> Review:
    text = call.params["review"]
    review = call.forge.store.reviews.get(int(text)) if text.isascii() and text.isdigit() else None
    if review is None or (review.repo, review.number) != (repo.id, call.number()):
        raise not_found()
    if review.state == "PENDING" and not _is_own(call, review):
        raise not_found()
    return review


@routes.add("GET", _REVIEW)
def get(call: Call) -> Reply:
    """One review."""
    repo = call.repo()
    return Reply(bodies.review(call.view, repo, _review(call, repo)))


@routes.add("PUT", _REVIEW)
def edit(call: Call) -> Reply:
    """Change the text of one's own review."""
    repo = call.repo()
    review = _review(call, repo)
    if not _is_own(call, review):
        raise ApiFailure(403, "Must be the author of the review")
    review.body = call.needed("PullRequestReview", "body")
    call.forge.store.reviews.put(review)
    return Reply(bodies.review(call.view, repo, review))


@routes.add("DELETE", _REVIEW)
def delete(call: Call) -> Reply:
    """Throw away a review that was not submitted."""
    repo = call.repo()
    review = _review(call, repo)
    shown = bodies.review(call.view, repo, review)
    reviews.discard(call.forge, call.pull(repo), review)
    return Reply(shown)


@routes.add("POST", _REVIEW + "/events")
def finish(call: Call) -> Reply:
    """Submit a review that was begun."""
    me, repo = call.me(), call.repo()
    review, event = _review(call, repo), call.needed("PullRequestReview", "event")
    done = reviews.finish(call.forge, repo, call.pull(repo), review, me, event=event, body=call.text("body"))
    return Reply(bodies.review(call.view, repo, done))


@routes.add("GET", _REVIEW + "/comments")
def comments(call: Call) -> Reply:
    """What a review says about lines."""
    repo = call.repo()
    review = _review(call, repo)
    said = call.forge.store.line_comments.of(repo.id, review.number)
    shown = [comment for comment in said if comment.review == review.id]
    return paged(shown, lambda comment: line_bodies.of_review(call.view, repo, comment))


@routes.add("PUT", _REVIEW + "/dismissals")
def dismiss(call: Call) -> Reply:
    """Take a review's ruling away."""
    repo = call.repo("write")
    review = _review(call, repo)
    me = access.signed_in(call.actor)
    reviews.dismiss(call.forge, repo, call.pull(repo), review, me, call.text("message") or "")
    return Reply(bodies.review(call.view, repo, review))
