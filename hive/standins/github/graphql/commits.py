"""Commits, check runs, suites, workflow runs and statuses."""

from typing import Any

from hive.standins.github import checks, nodeids, rules
from hive.standins.github.gitrepo import Signature
from hive.standins.github.graphql.issues import repo_of
from hive.standins.github.graphql.people import actor
from hive.standins.github.graphql.queries import readable
from hive.standins.github.graphql.resolving import (
    RepoCommit,
    Rollup,
    Suite,
    WorkflowRun,
    connect,
    fields,
    simple,
)
from hive.standins.github.records import CheckRun, Pull, Status
from hive.standins.github.rest.bodies.commits import account_of
from hive.standins.github.rest.call import View


def _url(commit: RepoCommit, view: View) -> str:
    return view.urls.page(commit.repo.full_name, "commit", commit.commit.sha)


def _rollup(commit: RepoCommit, view: View) -> Rollup | None:
    reported = checks.rollup(view.forge, commit.repo, commit.commit.sha)
    return Rollup(commit.repo, commit.commit.sha) if reported else None


simple(
    "PullRequestCommit",
    id=lambda part, view: f"PURC_{part.pull.id}_{part.commit.commit.sha}",
    commit=lambda part, view: part.commit,
    pullRequest=lambda part, view: part.pull,
)
simple(
    "Commit GitObject",
    id=lambda it, view: f"C_{it.repo.id}_{it.commit.sha}",
    oid=lambda it, view: it.commit.sha,
    abbreviatedOid=lambda it, view: it.commit.sha[:7],
    message=lambda it, view: it.commit.message,
    messageHeadline=lambda it, view: it.commit.message.split("\n", 1)[0],
    messageBody=lambda it, view: it.commit.message.partition("\n\n")[2],
    committedDate=lambda it, view: it.commit.committer.date,
    authoredDate=lambda it, view: it.commit.author.date,
    pushedDate=lambda it, view: None,
    author=lambda it, view: it.commit.author,
    committer=lambda it, view: it.commit.committer,
    repository=lambda it, view: it.repo,
    url=_url,
    commitUrl=_url,
    resourcePath=lambda it, view: _url(it, view).removeprefix(view.urls.html),
    statusCheckRollup=_rollup,
)


@fields("Commit.authors")
def authors(it: RepoCommit, view: View, **arguments: Any) -> Any:
    """The author; co-authors are not looked for."""
    return connect([it.commit.author], **arguments)


@fields("Commit.parents")
def parents(it: RepoCommit, view: View, **arguments: Any) -> Any:
    """The commits that it follows."""
    git = view.forge.git(it.repo)
    return connect([RepoCommit(it.repo, git.commit(sha)) for sha in it.commit.parents], **arguments)


@fields("Commit.checkSuites")
def suites(it: RepoCommit, view: View, **arguments: Any) -> Any:
    """The suites of its check runs."""
    arguments.pop("filterBy", None)
    newest = {run.suite: run for run in view.forge.store.checks.of(it.repo.id, it.commit.sha)}
    return connect([Suite(run) for run in newest.values()], **arguments)


@fields("Commit.associatedPullRequests")
def associated(it: RepoCommit, view: View, **arguments: Any) -> Any:
    """The pull requests that have it as head or merge."""
    arguments.pop("orderBy", None)
    found = [p for p in view.forge.pulls_of(it.repo) if it.commit.sha in (p.head_sha, p.merge_commit)]
    return connect(found, **arguments)


def _user(signature: Signature, view: View) -> Any:
    who = account_of(view, signature)
    return who if who is not None and who.kind == "person" else None


simple(
    "GitActor",
    name=lambda signature, view: signature.name,
    email=lambda signature, view: signature.email,
    date=lambda signature, view: signature.date,
    user=_user,
)
simple(
    "StatusCheckRollup",
    id=lambda rollup, view: f"SCR_{rollup.repo.id}_{rollup.sha}",
    state=lambda rollup, view: checks.rollup(view.forge, rollup.repo, rollup.sha),
    commit=lambda rollup, view: RepoCommit(rollup.repo, view.forge.git(rollup.repo).commit(rollup.sha)),
)


@fields("StatusCheckRollup.contexts")
def contexts(rollup: Rollup, view: View, **arguments: Any) -> Any:
    """The newest check run of each app and name, and the newest status of each context."""
    found: list[CheckRun | Status] = [*checks.latest_runs(view.forge, rollup.repo, rollup.sha)]
    return connect([*found, *checks.latest_statuses(view.forge, rollup.repo, rollup.sha)], **arguments)


@fields("CheckRun.isRequired", "StatusContext.isRequired")
def is_required(context: CheckRun | Status, view: View, **which: Any) -> bool:
    """Whether the rules on the base of the pull request named want it."""
    repo = repo_of(context, view)
    if which.get("pullRequestNumber") is not None:
        pull = view.forge.pull(repo, which["pullRequestNumber"])
    else:
        pull = readable(view, which["pullRequestId"]) if which.get("pullRequestId") else None
    if not isinstance(pull, Pull):
        return False
    required = rules.requirements(view.forge, repo, pull.base).contexts
    if isinstance(context, Status):
        return any(each.name == context.context and each.app is None for each in required)
    app = checks.app_id(view.forge, context.app)
    return any(each.name == context.name and each.app in (None, app) for each in required)


