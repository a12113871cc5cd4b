"""Search for issues and pull requests, by words and the common qualifiers."""

import shlex
from collections.abc import Callable

from hive.standins.github import access, labels
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Issue, Pull, Repository
from hive.standins.github.rest.bodies import issues as bodies
from hive.standins.github.rest.call import Call, Json, Reply, View, paged
from hive.standins.github.rest.routing import routes

Found = tuple[Repository, Issue]


@routes.add("GET", "/search/issues")
def search(call: Call) -> Reply:
    """Issues and pull requests."""
    query = call.query.get("q") or ""
    if not query.strip():
        raise ApiFailure(422, "Validation Failed", {"resource": "Search", "field": "q", "code": "missing"})
    found = search_issues(call.view, query)
    return paged(
        found,
        lambda pair: _item(call.view, pair[0], pair[1]),
        lambda page: {
            "total_count": len(found),
            "incomplete_results": False,
            "search_type": "lexical",
            "items": page,
        },
    )


def _item(view: View, repo: Repository, issue: Issue) -> Json:
    """`issue-search-result-item`, whose body is a text even where the issue has none."""
    return {**bodies.issue(view, repo, issue), "body": issue.body or "", "score": 1.0}


def search_issues(view: View, query: str) -> list[Found]:
    """What fits every word and qualifier of `query`, newest first."""
    words = _words(query)
    found = [
        (repo, issue)
        for repo in view.forge.store.repositories
        if access.may(view.forge, view.viewer, repo, "read")
        for issue in view.forge.issues_of(repo)
        if all(_fits(view, repo, issue, word) for word in words)
    ]
    return sorted(found, key=lambda pair: (pair[1].created_at, pair[1].number), reverse=True)


def _words(query: str) -> list[str]:
    """The query split at blanks outside quotes; an unclosed quote is a letter like any other."""
    try:
        words = shlex.split(query)
    except ValueError:
        words = query.split()
    # gh puts what its user wrote into brackets; everything is joined by AND here.
    return [word.strip("()") for word in words if word.strip("()") not in ("", "AND")]


def _fits(view: View, repo: Repository, issue: Issue, word: str) -> bool:
    name, colon, value = word.partition(":")
    value = value.lower()
    if name.startswith("-") and colon:
        return not _fits(view, repo, issue, word[1:])
    pull = view.forge.pull(repo, issue.number)
    tests: dict[str, Callable[[], bool]] = {
        "repo": lambda: repo.full_name.lower() == value,
        "is": lambda: value in (issue.state, "pr" if issue.is_pull else "issue") or _is(pull, value),
        "type": lambda: value == ("pr" if issue.is_pull else "issue"),
        "state": lambda: value == issue.state,
        "author": lambda: view.forge.login(issue.author).lower() == value,
        "label": lambda: value in {label.name.lower() for label in labels.on(view.forge, issue)},
        "head": lambda: pull is not None and pull.head.lower() == value,
        "base": lambda: pull is not None and pull.base.lower() == value,
        "in": lambda: True,
        "sort": lambda: True,
    }
    if colon and name in tests:
        return bool(tests[name]())
    return word.lower() in f"{issue.title}\n{issue.body or ''}".lower()


def _is(pull: Pull | None, value: str) -> bool:
    if pull is None or value not in ("merged", "draft"):
        return False
    return pull.merged_at is not None if value == "merged" else pull.draft
