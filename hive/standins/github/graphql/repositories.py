"""Repositories, their branches, labels and lists."""

from typing import Any

from hive.standins.github import access, labels, nodeids
from hive.standins.github.failures import ApiFailure
from hive.standins.github.graphql.resolving import Branch, RepoCommit, connect, fields, simple
from hive.standins.github.records import Account, Issue, Label, Pull, Repository
from hive.standins.github.rest.call import View

_COUNTS = {"forkCount": 0, "stargazerCount": 0, "diskUsage": 0}
_TRUE = (
    "hasIssuesEnabled",
    "forkingAllowed",
)
_FALSE = (
    "hasDiscussionsEnabled",
    "hasProjectsEnabled",
    "hasWikiEnabled",
    "hasSponsorshipsEnabled",
    "hasVulnerabilityAlertsEnabled",
    "isBlankIssuesEnabled",
    "isDisabled",
    "isFork",
    "isLocked",
    "isMirror",
    "isTemplate",
    "isSecurityPolicyEnabled",
    "isUserConfigurationRepository",
    "usesCustomOpenGraphImage",
    "viewerHasStarred",
    "viewerCanCreateProjects",
    "viewerCanSubscribe",
    "viewerCanUpdateTopics",
    "webCommitSignoffRequired",
)
_NULL = (
    "archivedAt",
    "codeOfConduct",
    "homepageUrl",
    "latestRelease",
    "licenseInfo",
    "lockReason",
    "mirrorUrl",
    "parent",
    "primaryLanguage",
    "securityPolicyUrl",
    "templateRepository",
    "viewerDefaultCommitEmail",
    "viewerSubscription",
    "milestone",
    "release",
)
_EMPTY_CONNECTIONS = (
    "milestones",
    "projects",
    "projectsV2",
    "repositoryTopics",
    "languages",
    "releases",
    "stargazers",
    "watchers",
    "forks",
)


def _constant(value: Any) -> Any:
    return lambda source, view, **arguments: value


simple("Repository", **{name: _constant(value) for name, value in _COUNTS.items()})
simple("Repository", **{name: _constant(True) for name in _TRUE})
simple("Repository", **{name: _constant(False) for name in _FALSE})
simple("Repository", **{name: _constant(None) for name in _NULL})
simple(
    "Repository",
    **{name: (lambda source, view, **arguments: connect([], **arguments)) for name in _EMPTY_CONNECTIONS},
)
simple(
    "Repository RepositoryInfo",
    id=lambda repo, view: nodeids.of(repo),
    databaseId=lambda repo, view: repo.id,
    name=lambda repo, view: repo.name,
    nameWithOwner=lambda repo, view: repo.full_name,
    owner=lambda repo, view: view.forge.store.accounts.get(repo.owner),
    description=lambda repo, view: repo.description,
    url=lambda repo, view: view.urls.page(repo.full_name),
    resourcePath=lambda repo, view: f"/{repo.full_name}",
    sshUrl=lambda repo, view: f"git@{view.urls.html.split('//', 1)[1]}:{repo.full_name}.git",
    isPrivate=lambda repo, view: repo.private,
    visibility=lambda repo, view: "PRIVATE" if repo.private else "PUBLIC",
    isEmpty=lambda repo, view: not repo.heads,
    isInOrganization=lambda repo, view: _owner(view, repo).kind == "organization",
    createdAt=lambda repo, view: repo.created_at,
    pushedAt=lambda repo, view: repo.pushed_at,
    updatedAt=lambda repo, view: repo.pushed_at,
    deleteBranchOnMerge=lambda repo, view: repo.delete_branch_on_merge,
    defaultBranchRef=lambda repo, view: _branch(repo, repo.default_branch),
    viewerPermission=lambda repo, view: _permission(view, repo),
    viewerCanAdminister=lambda repo, view: _permission(view, repo) == "ADMIN",
    viewerDefaultMergeMethod=lambda repo, view: "MERGE",
    squashMergeCommitTitle=lambda repo, view: "PR_TITLE",
    squashMergeCommitMessage=lambda repo, view: "PR_BODY",
    mergeCommitTitle=lambda repo, view: "MERGE_MESSAGE",
    mergeCommitMessage=lambda repo, view: "PR_TITLE",
    issueTemplates=lambda repo, view: [],
    pullRequestTemplates=lambda repo, view: [],
    contactLinks=lambda repo, view: [],
    fundingLinks=lambda repo, view: [],
)


