"""Pull requests and reviews."""

from hive.standins.github import diffs, enforcing, merging, nodeids, pulls, settling
from hive.standins.github.records import Pull, Repository, Review
from hive.standins.github.rest.bodies import issues, people, repositories
from hive.standins.github.rest.call import Json, View

_OF_ISSUES_ONLY = (
    "repository_url",
    "labels_url",
    "events_url",
    "timeline_url",
    "reactions",
    "pull_request",
    "performed_via_github_app",
    "comments",
    "state_reason",
)


def pull(view: View, repo: Repository, shown: Pull) -> Json:
    """`pull-request-simple`."""
    issue = view.forge.issue_of(shown)
    body = issues.issue(view, repo, issue)
    url = view.urls.repo(repo.full_name, "pulls", shown.number)
    page = view.urls.page(repo.full_name, "pull", shown.number)
    for only_of_issues in (
        "repository_url",
        "labels_url",
        "events_url",
        "timeline_url",
        "reactions",
        "pull_request",
    ):
        body.pop(only_of_issues)
    for only_of_issues in ("performed_via_github_app", "comments", "state_reason"):
        body.pop(only_of_issues)
    return {
        **body,
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "url": url,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": view.urls.repo(repo.full_name, "issues", shown.number),
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": view.urls.repo(repo.full_name, "pulls", "comments{/number}"),
        "statuses_url": view.urls.repo(repo.full_name, "statuses", shown.head_sha),
        "draft": shown.draft,
        "merged_at": shown.merged_at,
        "merge_commit_sha": shown.merge_commit,
        "auto_merge": _auto_merge(view, shown),
        "requested_reviewers": people.listed(view, shown.reviewers),
        "requested_teams": people.teams(view, shown.teams),
        **_ends(view, repo, shown),
        "_links": _links(view, repo, shown, url, page),
    }


def _auto_merge(view: View, shown: Pull) -> Json | None:
    """`auto-merge`."""
    given = shown.auto_merge
    if given is None:
        return None
    by = given["by"]
    return {
        "enabled_by": people.of(view, by if isinstance(by, int) else None),
        "merge_method": given["method"],
        "commit_title": given["title"] or "",
        "commit_message": given["message"] or "",
    }


def _ends(view: View, repo: Repository, shown: Pull) -> Json:
    owner = people.of(view, repo.owner)
    name = repo.full_name.split("/")[0]
    body = repositories.repository(view, repo)
    base = shown.base_sha if shown.merged_at else settling.base_tip(view.forge, shown)
    return {
        "head": {
            "label": f"{name}:{shown.head}",
            "ref": shown.head,
            "sha": shown.head_sha,
            "user": owner,
            "repo": body,
        },
        "base": {
            "label": f"{name}:{shown.base}",
            "ref": shown.base,
            "sha": base,
            "user": owner,
            "repo": body,
        },
    }


def _links(view: View, repo: Repository, shown: Pull, url: str, page: str) -> Json:
    issue = view.urls.repo(repo.full_name, "issues", shown.number)
    targets = {
        "self": url,
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": view.urls.repo(repo.full_name, "pulls", "comments{/number}"),
        "commits": f"{url}/commits",
        "statuses": view.urls.repo(repo.full_name, "statuses", shown.head_sha),
    }
    return {name: {"href": target} for name, target in targets.items()}


def full_pull(view: View, repo: Repository, shown: Pull) -> Json:
    """`pull-request`: one asked for by itself, with what git has to be asked for."""
    git = view.forge.git(repo)
    start = pulls.compared_with(view.forge, repo, shown)
    files, added, deleted = diffs.totals(git, start, shown.head_sha)
    mergeable = merging.look(view.forge, shown)
    return {
        **pull(view, repo, shown),
        "merged": shown.merged_at is not None,
        "merged_by": people.of(view, shown.merged_by),
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": enforcing.merge_state(view.forge, repo, shown, mergeable),
        "comments": len(view.forge.store.comments.of(repo.id, shown.number)),
        "review_comments": len(view.forge.store.line_comments.of(repo.id, shown.number)),
        "maintainer_can_modify": shown.maintainer_can_modify,
        "commits": pulls.commit_count(view.forge, repo, shown),
        "additions": added,
        "deletions": deleted,
        "changed_files": files,
    }


def reviewed(view: View, repo: Repository, shown: Review) -> Json:
    """`timeline-reviewed-event`."""
    body = review(view, repo, shown)
    return {**body, "event": "reviewed", "state": shown.state.lower(), "updated_at": shown.submitted_at}


def review(view: View, repo: Repository, shown: Review) -> Json:
    """`pull-request-review`."""
    page = f"{view.urls.page(repo.full_name, 'pull', shown.number)}#pullrequestreview-{shown.id}"
    parent = view.urls.repo(repo.full_name, "pulls", shown.number)
    return {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "user": people.of(view, shown.author),
        "body": shown.body,
        "state": shown.state,
        "html_url": page,
        "pull_request_url": parent,
        "author_association": issues.association(view, repo, shown.author, None),
        "_links": {"html": {"href": page}, "pull_request": {"href": parent}},
        **({"submitted_at": shown.submitted_at} if shown.submitted_at else {}),
        "commit_id": shown.commit,
    }
