"""Whether the rules on a branch let a pull request be merged, or a push in; refusals in GitHub's words."""

from dataclasses import dataclass

from hive.standins.github import access, checks, codeowners, rules, threads
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Pull, Repository, Review, Status
from hive.standins.github.rules import Context, Requirements
from hive.standins.github.settling import base_tip

_NAMES = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason against a merge; `kind` is `checks`, `reviews`, `threads`, `behind`, `method`, `queue`…"""

    kind: str
    message: str


def obstacles(
    forge: Forge, repo: Repository, pull: Pull, actor: Account | None = None, method: str | None = None
) -> list[Obstacle]:
    """Everything that the rules on the base have against a merge by `actor`; empty where it may be merged."""
    required = rules.requirements(forge, repo, pull.base, actor)
    found = _reviews(forge, repo, pull, required)
    found += [Obstacle("checks", said) for said in missing_checks(forge, repo, pull.head_sha, required)]
    if required.threads and threads.unresolved(forge, pull):
        found.append(Obstacle("threads", "A conversation must be resolved before this can be merged."))
    if required.strict and not forge.git(repo).is_ancestor(base_tip(forge, pull), pull.head_sha):
        found.append(Obstacle("behind", "Head branch is out of date. Review and try the merge again."))
    if required.locked:
        found.append(Obstacle("locked", "This branch is locked: nothing can be changed on it."))
    return found + (_method(repo, required, method) if method else [])


def _method(repo: Repository, required: Requirements, method: str) -> list[Obstacle]:
    allowed = {name for name in required.methods if name in repo.merge_methods}
    if required.linear:
        allowed.discard("merge")
    found = []
    if method not in allowed:
        found.append(Obstacle("method", f"{_NAMES[method]} are not allowed on this repository."))
    if required.queue is not None:
        found.append(Obstacle("queue", "Changes must be made through the merge queue"))
    return found


def missing_checks(forge: Forge, repo: Repository, sha: str, required: Requirements) -> list[str]:
    """The required checks that have not succeeded on a commit, in one sentence, or in none."""
    states = {context: context_state(forge, repo, sha, context) for context in required.contexts}
    missing = {context.name: state for context, state in states.items() if state != "success"}
    if len(missing) == 1:
        [(name, state)] = missing.items()
        return [f'Required status check "{name}" is {state}.']
    if missing:
        kinds = sorted(set(missing.values()))
        counted = ", ".join(f"{list(missing.values()).count(kind)} {kind}" for kind in kinds)
        return [f"{len(missing)} of {len(states)} required status checks have not succeeded: {counted}."]
    return []


def context_state(forge: Forge, repo: Repository, sha: str, context: Context) -> str:
    """`success`, `failing`, `pending` or, where nothing was reported, `expected`."""
    states = [
        checks.run_state(run)
        for run in checks.latest_runs(forge, repo, sha)
        if run.name == context.name and context.app in (None, checks.app_id(forge, run.app))
    ]
    states += [
        status.state.upper()
        for status in checks.latest_statuses(forge, repo, sha)
        if status.context == context.name and _is_by(forge, status, context.app)
    ]
    if not states:
        return "expected"
    if set(states) & {"FAILURE", "ERROR"}:
        return "failing"
    return "pending" if "PENDING" in states else "success"


def _is_by(forge: Forge, status: Status, app: int | None) -> bool:
    return app in (None, checks.app_id(forge, forge.login(status.creator).removesuffix("[bot]")))


def standing_reviews(forge: Forge, repo: Repository, pull: Pull) -> dict[int, Review]:
    """Each reviewer's newest ruling, of those whose rulings count: who may write, and is not the author."""
    standing: dict[int, Review] = {}
    author = forge.issue_of(pull).author
    for review in forge.store.reviews.of(repo.id, pull.number):
        who = forge.store.accounts.get(review.author)
        if review.state in ("COMMENTED", "PENDING") or who is None or who.id == author:
            continue
        if access.may(forge, who, repo, "write"):
            standing[review.author] = review
    return standing