def _owner(view: View, repo: Repository) -> Account:
    owner = view.forge.store.accounts.get(repo.owner)
    assert owner is not None
    return owner


def _permission(view: View, repo: Repository) -> str | None:
    level = access.permission(view.forge, view.viewer, repo).upper()
    return None if level == "NONE" else level


def _branch(repo: Repository, name: str) -> Branch | None:
    return Branch(repo, name, repo.heads[name]) if name in repo.heads else None


@fields("Repository.ref")
def ref(repo: Repository, view: View, qualifiedName: str) -> Branch | None:  # noqa: N803 - GraphQL's name
    """A branch by its full or short name."""
    return _branch(repo, qualifiedName.removeprefix("refs/heads/"))


@fields("Repository.refs")
def refs(repo: Repository, view: View, refPrefix: str, query: str = "", **arguments: Any) -> Any:  # noqa: N803
    """Branches; there are no lists of tags."""
    found = repo.heads.items() if refPrefix == "refs/heads/" else ()
    return connect(
        [Branch(repo, name, sha) for name, sha in sorted(found) if (query or "") in name], **arguments
    )


@fields("Repository.object")
def git_object(repo: Repository, view: View, oid: str | None = None, expression: str | None = None) -> Any:
    """A commit by its sha or name."""
    git = view.forge.git(repo)
    sha = git.resolve(oid or expression or "HEAD")
    return RepoCommit(repo, git.commit(sha)) if sha else None


@fields("Repository.labels")
def label_list(repo: Repository, view: View, query: str | None = None, **arguments: Any) -> Any:
    """The repository's labels, by name where that was asked for."""
    order, found = arguments.pop("orderBy", None) or {}, view.forge.store.labels.of(repo.id)
    if order.get("field") == "NAME":
        found.sort(key=lambda label: label.name.lower(), reverse=order.get("direction") == "DESC")
    return connect([label for label in found if (query or "").lower() in label.name.lower()], **arguments)


@fields("Repository.label")
def label(repo: Repository, view: View, name: str) -> Label | None:
    """One label."""
    return labels.find(view.forge, repo, name)


@fields("Repository.assignableUsers", "Repository.mentionableUsers", "Repository.suggestedActors")
def assignable(repo: Repository, view: View, query: str | None = None, **arguments: Any) -> Any:
    """The people who may write."""
    arguments.pop("capabilities", None)
    people = (who for who in view.forge.store.accounts if who.kind == "person")
    writers = [who for who in people if access.may(view.forge, who, repo, "write")]
    return connect([who for who in writers if (query or "").lower() in who.login.lower()], **arguments)


@fields("Repository.issueOrPullRequest")
def numbered(repo: Repository, view: View, number: int) -> Issue | Pull | None:
    """An issue or a pull request by its number."""
    found = view.forge.pull(repo, number) or view.forge.issue(repo, number)
    if found is None:
        message = f"Could not resolve to an issue or pull request with the number of {number}."
        raise ApiFailure(404, message)
    return found


@fields("Repository.issue")
def issue(repo: Repository, view: View, number: int) -> Issue | None:
    """An issue, which a pull request is not."""
    found = view.forge.issue(repo, number)
    if found is None or found.is_pull:
        raise ApiFailure(404, f"Could not resolve to an Issue with the number of {number}.")
    return found


