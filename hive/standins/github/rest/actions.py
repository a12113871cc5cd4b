"""Workflow runs, jobs and logs."""

from hive.standins.github import actions, nodeids
from hive.standins.github.failures import ApiFailure, not_found
from hive.standins.github.records import CheckRun, Repository
from hive.standins.github.rest.bodies import people, repositories
from hive.standins.github.rest.call import Call, Json, Reply, paged
from hive.standins.github.rest.routing import routes

_ACTIONS = "/repos/{owner}/{repo}/actions"
_RUN = _ACTIONS + "/runs/{run}"
_JOB = _ACTIONS + "/jobs/{job}"


def _run_body(call: Call, repo: Repository, jobs: list[CheckRun]) -> Json:
    """`workflow-run`."""
    first, forge = jobs[0], call.forge
    url = call.view.urls.repo(repo.full_name, "actions", "runs", first.suite)
    git = forge.git(repo)
    head = git.commit(first.head_sha)
    pull = forge.pull(repo, first.pull) if first.pull else None
    found = pull or next((p for p in forge.pulls_of(repo) if p.head_sha == first.head_sha), None)
    branches = [name for name, sha in repo.heads.items() if sha == first.head_sha]
    status, conclusion = actions.standing(jobs)
    actor = people.of(call.view, repo.owner)
    signature = {"name": head.author.name, "email": head.author.email}
    page = call.view.urls.page(repo.full_name, "actions", "runs", first.suite)
    shown = repositories.repository(call.view, repo)
    links = ("jobs", "logs", "artifacts", "cancel", "rerun")
    return {
        "id": first.suite,
        "name": first.workflow,
        "node_id": f"WFR_kw{first.suite}",
        "check_suite_id": first.suite,
        "check_suite_node_id": f"CS_kw{first.suite}",
        "head_branch": found.head if found else (branches[0] if branches else None),
        "head_sha": first.head_sha,
        "path": f".github/workflows/{(first.workflow or 'ci').lower()}.yml",
        "run_number": first.suite,
        "run_attempt": max(actions.attempt(forge, run) for run in jobs),
        "event": "pull_request" if found else "push",
        "display_title": head.message.split("\n", 1)[0],
        "status": status,
        "conclusion": conclusion,
        "workflow_id": _workflow_id(first.workflow or ""),
        "url": url,
        "html_url": page,
        "pull_requests": [],
        "created_at": first.started_at,
        "updated_at": max(run.completed_at or run.started_at or "" for run in jobs),
        "run_started_at": first.started_at,
        "actor": actor,
        "triggering_actor": actor,
        **{f"{name}_url": f"{url}/{name}" for name in links},
        "check_suite_url": call.view.urls.repo(repo.full_name, "check-suites", first.suite),
        "previous_attempt_url": None,
        "workflow_url": call.view.urls.repo(
            repo.full_name, "actions", "workflows", _workflow_id(first.workflow or "")
        ),
        "head_commit": {
            "id": head.sha,
            "tree_id": head.tree,
            "message": head.message,
            "timestamp": head.committer.date,
            "author": signature,
            "committer": signature,
        },
        "repository": shown,
        "head_repository": shown,
    }


def _workflow_id(name: str) -> int:
    return sum(name.encode()) or 1


def _job_body(call: Call, repo: Repository, run: CheckRun) -> Json:
    """`job`."""
    url = call.view.urls.repo(repo.full_name, "actions", "jobs", run.id)
    times = {"started_at": run.started_at, "completed_at": run.completed_at}
    step = {"name": f"Run {run.name}", "status": run.status, "conclusion": run.conclusion, "number": 1}
    return {
        "id": run.id,
        "run_id": run.suite,
        "workflow_name": run.workflow,
        "head_branch": None,
        "run_url": call.view.urls.repo(repo.full_name, "actions", "runs", run.suite),
        "run_attempt": actions.attempt(call.forge, run),
        "node_id": nodeids.of(run),
        "head_sha": run.head_sha,
        "url": url,
        "html_url": call.view.urls.page(repo.full_name, "actions", "runs", run.suite, "job", run.id),
        "status": run.status,
        "conclusion": run.conclusion,
        "created_at": run.started_at,
        **times,
        "name": run.name,
        "steps": [{**step, **times}],
        "check_run_url": call.view.urls.repo(repo.full_name, "check-runs", run.id),
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "standin",
        "runner_group_id": 1,
        "runner_group_name": "standin",
    }


def _number(call: Call, name: str) -> int:
    text = call.params[name]
    if not (text.isascii() and text.isdigit()):
        raise not_found()
    return int(text)


@routes.add("GET", _ACTIONS + "/runs")
def runs(call: Call) -> Reply:
    """Workflow runs, newest first, by branch, head, status or event where the query names them."""
    repo, query = call.repo(), call.query
    found = []
    for jobs in actions.runs_of(call.forge, repo):
        status, conclusion = actions.standing(jobs)
        wanted = query.get("head_sha", jobs[0].head_sha) == jobs[0].head_sha
        wanted = wanted and query.get("status", status) in (status, conclusion)
        if wanted and query.get("branch", "") in ("", _run_body(call, repo, jobs)["head_branch"]):
            found.append(jobs)
    return paged(
        found,
        lambda jobs: _run_body(call, repo, jobs),
        lambda page: {"total_count": len(found), "workflow_runs": page},
    )


@routes.add("GET", _RUN)
def run(call: Call) -> Reply:
    """One run."""
    repo = call.repo()
    return Reply(_run_body(call, repo, actions.jobs_of(call.forge, repo, _number(call, "run"))))


