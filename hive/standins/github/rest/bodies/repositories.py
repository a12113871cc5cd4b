"""Repositories, labels, branches and refs."""

from hive.standins.github import access, nodeids
from hive.standins.github.records import Label, Repository
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Json, View

_LINKS = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "contributors_url": "contributors",
    "deployments_url": "deployments",
    "downloads_url": "downloads",
    "events_url": "events",
    "forks_url": "forks",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "hooks_url": "hooks",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "languages_url": "languages",
    "merges_url": "merges",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "stargazers_url": "stargazers",
    "statuses_url": "statuses/{sha}",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "tags_url": "tags",
    "teams_url": "teams",
    "trees_url": "git/trees{/sha}",
}
_COUNTS = ("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size")


def repository(view: View, repo: Repository) -> Json:
    """`minimal-repository` and `repository`, as they stand in other bodies."""
    if repo.id not in view.repositories:
        view.repositories[repo.id] = _repository(view, repo)
    return view.repositories[repo.id]


def _repository(view: View, repo: Repository) -> Json:
    owner = view.forge.store.accounts.get(repo.owner)
    assert owner is not None
    url, page = view.urls.repo(repo.full_name), view.urls.page(repo.full_name)
    host = view.urls.html.split("//", 1)[1]
    issues = [issue for issue in view.forge.issues_of(repo) if issue.state == "open"]
    level = access.permission(view.forge, view.viewer, repo)
    return {
        "id": repo.id,
        "node_id": nodeids.of(repo),
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": people.account(view, owner),
        "private": repo.private,
        "visibility": "private" if repo.private else "public",
        "html_url": page,
        "description": repo.description,
        "fork": False,
        "url": url,
        **{name: f"{url}/{suffix}" for name, suffix in _LINKS.items()},
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        **dict.fromkeys(_COUNTS, 0),
        "open_issues": len(issues),
        "open_issues_count": len(issues),
        "default_branch": repo.default_branch,
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_downloads": False,
        "has_discussions": False,
        "archived": repo.archived,
        "disabled": False,
        "is_template": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "pushed_at": repo.pushed_at,
        "created_at": repo.created_at,
        "updated_at": repo.pushed_at,
        "permissions": _permissions(level),
    }


def _permissions(level: str) -> dict[str, bool]:
    order = ("none", "read", "triage", "write", "maintain", "admin")
    names = {"admin": "admin", "maintain": "maintain", "push": "write", "triage": "triage", "pull": "read"}
    return {name: order.index(level) >= order.index(needed) for name, needed in names.items()}


def full_repository(view: View, repo: Repository) -> Json:
    """`full-repository`: a repository asked for by itself."""
    return {
        **repository(view, repo),
        "allow_merge_commit": "merge" in repo.merge_methods,
        "allow_squash_merge": "squash" in repo.merge_methods,
        "allow_rebase_merge": "rebase" in repo.merge_methods,
        "allow_auto_merge": repo.allow_auto_merge,
        "allow_update_branch": repo.allow_update_branch,
        "delete_branch_on_merge": repo.delete_branch_on_merge,
        "squash_merge_commit_title": "PR_TITLE",
        "squash_merge_commit_message": "PR_BODY",
        "merge_commit_title": "MERGE_MESSAGE",
        "merge_commit_message": "PR_TITLE",
        "network_count": 0,
        "subscribers_count": 0,
        "temp_clone_token": None,
    }


def label(view: View, repo: Repository, shown: Label) -> Json:
    """`label`."""
    return {
        "id": shown.id,
        "node_id": nodeids.of(shown),
        "url": view.urls.repo(repo.full_name, "labels", shown.name),
        "name": shown.name,
        "color": shown.color,
        "default": shown.default,
        "description": shown.description,
    }


def ref(view: View, repo: Repository, name: str, sha: str, kind: str) -> Json:
    """`git-ref`; `name` is the full name, `kind` the object's type."""
    plural = "tags" if kind == "tag" else "commits"
    return {
        "ref": name,
        "node_id": f"REF_{repo.id}_{name}",
        "url": view.urls.repo(repo.full_name, "git", name),
        "object": {"sha": sha, "type": kind, "url": view.urls.repo(repo.full_name, "git", plural, sha)},
    }
