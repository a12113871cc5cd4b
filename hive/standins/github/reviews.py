"""Reviews of pull requests: begun, submitted, dismissed, and asked for."""

from hive.standins.github import issues, threads
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository, Review
from hive.standins.github.records_reviews import Thread
from hive.standins.github.threads import Remark

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def submit(
    forge: Forge,
    repo: Repository,
    pull: Pull,
    actor: Account,
    *,
    event: str,
    body: str,
    commit: str | None = None,
    remarks: list[Remark] | None = None,
) -> Review:
    """A review, submitted at once with what it says about lines."""
    _may_submit(forge, pull, actor, event, body or (remarks or [Remark("", "")])[0].body)
    review = begin(forge, repo, pull, actor, body=body, commit=commit)
    for remark in remarks or []:
        threads.open_thread(forge, repo, pull, review, remark)
    return _submitted(forge, repo, pull, actor, review, STATES[event])


def begin(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, *, body: str = "", commit: str | None = None
) -> Review:
    """A review that nobody else sees until it is submitted; one at a time for each reviewer."""
    if pending_of(forge, pull, actor) is not None:
        raise ApiFailure(422, "User can only have one pending review per pull request")
    table = forge.store.reviews
    return table.put(
        Review(
            id=table.next_id(),
            repo=repo.id,
            number=pull.number,
            author=actor.id,
            state="PENDING",
            body=body,
            commit=commit or pull.head_sha,
            submitted_at="",
        )
    )


def pending_of(forge: Forge, pull: Pull, actor: Account) -> Review | None:
    """The review that somebody has begun."""
    found = forge.store.reviews.of(pull.repo, pull.number)
    return next((each for each in found if each.author == actor.id and each.state == "PENDING"), None)


def finish(
    forge: Forge,
    repo: Repository,
    pull: Pull,
    review: Review,
    actor: Account,
    *,
    event: str,
    body: str | None,
) -> Review:
    """Submit what was begun."""
    if review.state != "PENDING" or review.author != actor.id:
        raise ApiFailure(422, "Could not submit a review that is not pending.")
    said = any(each.review == review.id for each in forge.store.line_comments.of(repo.id, pull.number))
    _may_submit(forge, pull, actor, event, body or review.body or ("said" if said else ""))
    review.body = body if body is not None else review.body
    return _submitted(forge, repo, pull, actor, review, STATES[event])


def discard(forge: Forge, pull: Pull, review: Review) -> None:
    """Throw away a review that was not submitted."""
    if review.state != "PENDING":
        raise ApiFailure(422, "Can not delete a non-pending pull request review")
    for comment in forge.store.line_comments.of(pull.repo, pull.number):
        if comment.review == review.id:
            threads.remove(forge, comment)
    forge.store.reviews.remove(review)


def remark_alone(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, remark: Remark, commit: str | None = None
) -> Review:
    """A comment on lines outside of any review, which GitHub makes a review of its own for."""
    return submit(forge, repo, pull, actor, event="COMMENT", body="", commit=commit, remarks=[remark])


def reply(forge: Forge, repo: Repository, pull: Pull, actor: Account, thread: Thread, body: str) -> Review:
    """An answer in a thread: in the review that its author has begun, else in one of its own."""
    begun = pending_of(forge, pull, actor)
    review = begun or begin(forge, repo, pull, actor)
    threads.answer(forge, thread, review, body)
    return begun or _submitted(forge, repo, pull, actor, review, "COMMENTED")


def _may_submit(forge: Forge, pull: Pull, actor: Account, event: str, said: str) -> None:
    """Nobody approves or rejects their own, and what is no approval needs a text."""
    if event not in STATES:
        raise ApiFailure(
            422, f"Variable $event of type PullRequestReviewEvent was provided invalid value {event}"
        )
    if event != "COMMENT" and forge.issue_of(pull).author == actor.id:
        verb = "approve" if event == "APPROVE" else "request changes on"
        raise ApiFailure(422, f"Can not {verb} your own pull request")
    if event != "APPROVE" and not said.strip():
        raise ApiFailure(422, "Body is required")


def _submitted(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, review: Review, state: str
) -> Review:
    review.state, review.submitted_at = state, forge.clock.now()
    forge.store.reviews.put(review)
    if actor.id in pull.reviewers:
        pull.reviewers.remove(actor.id)
    if state != "COMMENTED":
        pull.teams = [number for number in pull.teams if not _is_member(forge, number, actor)]
    forge.store.pulls.put(pull)
    issue = forge.issue_of(pull)
    forge.touch(issue)
    forge.record(actor, "review.submit", issues.subject(repo, issue), review.state)
    return review


def _is_member(forge: Forge, number: int, actor: Account) -> bool:
    team = forge.store.teams.get(number)
    return team is not None and actor.id in team.members


def dismiss(forge: Forge, repo: Repository, pull: Pull, review: Review, actor: Account, message: str) -> None:
    """Take a review's ruling away."""
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise ApiFailure(422, "Can not dismiss a review that is not approving or requesting changes")
    before, review.state = review.state, "DISMISSED"
    forge.store.reviews.put(review)
    issue = forge.issue_of(pull)
    forge.event(
        issue, "review_dismissed", actor.id, review=str(review.id), state=before.lower(), message=message
    )
    forge.record(actor, "review.dismiss", issues.subject(repo, issue), message)


def head_moved(forge: Forge, repo: Repository, pull: Pull, actor: Account) -> None:
    """Approvals of an older head go where the rules on the base say so."""
    for review in forge.store.reviews.of(repo.id, pull.number):
        if review.state == "APPROVED" and review.commit != pull.head_sha:
            dismiss(forge, repo, pull, review, actor, "")