def _reviews(forge: Forge, repo: Repository, pull: Pull, required: Requirements) -> list[Obstacle]:
    standing = standing_reviews(forge, repo, pull)
    approvals = {who: review for who, review in standing.items() if review.state == "APPROVED"}
    if required.last_push:
        approvals = {
            who: review
            for who, review in approvals.items()
            if review.commit == pull.head_sha and who != pull.pushed_by
        }
    if not required.reviewed:
        return []
    if any(review.state == "CHANGES_REQUESTED" for review in standing.values()) and required.reviews:
        return [Obstacle("reviews", "Changes have been requested by reviewers with write access.")]
    if len(approvals) < required.reviews:
        one = required.reviews == 1
        words = "approving review is" if one else "approving reviews are"
        return [
            Obstacle(
                "reviews", f"At least {required.reviews} {words} required by reviewers with write access."
            )
        ]
    if required.code_owners and not all(
        group & set(approvals) for group in codeowners.groups(forge, repo, pull)
    ):
        return [Obstacle("reviews", "Waiting on code owner review.")]
    return []


def check_merge(forge: Forge, repo: Repository, pull: Pull, actor: Account, method: str) -> None:
    """Refuse with a 405 and every reason what the rules do not let in."""
    found = obstacles(forge, repo, pull, actor, method)
    if found:
        raise ApiFailure(405, "\n".join(obstacle.message for obstacle in found))


def push_refusals(
    forge: Forge, repo: Repository, actor: Account, branch: str, new: str | None
) -> tuple[str, bool]:
    """Why `actor` may not put `new` on a branch (None deletes it), and whether a force push is refused.

    The first is empty where the rules have nothing against it.
    """
    required = rules.requirements(forge, repo, branch, actor)
    if branch.startswith("gh-readonly-queue/"):
        return "Branches of the merge queue cannot be changed.", True
    if new is None:
        return ("Cannot delete this branch" if required.no_deletion else ""), False
    if branch not in repo.heads:
        return "", False
    if required.locked:
        return "Cannot change this locked branch", True
    if required.reviewed:
        return "Changes must be made through a pull request.", True
    missing = missing_checks(forge, repo, new, required) if required.contexts else []
    return (missing[0] if missing else ""), required.no_force_push


def check_push(forge: Forge, repo: Repository, actor: Account, branch: str, new: str | None) -> None:
    """Refuse with a 422 what a push may not do; for changes of refs by REST and GraphQL."""
    why, no_force = push_refusals(forge, repo, actor, branch, new)
    old = repo.heads.get(branch)
    if not why and no_force and old and new and not forge.git(repo).is_ancestor(old, new):
        why = "Cannot force-push to this branch"
    if why:
        raise ApiFailure(422, f"Repository rule violations found\n\n{why}")


def merge_state(forge: Forge, repo: Repository, pull: Pull, mergeable: bool | None) -> str:
    """GitHub's summary: `unknown`, `dirty`, `draft`, `blocked`, `behind`, `unstable` or `clean`."""
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    if pull.draft:
        return "draft"
    kinds = {obstacle.kind for obstacle in obstacles(forge, repo, pull)}
    if kinds:
        return "behind" if kinds == {"behind"} else "blocked"
    return "clean" if checks.rollup(forge, repo, pull.head_sha) in (None, "SUCCESS") else "unstable"


def decision(forge: Forge, repo: Repository, pull: Pull) -> str | None:
    """GitHub's `reviewDecision`."""
    required = rules.requirements(forge, repo, pull.base)
    standing = standing_reviews(forge, repo, pull) if required.reviewed else _anybody(forge, repo, pull)
    states = [review.state for review in standing.values()]
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    if required.reviewed and required.reviews:
        return "REVIEW_REQUIRED" if _reviews(forge, repo, pull, required) else "APPROVED"
    return "APPROVED" if "APPROVED" in states else None


def _anybody(forge: Forge, repo: Repository, pull: Pull) -> dict[int, Review]:
    """Where no review is required: each reviewer's newest ruling, whoever it is."""
    found = forge.store.reviews.of(repo.id, pull.number)
    return {review.author: review for review in found if review.state not in ("COMMENTED", "PENDING")}