@routes.add("GET", _RUN + "/jobs")
@routes.add("GET", _RUN + "/attempts/{attempt}/jobs")
def jobs(call: Call) -> Reply:
    """The jobs of a run; of every try with `filter=all`."""
    repo, number = call.repo(), _number(call, "run")
    found = actions.jobs_of(call.forge, repo, number)
    if call.query.get("filter") == "all":
        found = [each for each in call.forge.store.checks if (each.repo, each.suite) == (repo.id, number)]
    return paged(
        found,
        lambda each: _job_body(call, repo, each),
        lambda page: {"total_count": len(found), "jobs": page},
    )


@routes.add("GET", _JOB)
def job(call: Call) -> Reply:
    """One job."""
    repo = call.repo()
    return Reply(_job_body(call, repo, actions.job(call.forge, repo, _number(call, "job"))))


def _elsewhere(call: Call, repo: Repository, *steps: object) -> Reply:
    """A redirect to where the log is, which needs no token, as GitHub's storage does not."""
    to = call.view.urls.repo(repo.full_name, "actions", "_logs", *steps)
    return Reply({}, 302, headers={"Location": to})


@routes.add("GET", _JOB + "/logs")
def job_log(call: Call) -> Reply:
    """A job's log in plain text, elsewhere; 404 while it runs."""
    repo = call.repo()
    found = actions.job(call.forge, repo, _number(call, "job"))
    if found.status != "completed":
        raise not_found()
    return _elsewhere(call, repo, "job", found.id)


@routes.add("GET", _RUN + "/logs")
def run_logs(call: Call) -> Reply:
    """The logs of a run in one zip, elsewhere."""
    repo = call.repo()
    return _elsewhere(call, repo, "run", actions.jobs_of(call.forge, repo, _number(call, "run"))[0].suite)


@routes.add("GET", _ACTIONS + "/_logs/{kind}/{file}")
def stored(call: Call) -> Reply:
    """What the redirects lead to."""
    repo = call.repo()
    number = _number(call, "file")
    if call.params["kind"] == "job":
        text = actions.log_of(actions.job(call.forge, repo, number))
        return Reply(text, headers={"Content-Type": "text/plain; charset=utf-8"})
    data = actions.archive_of(actions.jobs_of(call.forge, repo, number))
    return Reply(data, headers={"Content-Type": "application/zip"})


@routes.add("POST", _RUN + "/rerun")
def rerun(call: Call) -> Reply:
    """Run all jobs once more."""
    repo = call.repo("write")
    actions.rerun(call.forge, repo, call.me(), actions.jobs_of(call.forge, repo, _number(call, "run")))
    return Reply({}, 201)


@routes.add("POST", _RUN + "/rerun-failed-jobs")
def rerun_failed(call: Call) -> Reply:
    """Run once more what failed."""
    repo = call.repo("write")
    found = actions.jobs_of(call.forge, repo, _number(call, "run"))
    failed = [each for each in found if each.conclusion not in ("success", "skipped", "neutral")]
    actions.rerun(call.forge, repo, call.me(), failed)
    return Reply({}, 201)


@routes.add("POST", _JOB + "/rerun")
def rerun_job(call: Call) -> Reply:
    """Run one job once more."""
    repo = call.repo("write")
    actions.rerun(call.forge, repo, call.me(), [actions.job(call.forge, repo, _number(call, "job"))])
    return Reply({}, 201)


@routes.add("POST", _RUN + "/cancel")
def cancel(call: Call) -> Reply:
    """End a run."""
    repo = call.repo("write")
    actions.cancel(call.forge, repo, call.me(), actions.jobs_of(call.forge, repo, _number(call, "run")))
    return Reply({}, 202)


def _workflow(call: Call, repo: Repository, name: str) -> Json:
    number = _workflow_id(name)
    path = f".github/workflows/{name.lower()}.yml"
    return {
        "id": number,
        "node_id": f"W_kw{number}",
        "name": name,
        "path": path,
        "state": "active",
        "created_at": repo.created_at,
        "updated_at": repo.created_at,
        "url": call.view.urls.repo(repo.full_name, "actions", "workflows", number),
        "html_url": call.view.urls.page(repo.full_name, "blob", repo.default_branch, path),
        "badge_url": call.view.urls.page(repo.full_name, "workflows", name, "badge.svg"),
    }


def _names(call: Call, repo: Repository) -> list[str]:
    return sorted({jobs[0].workflow or "" for jobs in actions.runs_of(call.forge, repo)})


@routes.add("GET", _ACTIONS + "/workflows")
def workflows(call: Call) -> Reply:
    """The workflows that have run."""
    repo = call.repo()
    names = _names(call, repo)
    return paged(
        names,
        lambda name: _workflow(call, repo, name),
        lambda page: {"total_count": len(names), "workflows": page},
    )


@routes.add("GET", _ACTIONS + "/workflows/{workflow}")
def workflow(call: Call) -> Reply:
    """One workflow, by its number or file name."""
    repo, asked = call.repo(), call.params["workflow"]
    for name in _names(call, repo):
        if asked in (str(_workflow_id(name)), f"{name.lower()}.yml"):
            return Reply(_workflow(call, repo, name))
    raise not_found()


@routes.add("POST", _ACTIONS + "/workflows/{workflow}/dispatches")
def dispatch(call: Call) -> Reply:
    """Refused to all but those who may write, and recorded: no workflow is started by hand here."""
    repo = call.repo("write")
    if not call.text("ref"):
        raise ApiFailure(422, 'Invalid request.\n\n"ref" wasn\'t supplied.')
    call.forge.record(call.me(), "actions.dispatch", repo.full_name, call.params["workflow"])
    return Reply(status=204)
