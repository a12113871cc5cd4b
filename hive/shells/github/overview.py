"""What is open in a repository: every issue by its number, every pull request in outline.

One request for 200 issues and 100 pull requests; every further hundred takes one more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive.errors import Missing, Refused, Unreachable
from hive.facts.actors import same_login
from hive.shells.github.answers import PORT, QueryError
from hive.shells.github.calls import Calls
from hive.shells.github.look_queries import MORE_ISSUES, MORE_PULLS, OVERVIEW


@dataclass(frozen=True, slots=True)
class IssueStub:
    """An open issue, and when anything last happened to it, in GitHub's writing."""

    number: int
    id: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Overview:
    """`pulls` are the open ones, `ended` the newest that are not, as GraphQL's nodes. `account` is hive's own
    login. `default_branch` is empty where the repository has no commit."""

    account: str
    default_branch: str
    issues: tuple[IssueStub, ...]
    pulls: tuple[Mapping[str, Any], ...]
    ended: tuple[Mapping[str, Any], ...]
    pulse: int
    """Another one when anything was done in the repository: to an issue or pull request, open or not, to a
    branch or tag, or by a release."""
    pushed_at: str = ""
    """When a branch was pushed to last, in GitHub's writing."""


def overview(calls: Calls, repo: str) -> Overview:
    """Raises `Missing` and `Refused` where the repository cannot be worked in, and `Unreachable` where not
    everything was told: what is cut short is no look at all."""
    owner, name = repo.split("/")
    data, errors = calls.ask(OVERVIEW, {"owner": owner, "name": name})
    about = data.get("repository")
    if about is None or errors:
        raise _untold(repo, errors)
    _check_usable(repo, about)
    try:
        return _read(calls, repo, data, about)
    except (KeyError, TypeError) as error:
        raise Unreachable(PORT, f"{repo}: GraphQL told only a part") from error


def _read(calls: Calls, repo: str, data: Mapping[str, Any], about: Mapping[str, Any]) -> Overview:
    first = about["oldest"]
    issues = [*first["nodes"], *about["newest"]["nodes"]]
    if len({one["number"] for one in issues}) < int(first["totalCount"]):
        known = frozenset(one["number"] for one in about["newest"]["nodes"])
        issues += _more(calls, repo, MORE_ISSUES, first, known)
    pulls = [*about["pulls"]["nodes"], *_more(calls, repo, MORE_PULLS, about["pulls"], frozenset())]
    has_issues = about["hasIssuesEnabled"] is not False
    return Overview(
        account=str(data["viewer"]["login"]),
        default_branch=str((about["defaultBranchRef"] or {}).get("name") or ""),
        issues=_stubs(issues) if has_issues else (),
        pulls=tuple({int(one["number"]): one for one in pulls}.values()),
        ended=tuple(about["ended"]["nodes"]),
        pulse=_pulse(about, issues, pulls),
        pushed_at=str(about["pushedAt"] or ""),
    )


def _pulse(
    about: Mapping[str, Any], issues: Sequence[Mapping[str, Any]], pulls: Sequence[Mapping[str, Any]]
) -> int:
    touched = about["touched"]["nodes"]
    return hash(
        (
            about["pushedAt"],
            about["branches"]["totalCount"],
            about["releases"]["totalCount"],
            *((one["number"], one["updatedAt"]) for one in (*touched, *about["ended"]["nodes"])),
            *((one["number"], one["updatedAt"]) for one in (*issues, *pulls)),
        )
    )


def _more(calls: Calls, repo: str, query: str, page: Mapping[str, Any], known: Collection[int]) -> list[Any]:
    """What is on the pages after this one, to the end or to what is known of it."""
    owner, name = repo.split("/")
    found: list[Any] = []
    while page["pageInfo"]["hasNextPage"] and not (found and found[-1]["number"] in known):
        variables = {"owner": owner, "name": name, "after": page["pageInfo"]["endCursor"]}
        data, errors = calls.ask(query, variables)
        if errors or data.get("repository") is None:
            raise _untold(repo, errors)
        page = data["repository"]["page"]
        found += page["nodes"]
    return found


def _stubs(nodes: Sequence[Mapping[str, Any]]) -> tuple[IssueStub, ...]:
    """Each once, the oldest first."""
    found = {int(one["number"]): IssueStub(int(one["number"]), one["id"], one["updatedAt"]) for one in nodes}
    return tuple(found[number] for number in sorted(found))


def _untold(repo: str, errors: Sequence[QueryError]) -> Exception:
    """What it means that a repository was not told, or not all of it."""
    said = "; ".join(one.message for one in errors) or "GraphQL told nothing of it"
    message = f"{repo}: {said}"[:300]
    kinds = {one.kind for one in errors}
    if kinds == {"NOT_FOUND"}:
        return Missing(PORT, f"{message} (is it gone, or may the credential not read it?)")
    if kinds and kinds <= {"FORBIDDEN", "INSUFFICIENT_SCOPES", "NOT_FOUND", "SAML_FAILURE"}:
        return Refused(PORT, f"{message}; `hive doctor` says what the credential lacks")
    return Unreachable(PORT, message)


def _check_usable(repo: str, about: Mapping[str, Any]) -> None:
    """Raise `Refused` where agents could do nothing in a repository, or not in this one."""
    name = str(about.get("nameWithOwner") or repo)
    if not same_login(name, repo):
        # A repository is found by its old names too; writes and the rules for agents go by the name.
        raise Refused(PORT, f"{repo} has been renamed to {name}: list it by that name")
    for field, state in (("isArchived", "archived"), ("isDisabled", "disabled")):
        if about.get(field):
            raise Refused(PORT, f"{repo} is {state}: nothing can be changed there; take it off the list")
