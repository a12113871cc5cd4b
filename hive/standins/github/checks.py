"""Check runs and commit statuses: what reports on a commit, and what they add up to."""

from hive.standins.github.failures import ApiFailure, invalid
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, CheckRun, Repository, Status

CONCLUSIONS = (
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
)
ACTIONS_ID = 15368
"""The id of GitHub Actions on github.com."""
_GREEN = ("success", "neutral", "skipped")
_STATES = ("error", "failure", "pending", "success")


def create_run(forge: Forge, repo: Repository, sha: str, name: str, app: str) -> CheckRun:
    """A queued run; runs of one app on one commit share a suite."""
    if not name:
        raise invalid("CheckRun", "name", "missing_field")
    table = forge.store.checks
    number = table.next_id()
    suite = next((run.suite for run in table.of(repo.id, sha) if run.app == app), number)
    return table.put(CheckRun(number, repo.id, sha, name, app, suite, "queued", started_at=forge.clock.now()))


def update_run(forge: Forge, run: CheckRun, status: str | None, conclusion: str | None) -> None:
    """Move a run on; a conclusion completes it."""
    if conclusion is not None and conclusion not in CONCLUSIONS:
        raise invalid("CheckRun", "conclusion")
    if status == "completed" and conclusion is None:
        raise ApiFailure(422, "Invalid request.\n\nMissing conclusion.")
    run.status = "completed" if conclusion else status or run.status
    run.conclusion = conclusion if run.status == "completed" else None
    run.completed_at = forge.clock.now() if run.status == "completed" else None
    forge.store.checks.put(run)


def latest_runs(forge: Forge, repo: Repository, sha: str) -> list[CheckRun]:
    """The newest run of each app and name, newest first."""
    newest = {(run.app, run.name): run for run in forge.store.checks.of(repo.id, sha)}
    return sorted(newest.values(), key=lambda run: -run.id)


def set_status(
    forge: Forge,
    repo: Repository,
    actor: Account,
    sha: str,
    *,
    state: str,
    context: str,
    description: str | None,
    target_url: str | None,
) -> Status:
    """A new status, which replaces the context's last one."""
    if state not in _STATES:
        raise invalid("Status", "state")
    table = forge.store.statuses
    made = Status(
        table.next_id(), repo.id, sha, context, state, description, target_url, actor.id, forge.clock.now()
    )
    table.put(made)
    forge.record(actor, "status.create", f"{repo.full_name}@{sha}", f"{context}: {state}")
    return made


def latest_statuses(forge: Forge, repo: Repository, sha: str) -> list[Status]:
    """The newest status of each context, newest first."""
    newest = {status.context: status for status in forge.store.statuses.of(repo.id, sha)}
    return sorted(newest.values(), key=lambda status: -status.id)


def combined_state(statuses: list[Status]) -> str:
    """GitHub's combined state: `failure` wins, then `pending`; nothing reported is `pending`."""
    states = {status.state for status in statuses}
    if states & {"failure", "error"}:
        return "failure"
    return "success" if states == {"success"} else "pending"


def rollup(forge: Forge, repo: Repository, sha: str) -> str | None:
    """GraphQL's `statusCheckRollup.state` over runs and statuses; None where nothing reported."""
    runs, statuses = latest_runs(forge, repo, sha), latest_statuses(forge, repo, sha)
    if not runs and not statuses:
        return None
    states = {run_state(run) for run in runs} | {status.state.upper() for status in statuses}
    for state in ("FAILURE", "ERROR", "PENDING"):
        if state in states:
            return state
    return "SUCCESS"


def app_id(forge: Forge, slug: str) -> int:
    """The id of the App of a slug: a registered one's own, else one that follows from the name."""
    known = next((app.id for app in forge.store.apps if app.slug == slug), None)
    return known or (ACTIONS_ID if slug == "github-actions" else sum(slug.encode()))


def run_state(run: CheckRun) -> str:
    """What a check run adds to its commit: SUCCESS, FAILURE or PENDING."""
    if run.status != "completed":
        return "PENDING"
    return "SUCCESS" if run.conclusion in _GREEN else "FAILURE"