simple(
    "StatusCheckRollupContextConnection",
    checkRunCount=lambda page, view: sum(isinstance(node, CheckRun) for node in page.nodes),
    statusContextCount=lambda page, view: sum(isinstance(node, Status) for node in page.nodes),
    checkRunCountsByState=lambda page, view: _counts(
        [_run_state(node) for node in page.nodes if isinstance(node, CheckRun)]
    ),
    statusContextCountsByState=lambda page, view: _counts(
        [node.state.upper() for node in page.nodes if isinstance(node, Status)]
    ),
)


def _counts(states: list[str]) -> list[dict[str, Any]]:
    return [{"state": state, "count": states.count(state)} for state in dict.fromkeys(states)]


def _run_state(run: CheckRun) -> str:
    return (run.conclusion or run.status).upper()


def _run_url(run: CheckRun, view: View) -> str:
    return run.details_url or view.urls.page(repo_of(run, view).full_name, "runs", run.id)


simple(
    "CheckRun",
    id=lambda run, view: nodeids.of(run),
    databaseId=lambda run, view: run.id,
    name=lambda run, view: run.name,
    status=lambda run, view: run.status.upper(),
    conclusion=lambda run, view: run.conclusion.upper() if run.conclusion else None,
    startedAt=lambda run, view: run.started_at,
    completedAt=lambda run, view: run.completed_at,
    detailsUrl=_run_url,
    url=_run_url,
    permalink=_run_url,
    externalId=lambda run, view: run.external_id,
    title=lambda run, view: run.title,
    summary=lambda run, view: run.summary,
    text=lambda run, view: run.text,
    checkSuite=lambda run, view: Suite(run),
    repository=repo_of,
)


def _runs(suite: Suite, view: View) -> list[CheckRun]:
    found = view.forge.store.checks.of(suite.run.repo, suite.run.head_sha)
    return [run for run in found if run.suite == suite.run.suite]


def _suite_status(suite: Suite, view: View) -> str:
    return "COMPLETED" if all(run.status == "completed" for run in _runs(suite, view)) else "IN_PROGRESS"


def _suite_conclusion(suite: Suite, view: View) -> str | None:
    if _suite_status(suite, view) != "COMPLETED":
        return None
    conclusions = [run.conclusion or "" for run in _runs(suite, view)]
    return next((each.upper() for each in conclusions if each != "success"), "SUCCESS")


def _app(suite: Suite, view: View) -> dict[str, Any]:
    slug = suite.run.app
    name = "GitHub Actions" if slug == "github-actions" else slug
    return {
        "id": f"A_{slug}",
        "slug": slug,
        "name": name,
        "databaseId": checks.app_id(view.forge, slug),
        "logoUrl": "",
    }


simple(
    "CheckSuite",
    id=lambda suite, view: f"CS_{suite.run.suite}",
    databaseId=lambda suite, view: suite.run.suite,
    app=_app,
    status=_suite_status,
    conclusion=_suite_conclusion,
    createdAt=lambda suite, view: suite.run.started_at,
    updatedAt=lambda suite, view: suite.run.completed_at or suite.run.started_at,
    workflowRun=lambda suite, view: WorkflowRun(suite.run) if suite.run.workflow else None,
    repository=lambda suite, view: repo_of(suite.run, view),
    commit=lambda suite, view: RepoCommit(
        repo_of(suite.run, view), view.forge.git(repo_of(suite.run, view)).commit(suite.run.head_sha)
    ),
)


@fields("CheckSuite.checkRuns")
def suite_runs(suite: Suite, view: View, filterBy: Any = None, **arguments: Any) -> Any:  # noqa: N803
    """The runs of one suite."""
    return connect(_runs(suite, view), **arguments)


simple(
    "WorkflowRun",
    id=lambda it, view: f"WFR_{it.run.suite}",
    databaseId=lambda it, view: it.run.suite,
    event=lambda it, view: "pull_request",
    runNumber=lambda it, view: it.run.suite,
    createdAt=lambda it, view: it.run.started_at,
    updatedAt=lambda it, view: it.run.completed_at or it.run.started_at,
    url=lambda it, view: view.urls.page(repo_of(it.run, view).full_name, "actions", "runs", it.run.suite),
    workflow=lambda it, view: {"id": "W_1", "databaseId": 1, "name": it.run.workflow},
    checkSuite=lambda it, view: Suite(it.run),
)
simple(
    "StatusContext",
    id=lambda status, view: nodeids.of(status),
    context=lambda status, view: status.context,
    state=lambda status, view: status.state.upper(),
    description=lambda status, view: status.description,
    targetUrl=lambda status, view: status.target_url,
    createdAt=lambda status, view: status.created_at,
    creator=lambda status, view: actor(view, status.creator),
)
