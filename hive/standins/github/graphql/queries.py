"""The entry points of queries: viewer, repository, node, search."""

from typing import Any

from hive.standins.github import access, nodeids
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.graphql.resolving import connect, fields
from hive.standins.github.records import Account, Issue, Repository
from hive.standins.github.rest.call import View
from hive.standins.github.rest.search import search_issues


@fields("Query.viewer")
def viewer(source: Any, view: View) -> Account:
    """Who asks."""
    return access.signed_in(view.viewer)


def visible(view: View, full_name: str) -> Repository:
    """A repository that the viewer may see, or GraphQL's NOT_FOUND."""
    repo = view.forge.repository(full_name)
    if repo is None or not access.may(view.forge, view.viewer, repo, "read"):
        raise ApiFailure(404, f"Could not resolve to a Repository with the name '{full_name}'.")
    return repo


@fields("Query.repository")
def repository(source: Any, view: View, owner: str, name: str, **_: Any) -> Repository:
    """One repository."""
    return visible(view, f"{owner}/{name}")


@fields("Query.repositoryOwner", "Query.user", "Query.organization")
def owner(source: Any, view: View, login: str) -> Account:
    """One account."""
    who = view.forge.account(login)
    if who is None:
        raise ApiFailure(404, f"Could not resolve to a User with the login of '{login}'.")
    return who


def node_of(forge: Forge, node_id: str) -> Any:
    """The record that a node id names, or None."""
    parsed = nodeids.parse(node_id)
    if parsed is None:
        return None
    kind, number = parsed
    store = forge.store
    tables: dict[str, Any] = {
        "Account": store.accounts,
        "Repository": store.repositories,
        "Label": store.labels,
        "Issue": store.issues,
        "Pull": store.pulls,
        "Comment": store.comments,
        "Review": store.reviews,
        "CheckRun": store.checks,
        "Status": store.statuses,
        "Event": store.events,
        "Thread": store.threads,
        "LineComment": store.line_comments,
        "Protection": store.protections,
        "Ruleset": store.rulesets,
        "Team": store.teams,
        "QueueEntry": store.queue,
    }
    return tables[kind].get(number)


def readable(view: View, node_id: str) -> Any:
    """The record that a node id names, if the viewer may see it, or GraphQL's NOT_FOUND."""
    found = node_of(view.forge, node_id)
    repo = (
        found
        if isinstance(found, Repository)
        else view.forge.store.repositories.get(getattr(found, "repo", None))
    )
    if found is None or (repo is not None and not access.may(view.forge, view.viewer, repo, "read")):
        raise ApiFailure(404, f"Could not resolve to a node with the global id of '{node_id}'")
    if isinstance(found, Issue) and found.is_pull:
        return view.forge.pull(view.forge.repo_of(found.repo), found.number)
    return found


@fields("Query.node")
def node(source: Any, view: View, id: str) -> Any:
    """An object by its id."""
    return readable(view, id)


@fields("Query.nodes")
def nodes(source: Any, view: View, ids: list[str]) -> list[Any]:
    """Objects by their ids; what is not there is an error of its own, and null."""
    return [_or_failure(view, each) for each in ids]


def _or_failure(view: View, node_id: str) -> Any:
    try:
        return readable(view, node_id)
    except ApiFailure as failure:
        # A failure as a value is the failure of this entry alone.
        return failure


@fields("Query.rateLimit")
def rate_limit(source: Any, view: View, **_: Any) -> dict[str, Any]:
    """What the query cost, and what is left."""
    return dict(view.notes["rateLimit"])


@fields("Query.search")
def search(source: Any, view: View, query: str, type: str, **arguments: Any) -> Any:
    """Issues and pull requests; nothing else is searched for."""
    if type not in ("ISSUE", "ISSUE_ADVANCED", "ISSUE_SEMANTIC", "ISSUE_HYBRID"):
        return connect([], **arguments)
    found = search_issues(view, query)
    return connect([view.forge.pull(repo, issue.number) or issue for repo, issue in found], **arguments)


@fields("SearchResultItemConnection.issueCount")
def issue_count(page: Any, view: View) -> int:
    """How many were found."""
    return int(page.total_count)
