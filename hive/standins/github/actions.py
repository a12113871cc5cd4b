"""GitHub Actions as far as a reader sees it: runs of workflows, their jobs, logs and re-runs.

A run is a suite of check runs that name a workflow; each of its check runs is a job.
"""

import io
import zipfile

from hive.standins.github import checks
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, CheckRun, Repository

MARKER = "##[group]"


def runs_of(forge: Forge, repo: Repository) -> list[list[CheckRun]]:
    """The jobs of every workflow run of a repository, newest run first."""
    suites: dict[int, list[CheckRun]] = {}
    for run in forge.store.checks:
        if run.repo == repo.id and run.workflow:
            suites.setdefault(run.suite, []).append(run)
    return [suites[number] for number in sorted(suites, reverse=True)]


def jobs_of(forge: Forge, repo: Repository, suite: int) -> list[CheckRun]:
    """The jobs of one run, each as it ran last; 404 where there is none."""
    found = {
        run.name: run
        for run in forge.store.checks
        if (run.repo, run.suite) == (repo.id, suite) and run.workflow
    }
    if not found:
        raise not_found()
    return list(found.values())


def job(forge: Forge, repo: Repository, number: int) -> CheckRun:
    """One job; 404 where there is none."""
    run = forge.store.checks.get(number)
    if run is None or run.repo != repo.id or not run.workflow:
        raise not_found()
    return run


def standing(jobs: list[CheckRun]) -> tuple[str, str | None]:
    """Status and conclusion of a run."""
    if any(run.status != "completed" for run in jobs):
        started = any(run.status != "queued" for run in jobs)
        return ("in_progress" if started else "queued"), None
    worst = [run.conclusion or "" for run in jobs if run.conclusion not in ("success", "skipped", "neutral")]
    return "completed", worst[0] if worst else "success"


def attempt(forge: Forge, run: CheckRun) -> int:
    """Which try of its job a check run is."""
    same = [
        each
        for each in forge.store.checks.of(run.repo, run.head_sha)
        if (each.suite, each.name) == (run.suite, run.name) and each.id <= run.id
    ]
    return len(same)


def rerun(forge: Forge, repo: Repository, actor: Account, again: list[CheckRun]) -> None:
    """Queue these jobs once more, each as a new check run of the same suite."""
    if any(run.status != "completed" for run in again):
        raise ApiFailure(403, "This workflow is already running")
    for run in again:
        made = checks.create_run(forge, repo, run.head_sha, run.name, run.app)
        made.workflow, made.suite, made.pull = run.workflow, run.suite, run.pull
        forge.store.checks.put(made)
    forge.record(actor, "actions.rerun", repo.full_name, ", ".join(run.name for run in again))


def cancel(forge: Forge, repo: Repository, actor: Account, jobs: list[CheckRun]) -> None:
    """End what has not ended; 409 where all has."""
    going = [run for run in jobs if run.status != "completed"]
    if not going:
        raise ApiFailure(409, "Cannot cancel a workflow run that is completed.")
    for run in going:
        checks.update_run(forge, run, "completed", "cancelled")
    forge.record(actor, "actions.cancel", repo.full_name, ", ".join(run.name for run in going))


def log_of(run: CheckRun) -> str:
    """A job's log, each line with its time, as Actions writes it; what the scenario gave as text."""
    at = (run.started_at or "2020-01-01T00:00:00Z").replace("Z", ".0000000Z")
    lines = [f"{MARKER}Run {run.name}", *(run.text or "").splitlines(), "##[endgroup]"]
    if run.conclusion not in (None, "success", "skipped", "neutral"):
        lines.append("##[error]Process completed with exit code 1.")
    return "".join(f"{at} {line}\n" for line in lines)


def archive_of(jobs: list[CheckRun]) -> bytes:
    """The logs of a run in one zip: a text for each job, and one for its step in a folder."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for position, run in enumerate(jobs):
            name = run.name.replace("/", "_")
            archive.writestr(f"{position}_{name}.txt", log_of(run))
            archive.writestr(f"{name}/1_Run {name}.txt", log_of(run))
    return data.getvalue()
