"""Milestones."""

from hive.standins.github.records import Repository
from hive.standins.github.records_issues import Milestone
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Json, View


def milestone(view: View, repo: Repository, shown: Milestone) -> Json:
    """`milestone`."""
    url = view.urls.repo(repo.full_name, "milestones", shown.number)
    under = [issue for issue in view.forge.issues_of(repo) if issue.milestone == shown.id]
    return {
        "url": url,
        "html_url": view.urls.page(repo.full_name, "milestone", shown.number),
        "labels_url": f"{url}/labels",
        "id": shown.id,
        "node_id": f"MI_kw{shown.id}",
        "number": shown.number,
        "state": shown.state,
        "title": shown.title,
        "description": shown.description,
        "creator": people.of(view, shown.creator),
        "open_issues": sum(issue.state == "open" for issue in under),
        "closed_issues": sum(issue.state == "closed" for issue in under),
        "created_at": shown.created_at,
        "updated_at": shown.updated_at,
        "closed_at": shown.updated_at if shown.state == "closed" else None,
        "due_on": shown.due_on,
    }
