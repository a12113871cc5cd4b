"""Reviews of pull requests."""

from hive.standins.github import issues
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository, Review

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
) -> Review:
    """A review, submitted at once; nobody approves or rejects their own, and a comment needs a text."""
    issue = forge.issue_of(pull)
    if event not in STATES:
        raise ApiFailure(
            422, f"Variable $event of type PullRequestReviewEvent was provided invalid value {event}"
        )
    if event != "COMMENT" and issue.author == actor.id:
        verb = "approve" if event == "APPROVE" else "request changes on"
        raise ApiFailure(422, f"Can not {verb} your own pull request")
    if event != "APPROVE" and not body.strip():
        raise ApiFailure(422, "Body is required")
    table = forge.store.reviews
    review = Review(
        id=table.next_id(),
        repo=repo.id,
        number=pull.number,
        author=actor.id,
        state=STATES[event],
        body=body,
        commit=commit or pull.head_sha,
        submitted_at=forge.clock.now(),
    )
    if actor.id in pull.reviewers:
        pull.reviewers.remove(actor.id)
        forge.store.pulls.put(pull)
    forge.touch(issue)
    forge.record(actor, "review.submit", issues.subject(repo, issue), review.state)
    return table.put(review)


def decision(forge: Forge, repo: Repository, pull: Pull) -> str | None:
    """GitHub's `reviewDecision` without branch protection: what each reviewer's newest ruling adds up to."""
    standing: dict[int, str] = {}
    for review in forge.store.reviews.of(repo.id, pull.number):
        if review.state != "COMMENTED":
            standing[review.author] = review.state
    if "CHANGES_REQUESTED" in standing.values():
        return "CHANGES_REQUESTED"
    return "APPROVED" if "APPROVED" in standing.values() else None
