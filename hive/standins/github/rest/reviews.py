"""Reviews of pull requests."""

from hive.standins.github import access, reviews
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import Repository, Review
from hive.standins.github.rest.bodies import pulls as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_REVIEWS = "/repos/{owner}/{repo}/pulls/{number}/reviews"


@routes.add("GET", _REVIEWS)
def list_reviews(call: Call) -> Reply:
    """Every review, oldest first."""
    repo = call.repo()
    found = call.forge.store.reviews.of(repo.id, call.pull(repo).number)
    return paged(found, lambda review: bodies.review(call.view, repo, review))


@routes.add("POST", _REVIEWS)
def submit(call: Call) -> Reply:
    """Review; without an `event` GitHub would keep it as pending, which the stand-in does not."""
    me, repo = call.me(), call.repo()
    event = call.text("event")
    if event is None:
        raise ApiFailure(422, "the stand-in keeps no pending reviews: say `event`")
    body, commit = call.text("body") or "", call.text("commit_id")
    review = reviews.submit(call.forge, repo, call.pull(repo), me, event=event, body=body, commit=commit)
    return Reply(bodies.review(call.view, repo, review))


def _review(call: Call, repo: Repository) -> Review:
    text = call.params["review"]
    review = call.forge.store.reviews.get(int(text)) if text.isascii() and text.isdigit() else None
    if review is None or (review.repo, review.number) != (repo.id, call.number()):
        raise not_found()
    return review


@routes.add("GET", _REVIEWS + "/{review}")
def get(call: Call) -> Reply:
    """One review."""
    repo = call.repo()
    return Reply(bodies.review(call.view, repo, _review(call, repo)))


@routes.add("PUT", _REVIEWS + "/{review}/dismissals")
def dismiss(call: Call) -> Reply:
    """Take a review's ruling away."""
    repo = call.repo("write")
    review = _review(call, repo)
    access.signed_in(call.actor)
    review.state = "DISMISSED"
    call.forge.store.reviews.put(review)
    call.forge.record(
        call.me(), "review.dismiss", f"{repo.full_name}#{review.number}", call.text("message") or ""
    )
    return Reply(bodies.review(call.view, repo, review))
