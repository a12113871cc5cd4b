"""Check runs and commit statuses."""

from hive.standins.github import nodeids
from hive.standins.github.checks import combined_state
from hive.standins.github.records import CheckRun, Repository, Status
from hive.standins.github.rest.bodies import people, repositories
from hive.standins.github.rest.call import Json, View


def run(view: View, repo: Repository, shown: CheckRun) -> Json:
    """`check-run`."""
    url = view.urls.repo(repo.full_name, "check-runs", shown.id)
    page = view.urls.page(repo.full_name, "runs", shown.id)
    return {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "name": shown.name,
        "head_sha": shown.head_sha,
        "external_id": shown.external_id,
        "url": url,
        "html_url": page,
        "details_url": shown.details_url or page,
        "status": shown.status,
        "conclusion": shown.conclusion,
        "started_at": shown.started_at,
        "completed_at": shown.completed_at,
        "output": {
            "title": shown.title,
            "summary": shown.summary,
            "text": shown.text,
            "annotations_count": 0,
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": shown.suite},
        "app": people.app(view, shown.app),
        "pull_requests": [],
    }


def status(view: View, repo: Repository, shown: Status) -> Json:
    """`status`."""
    return {**simple_status(view, repo, shown), "creator": people.of(view, shown.creator)}


def simple_status(view: View, repo: Repository, shown: Status) -> Json:
    """`simple-commit-status`."""
    return {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "url": view.urls.repo(repo.full_name, "statuses", shown.sha),
        "avatar_url": f"{view.urls.html}/avatars/{shown.creator}",
        "state": shown.state,
        "description": shown.description,
        "target_url": shown.target_url,
        "context": shown.context,
        "required": None,
        "created_at": shown.created_at,
        "updated_at": shown.created_at,
    }


def combined(view: View, repo: Repository, sha: str, statuses: list[Status]) -> Json:
    """`combined-commit-status`."""
    commit = view.urls.repo(repo.full_name, "commits", sha)
    return {
        "state": combined_state(statuses),
        "statuses": [simple_status(view, repo, shown) for shown in statuses],
        "sha": sha,
        "total_count": len(statuses),
        "repository": repositories.repository(view, repo),
        "commit_url": commit,
        "url": f"{commit}/status",
    }
