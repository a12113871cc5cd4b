"""Check runs and commit statuses."""

from typing import Any

from hive.standins.github import checks
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import CheckRun, Repository
from hive.standins.github.rest.bodies import checks as bodies
from hive.standins.github.rest.call import Call, Reply, paged
from hive.standins.github.rest.routing import routes

_REPO = "/repos/{owner}/{repo}"


def commit_of(call: Call, repo: Repository, name: str) -> str:
    """The commit that a branch, tag or sha of the path names; 422 as GitHub has it where there is none."""
    sha = call.forge.git(repo).resolve(name)
    if sha is None:
        raise ApiFailure(422, f"No commit found for SHA: {name}")
    return sha


def _app_of(call: Call) -> str:
    """The slug of the app that reports: the caller's login without `[bot]`."""
    return call.me().login.removesuffix("[bot]")


def _take_output(call: Call, run: CheckRun) -> None:
    output: Any = call.body.get("output")
    if isinstance(output, dict):
        run.title, run.summary = output.get("title"), output.get("summary")
        run.text = output.get("text")
    run.details_url = call.text("details_url") or run.details_url
    run.external_id = call.text("external_id") or run.external_id
    run.started_at = call.text("started_at") or run.started_at
    run.name = call.text("name") or run.name


@routes.add("POST", _REPO + "/check-runs")
def create(call: Call) -> Reply:
    """Report a check on a commit."""
    repo = call.repo("write")
    sha = commit_of(call, repo, call.needed("CheckRun", "head_sha"))
    run = checks.create_run(call.forge, repo, sha, call.needed("CheckRun", "name"), _app_of(call))
    return _changed(call, repo, run, 201)


@routes.add("GET", _REPO + "/check-runs/{run}")
def get(call: Call) -> Reply:
    """One check run."""
    repo = call.repo()
    return Reply(bodies.run(call.view, repo, _run(call, repo)))


@routes.add("PATCH", _REPO + "/check-runs/{run}")
def update(call: Call) -> Reply:
    """Move a check run on: its own app only."""
    repo = call.repo("write")
    run = _run(call, repo)
    if run.app != _app_of(call):
        raise ApiFailure(
            403, "Invalid app_id `%s` - check run can only be modified by the GitHub App that created it."
        )
    return _changed(call, repo, run, 200)


def _changed(call: Call, repo: Repository, run: CheckRun, status: int) -> Reply:
    _take_output(call, run)
    checks.update_run(call.forge, run, call.text("status"), call.text("conclusion"))
    run.completed_at = call.text("completed_at") or run.completed_at
    subject, detail = f"{repo.full_name}@{run.head_sha}", f"{run.name}: {run.conclusion or run.status}"
    call.forge.record(call.me(), "check.report", subject, detail)
    return Reply(bodies.run(call.view, repo, run), status)


def _run(call: Call, repo: Repository) -> CheckRun:
    text = call.params["run"]
    run = call.forge.store.checks.get(int(text)) if text.isascii() and text.isdigit() else None
    if run is None or run.repo != repo.id:
        raise not_found()
    return run


@routes.add("GET", _REPO + "/commits/{ref:path}/check-runs")
def for_ref(call: Call) -> Reply:
    """The check runs of a commit; the newest of each app and name unless `filter=all`."""
    repo = call.repo()
    sha = commit_of(call, repo, call.params["ref"])
    everything = call.query.get("filter") == "all"
    found = (
        call.forge.store.checks.of(repo.id, sha) if everything else checks.latest_runs(call.forge, repo, sha)
    )
    asked = {name: call.query[name] for name in ("status",) if name in call.query}
    name = call.query.get("check_name")
    chosen = [
        run for run in found if name in (None, run.name) and asked.get("status", run.status) == run.status
    ]
    return paged(
        chosen,
        lambda run: bodies.run(call.view, repo, run),
        lambda page: {"total_count": len(chosen), "check_runs": page},
    )


@routes.add("GET", _REPO + "/commits/{ref:path}/status")
def combined(call: Call) -> Reply:
    """What the statuses of a commit add up to."""
    repo = call.repo()
    sha = commit_of(call, repo, call.params["ref"])
    return Reply(bodies.combined(call.view, repo, sha, checks.latest_statuses(call.forge, repo, sha)))


@routes.add("GET", _REPO + "/commits/{ref:path}/statuses")
def statuses(call: Call) -> Reply:
    """Every status of a commit, newest first."""
    repo = call.repo()
    sha = commit_of(call, repo, call.params["ref"])
    found = call.forge.store.statuses.of(repo.id, sha)[::-1]
    return paged(found, lambda status: bodies.status(call.view, repo, status))


@routes.add("POST", _REPO + "/statuses/{sha}")
def set_status(call: Call) -> Reply:
    """Report a status on a commit."""
    repo = call.repo("write")
    status = checks.set_status(
        call.forge,
        repo,
        call.me(),
        commit_of(call, repo, call.params["sha"]),
        state=call.needed("Status", "state"),
        context=call.text("context") or "default",
        description=call.text("description"),
        target_url=call.text("target_url"),
    )
    return Reply(bodies.status(call.view, repo, status), 201)