@fields("Repository.pullRequest")
def pull(repo: Repository, view: View, number: int) -> Pull | None:
    """A pull request."""
    found = view.forge.pull(repo, number)
    if found is None:
        raise ApiFailure(404, f"Could not resolve to a PullRequest with the number of {number}.")
    return found


_ORDER = {"CREATED_AT": "created_at", "UPDATED_AT": "updated_at", "COMMENTS": "number"}


def _ordered(found: list[Issue], order: dict[str, str] | None) -> list[Issue]:
    """Oldest first, or as asked."""
    order = order or {"field": "CREATED_AT", "direction": "ASC"}
    attribute = _ORDER[order["field"]]
    down = order["direction"] == "DESC"
    return sorted(found, key=lambda issue: (getattr(issue, attribute), issue.number), reverse=down)


@fields("Repository.issues")
def issues(repo: Repository, view: View, **arguments: Any) -> Any:
    """The issues that pass the filters."""
    wanted = {**(arguments.pop("filterBy", None) or {})}
    wanted |= {name: arguments.pop(name, None) or wanted.get(name) for name in ("states", "labels")}
    order = arguments.pop("orderBy", None)
    found = [i for i in view.forge.issues_of(repo) if not i.is_pull and _passes(view, i, wanted)]
    return connect(_ordered(found, order), **arguments)


def _passes(view: View, issue: Issue, wanted: dict[str, Any]) -> bool:
    names = {label.name.lower() for label in labels.on(view.forge, issue)}
    if wanted.get("states") and issue.state.upper() not in wanted["states"]:
        return False
    if wanted.get("labels") and not {name.lower() for name in wanted["labels"]} & names:
        return False
    if wanted.get("createdBy") and view.forge.login(issue.author).lower() != wanted["createdBy"].lower():
        return False
    if wanted.get("since") and issue.updated_at < wanted["since"]:
        return False
    assignee = wanted.get("assignee")
    if assignee in (None, "*"):
        return assignee is None or bool(issue.assignees)
    return assignee.lower() in {view.forge.login(number).lower() for number in issue.assignees}


@fields("Repository.pullRequests")
def pulls(repo: Repository, view: View, **arguments: Any) -> Any:
    """The pull requests that pass the filters."""
    states, head = arguments.pop("states", None), arguments.pop("headRefName", None)
    base, names = arguments.pop("baseRefName", None), arguments.pop("labels", None)
    order = arguments.pop("orderBy", None)
    by_number = {
        pull.number: pull
        for pull in view.forge.pulls_of(repo)
        if head in (None, pull.head)
        and base in (None, pull.base)
        and (not states or _state(view, pull) in states)
    }
    chosen = [view.forge.issue_of(pull) for pull in by_number.values()]
    ordered = _ordered([i for i in chosen if not names or _passes(view, i, {"labels": names})], order)
    return connect([by_number[issue.number] for issue in ordered], **arguments)


def _state(view: View, pull: Pull) -> str:
    return "MERGED" if pull.merged_at else view.forge.issue_of(pull).state.upper()


simple(
    "Label",
    id=lambda label, view: nodeids.of(label),
    name=lambda label, view: label.name,
    color=lambda label, view: label.color,
    description=lambda label, view: label.description,
    isDefault=lambda label, view: label.default,
    createdAt=lambda label, view: view.forge.repo_of(label.repo).created_at,
    updatedAt=lambda label, view: view.forge.repo_of(label.repo).created_at,
    url=lambda label, view: view.urls.page(view.forge.repo_of(label.repo).full_name, "labels", label.name),
    repository=lambda label, view: view.forge.repo_of(label.repo),
)
simple(
    "Ref",
    id=lambda ref, view: f"REF_{ref.repo.id}_{ref.name}",
    name=lambda ref, view: ref.name,
    prefix=lambda ref, view: "refs/heads/",
    target=lambda ref, view: RepoCommit(ref.repo, view.forge.git(ref.repo).commit(ref.sha)),
    repository=lambda ref, view: ref.repo,
)
