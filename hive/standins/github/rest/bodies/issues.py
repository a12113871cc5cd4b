"""Issues, comments and the history of both."""

from hive.standins.github import access, labels, nodeids, relations
from hive.standins.github.records import Comment, Event, Issue, Repository
from hive.standins.github.rest.bodies import milestones, people, repositories
from hive.standins.github.rest.call import Json, View

_REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def association(view: View, repo: Repository, author: int | None, given: str | None) -> str:
    """An author's association: the one that a seed gave, else the account's."""
    return given or access.association(view.forge, view.forge.store.accounts.get(author), repo)


def reactions(url: str) -> Json:
    """`reaction-rollup` with none."""
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(_REACTIONS, 0)}


def issue(view: View, repo: Repository, shown: Issue) -> Json:
    """`issue`; of a pull request, its issue part with the link to the rest."""
    url = view.urls.repo(repo.full_name, "issues", shown.number)
    assignees = people.listed(view, shown.assignees)
    body = {
        "url": url,
        "repository_url": view.urls.repo(repo.full_name),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": view.urls.page(repo.full_name, "pull" if shown.is_pull else "issues", shown.number),
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "number": shown.number,
        "title": shown.title,
        "user": people.of(view, shown.author),
        "labels": [repositories.label(view, repo, label) for label in labels.on(view.forge, shown)],
        "state": shown.state,
        "state_reason": shown.state_reason,
        "locked": shown.locked,
        "active_lock_reason": shown.lock_reason,
        "assignee": assignees[0] if assignees else None,
        "assignees": assignees,
        "milestone": _milestone(view, repo, shown),
        "comments": len(view.forge.store.comments.of(repo.id, shown.number)),
        "created_at": shown.created_at,
        "updated_at": shown.updated_at,
        "closed_at": shown.closed_at,
        "author_association": association(view, repo, shown.author, shown.association),
        "body": shown.body,
        "reactions": reactions(url),
        "performed_via_github_app": None,
    }
    if shown.is_pull:
        return body | _pull_link(view, repo, shown)
    total = len(shown.blocked_by)
    still = sum(each.state == "open" for each in relations.blocked_by(view.forge, shown))
    body["issue_dependencies_summary"] = {
        "blocked_by": still,
        "total_blocked_by": total,
        "blocking": 0,
        "total_blocking": 0,
    }
    if shown.kind is not None:
        body["type"] = issue_type(shown.kind)
    return body


def issue_type(name: str) -> Json:
    """`issue-type`."""
    number = relations.TYPES.index(name) + 1
    described = f"{name}s of the organization"
    return {"id": number, "node_id": f"IT_kw{number}", "name": name, "description": described}


def _milestone(view: View, repo: Repository, shown: Issue) -> Json | None:
    found = view.forge.store.milestones.get(shown.milestone)
    return milestones.milestone(view, repo, found) if found else None


def _pull_link(view: View, repo: Repository, shown: Issue) -> Json:
    pull = view.forge.pull(repo, shown.number)
    assert pull is not None
    page = view.urls.page(repo.full_name, "pull", shown.number)
    link = {
        "url": view.urls.repo(repo.full_name, "pulls", shown.number),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": pull.merged_at,
    }
    return {"draft": pull.draft, "pull_request": link}


def single_issue(view: View, repo: Repository, shown: Issue) -> Json:
    """An issue asked for by itself, which also tells who closed it."""
    return {**issue(view, repo, shown), "closed_by": people.of(view, shown.closed_by)}


def comment(view: View, repo: Repository, shown: Comment) -> Json:
    """`issue-comment`."""
    url = view.urls.repo(repo.full_name, "issues", "comments", shown.id)
    parent = view.forge.issue(repo, shown.number)
    kind = "pull" if parent is not None and parent.is_pull else "issues"
    return {
        "url": url,
        "html_url": f"{view.urls.page(repo.full_name, kind, shown.number)}#issuecomment-{shown.id}",
        "issue_url": view.urls.repo(repo.full_name, "issues", shown.number),
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "user": people.of(view, shown.author),
        "created_at": shown.created_at,
        "updated_at": shown.updated_at,
        "author_association": association(view, repo, shown.author, shown.association),
        "body": shown.body,
        "reactions": reactions(url),
        "performed_via_github_app": None,
    }


def event(view: View, repo: Repository, shown: Event) -> Json:
    """One of `issue-event-for-issue`, by its kind."""
    data = shown.data
    body: Json = {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "url": view.urls.repo(repo.full_name, "issues", "events", shown.id),
        "actor": people.of(view, shown.actor),
        "event": shown.kind,
        "commit_id": data.get("commit"),
        "commit_url": view.urls.repo(repo.full_name, "commits", data["commit"]) if "commit" in data else None,
        "created_at": shown.at,
        "performed_via_github_app": None,
    }
    if shown.kind in ("labeled", "unlabeled"):
        body["label"] = {"name": data["label"], "color": data["color"]}
    if shown.kind in ("assigned", "unassigned"):
        named = view.forge.account(data["assignee"])
        body["assignee"] = people.account(view, named) if named else None
        body["assigner"] = body["actor"]
    if shown.kind == "renamed":
        body["rename"] = {"from": data["old"], "to": data["new"]}
    if shown.kind in ("review_requested", "review_request_removed"):
        body |= _requested(view, repo, shown)
        body["review_requester"] = body["actor"]
    if shown.kind == "review_dismissed":
        body["dismissed_review"] = {
            "state": data["state"],
            "review_id": int(data["review"]),
            "dismissal_message": data["message"] or None,
        }
    if shown.kind in ("milestoned", "demilestoned"):
        body["milestone"] = {"title": data["milestone"]}
    if shown.kind == "locked":
        body["lock_reason"] = data.get("reason")
    if shown.kind in ("closed", "reopened"):
        body["state_reason"] = None
    return body


def _requested(view: View, repo: Repository, shown: Event) -> Json:
    """Of whom a review was asked: a person or a team."""
    if "team" in shown.data:
        teams = view.forge.store.teams.of(repo.owner)
        found = next((each for each in teams if each.slug == shown.data["team"]), None)
        return {"requested_team": people.team(view, found)} if found else {}
    named = view.forge.account(shown.data["reviewer"])
    return {"requested_reviewer": people.account(view, named)} if named else {}


def event_with_issue(view: View, repo: Repository, shown: Event) -> Json:
    """`issue-event`: an event outside of its issue, which it then carries."""
    found = view.forge.issue(repo, shown.number)
    return {**event(view, repo, shown), "issue": issue(view, repo, found) if found else None}


def commented(view: View, repo: Repository, shown: Comment) -> Json:
    """`timeline-comment-event`."""
    body = comment(view, repo, shown)
    return {**body, "event": "commented", "actor": body["user"]}
