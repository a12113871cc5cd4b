"""REST: what a method on a canonical route would do. What is not listed is `unknown`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hive.decisions.requests import address, rest_writes
from hive.decisions.requests.model import Caller, Facts, NotUnderstood, Operation, names
from hive.decisions.requests.request import Request
from hive.decisions.requests.rest_call import RestCall
from hive.facts.autonomy import Action

Answer = Callable[[RestCall], tuple[Operation, ...]]


@dataclass(frozen=True, slots=True)
class Route:
    """Attributes:
    forbidden: Whether `answer` is one action that is never allowed, whatever the query and body say.
    """

    method: str
    pattern: tuple[str, ...]
    answer: Answer
    forbidden: bool


_READABLE = names(
    """assignees branches check-runs check-suites comments commits compare contents contributors
    deployments events git issues labels languages license milestones pulls readme releases
    stats statuses subscribers tags tarball topics zipball"""
)
"""First segments below a repository that an agent may read; not secrets, keys, hooks, alerts, settings."""

_READABLE_ACTIONS = names("artifacts jobs runs workflows")
_OF_THE_CALLER = frozenset({(), ("user",), ("rate_limit",), ("meta",)})


def classify(request: Request, where: address.Address, caller: Caller, facts: Facts) -> tuple[Operation, ...]:
    """The operations of a REST request. Raises `NotUnderstood`."""
    if request.method in ("GET", "HEAD"):
        return _read(where, caller, request)
    segments = where.segments
    if len(segments) < 3 or segments[0] != "repos" or any(where.slashed[:3]):
        raise NotUnderstood(f"{request.method} /{'/'.join(segments)} is no route that hive knows")
    repo = address.repository(caller, segments[1], segments[2])
    for route in _ROUTES:
        if route.method == request.method:
            params = _match(route.pattern, segments[3:], where.slashed[3:])
            if params is not None:
                if where.query and not route.forbidden:
                    raise NotUnderstood("a write takes its parameters from the body alone")
                fields = {} if route.forbidden else request.value
                return route.answer(RestCall(repo, params, fields, caller, facts))
    raise NotUnderstood(f"{request.method} /{'/'.join(segments)} is no route that hive knows")


def _read(where: address.Address, caller: Caller, request: Request) -> tuple[Operation, ...]:
    segments = where.segments
    if request.body.strip():
        raise NotUnderstood("a read has no body")
    if segments in _OF_THE_CALLER:
        return (Operation(Action.READ, caller.repos[0] if caller.repos else ""),)
    if len(segments) < 3 or segments[0] != "repos" or any(where.slashed[:3]):
        raise NotUnderstood(f"reading /{'/'.join(segments)} leads beyond the agent's repositories")
    repo = address.repository(caller, segments[1], segments[2])
    below = segments[3:]
    if not _may_read(below) or any(where.slashed[3:4]):
        raise NotUnderstood(f"reading /{'/'.join(segments)} is not for agents")
    if below[:1] == ("compare",) and any(":" in segment for segment in below):
        raise NotUnderstood("comparing with another repository leads beyond the agent's")
    if any(where.slashed[4:-1]):
        raise NotUnderstood("an encoded slash stands inside its path")
    return (Operation(Action.READ, repo),)


def _may_read(below: tuple[str, ...]) -> bool:
    if not below:
        return True
    if below[0] == "actions":
        return len(below) > 1 and below[1] in _READABLE_ACTIONS
    return below[0] in _READABLE and below[-1] != "protection" and "protection" not in below[:4]


_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


def _match(
    pattern: tuple[str, ...], segments: tuple[str, ...], slashed: tuple[bool, ...]
) -> dict[str, str] | None:
    """Parameters of a route, or `None`.

    `{n}` and `{nid}` are numbers, `{*x}` takes the rest, `{~x}` may hold an encoded slash.
    """
    params: dict[str, str] = {}
    for index, part in enumerate(pattern):
        if part.startswith("{*"):
            if index >= len(segments):
                return None
            params[part[2:-1]] = "/".join(segments[index:])
            return params
        if index >= len(segments):
            return None
        value = segments[index]
        if not part.startswith("{"):
            if value != part:
                return None
            continue
        if slashed[index] and not part.startswith("{~"):
            return None
        if part in ("{n}", "{nid}") and not _NUMBER.fullmatch(value):
            return None
        params[part.strip("{~}")] = value
    return params if len(segments) == len(pattern) else None


def _fixed(action: Action) -> Answer:
    return lambda call: (Operation(action, call.target if "n" in call.params else call.repo),)


def _route(method: str, path: str, answer: Answer | Action) -> Route:
    pattern = tuple(path.split("/")) if path else ()
    if isinstance(answer, Action):
        return Route(method, pattern, _fixed(answer), forbidden=True)
    return Route(method, pattern, answer, forbidden=False)


def _every(methods: str, path: str, action: Action) -> list[Route]:
    return [_route(method, path, action) for method in methods.split()]


_ROUTES: tuple[Route, ...] = (
    _route("POST", "issues", rest_writes.file_issue),
    _route("PATCH", "issues/{n}", rest_writes.edit_issue),
    _route("POST", "issues/{n}/comments", rest_writes.comment),
    _route("PATCH", "issues/comments/{nid}", rest_writes.edit_comment),
    _route("DELETE", "issues/comments/{nid}", rest_writes.edit_comment),
    _route("POST", "issues/{n}/labels", rest_writes.add_labels),
    _route("PUT", "issues/{n}/labels", rest_writes.replace_labels),
    _route("DELETE", "issues/{n}/labels", rest_writes.clear_labels),
    _route("DELETE", "issues/{n}/labels/{~name}", rest_writes.remove_label),
    _route("POST", "issues/{n}/assignees", rest_writes.edit_people),
    _route("DELETE", "issues/{n}/assignees", rest_writes.edit_people),
    _route("POST", "pulls", rest_writes.open_pull_request),
    _route("PATCH", "pulls/{n}", rest_writes.edit_pull_request),
    _route("PUT", "pulls/{n}/merge", rest_writes.merge),
    _route("PUT", "pulls/{n}/update-branch", rest_writes.update_branch),
    _route("POST", "pulls/{n}/requested_reviewers", rest_writes.edit_people),
    _route("DELETE", "pulls/{n}/requested_reviewers", rest_writes.edit_people),
    _route("POST", "pulls/{n}/reviews", rest_writes.review),
    _route("POST", "pulls/{n}/reviews/{nid}/events", rest_writes.review),
    _route("PUT", "pulls/{n}/reviews/{nid}", rest_writes.edit_review),
    _route("DELETE", "pulls/{n}/reviews/{nid}", rest_writes.edit_review),
    _route("PUT", "pulls/{n}/reviews/{nid}/dismissals", Action.FORGE_SIGNAL),
    _route("POST", "pulls/{n}/comments", rest_writes.review_comment),
    _route("POST", "pulls/{n}/comments/{nid}/replies", rest_writes.review_comment),
    _route("PATCH", "pulls/comments/{nid}", rest_writes.edit_review_comment),
    _route("DELETE", "pulls/comments/{nid}", rest_writes.edit_review_comment),
    _route("PUT", "contents/{*path}", rest_writes.write_contents),
    _route("DELETE", "contents/{*path}", rest_writes.write_contents),
    _route("POST", "git/refs", rest_writes.create_ref),
    _route("PATCH", "git/refs/{*ref}", rest_writes.update_ref),
    _route("DELETE", "git/refs/{*ref}", rest_writes.delete_ref),
    _route("POST", "merges", Action.MERGE_DIRECTLY),
    _route("POST", "merge-upstream", rest_writes.merge_upstream),
    _route("POST", "branches/{~branch}/rename", Action.PUSH_OTHER_BRANCH),
    # Signals that feed a merge gate, the repository's label definitions among them.
    _route("POST", "statuses/{sha}", Action.FORGE_SIGNAL),
    _route("POST", "check-runs", Action.FORGE_SIGNAL),
    _route("PATCH", "check-runs/{nid}", Action.FORGE_SIGNAL),
    _route("POST", "check-runs/{nid}/rerequest", Action.FORGE_SIGNAL),
    _route("POST", "check-suites", Action.FORGE_SIGNAL),
    _route("PATCH", "check-suites/preferences", Action.FORGE_SIGNAL),
    _route("POST", "check-suites/{nid}/rerequest", Action.FORGE_SIGNAL),
    _route("POST", "deployments", Action.FORGE_SIGNAL),
    _route("DELETE", "deployments/{nid}", Action.FORGE_SIGNAL),
    _route("POST", "deployments/{nid}/statuses", Action.FORGE_SIGNAL),
    _route("POST", "actions/runs/{nid}/pending_deployments", Action.FORGE_SIGNAL),
    _route("POST", "actions/runs/{nid}/deployment_protection_rule", Action.FORGE_SIGNAL),
    _route("PATCH", "code-scanning/alerts/{nid}", Action.FORGE_SIGNAL),
    _route("POST", "code-scanning/sarifs", Action.FORGE_SIGNAL),
    _route("PATCH", "secret-scanning/alerts/{nid}", Action.FORGE_SIGNAL),
    _route("POST", "secret-scanning/push-protection-bypasses", Action.FORGE_SIGNAL),
    _route("PATCH", "dependabot/alerts/{nid}", Action.FORGE_SIGNAL),
    _route("POST", "labels", Action.FORGE_SIGNAL),
    _route("PATCH", "labels/{~name}", Action.FORGE_SIGNAL),
    _route("DELETE", "labels/{~name}", Action.FORGE_SIGNAL),
    # Workflows.
    _route("POST", "actions/workflows/{id}/dispatches", Action.DISPATCH_WORKFLOW),
    _route("POST", "dispatches", Action.DISPATCH_WORKFLOW),
    _route("PUT", "actions/workflows/{id}/enable", Action.CHANGE_WORKFLOW),
    _route("PUT", "actions/workflows/{id}/disable", Action.CHANGE_WORKFLOW),
    *_every("POST DELETE", "actions/runs/{*rest}", Action.DISPATCH_WORKFLOW),
    _route("POST", "actions/jobs/{nid}/rerun", Action.DISPATCH_WORKFLOW),
    # Secrets, before settings: environments hold both.
    *_every("PUT DELETE", "actions/secrets/{name}", Action.CHANGE_SECRETS),
    *_every("PUT DELETE", "dependabot/secrets/{name}", Action.CHANGE_SECRETS),
    *_every("PUT DELETE", "codespaces/secrets/{name}", Action.CHANGE_SECRETS),
    _route("POST", "actions/variables", Action.CHANGE_SECRETS),
    *_every("PATCH DELETE", "actions/variables/{name}", Action.CHANGE_SECRETS),
    *_every("PUT DELETE", "environments/{~env}/secrets/{name}", Action.CHANGE_SECRETS),
    _route("POST", "environments/{~env}/variables", Action.CHANGE_SECRETS),
    *_every("PATCH DELETE", "environments/{~env}/variables/{name}", Action.CHANGE_SECRETS),
    _route("POST", "keys", Action.CHANGE_SECRETS),
    _route("DELETE", "keys/{nid}", Action.CHANGE_SECRETS),
    # Protection.
    *_every("PUT POST PATCH DELETE", "branches/{~branch}/protection", Action.CHANGE_PROTECTION),
    *_every("PUT POST PATCH DELETE", "branches/{~branch}/protection/{*rest}", Action.CHANGE_PROTECTION),
    _route("POST", "rulesets", Action.CHANGE_PROTECTION),
    *_every("PUT DELETE", "rulesets/{nid}", Action.CHANGE_PROTECTION),
    _route("POST", "tags/protection", Action.CHANGE_PROTECTION),
    _route("DELETE", "tags/protection/{nid}", Action.CHANGE_PROTECTION),
    # People, hooks, settings, releases.
    *_every("PUT DELETE", "collaborators/{login}", Action.CHANGE_COLLABORATORS),
    *_every("PATCH DELETE", "invitations/{nid}", Action.CHANGE_COLLABORATORS),
    _route("POST", "hooks", Action.CHANGE_WEBHOOKS),
    *_every("PATCH DELETE POST", "hooks/{*rest}", Action.CHANGE_WEBHOOKS),
    *_every("PATCH DELETE", "", Action.CHANGE_SETTINGS),
    _route("PUT", "topics", Action.CHANGE_SETTINGS),
    _route("POST", "transfer", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "vulnerability-alerts", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "automated-security-fixes", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "private-vulnerability-reporting", Action.CHANGE_SETTINGS),
    *_every("PUT POST DELETE", "pages", Action.CHANGE_SETTINGS),
    *_every("POST PUT DELETE", "pages/{*rest}", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "interaction-limits", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "lfs", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "immutable-releases", Action.CHANGE_SETTINGS),
    _route("PATCH", "code-scanning/default-setup", Action.CHANGE_SETTINGS),
    _route("PUT", "actions/oidc/customization/sub", Action.CHANGE_SETTINGS),
    *_every("POST PUT DELETE", "actions/runners/{*rest}", Action.CHANGE_SETTINGS),
    _route("POST", "environments/{~env}/deployment-branch-policies", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "environments/{~env}/deployment-branch-policies/{nid}", Action.CHANGE_SETTINGS),
    _route("POST", "environments/{~env}/deployment_protection_rules", Action.CHANGE_SETTINGS),
    _route("DELETE", "environments/{~env}/deployment_protection_rules/{nid}", Action.CHANGE_SETTINGS),
    *_every("PUT DELETE", "environments/{~env}", Action.CHANGE_SETTINGS),
    *_every("PUT POST PATCH DELETE", "actions/permissions/{*rest}", Action.CHANGE_SETTINGS),
    _route("PUT", "actions/permissions", Action.CHANGE_SETTINGS),
    _route("POST", "autolinks", Action.CHANGE_SETTINGS),
    _route("DELETE", "autolinks/{nid}", Action.CHANGE_SETTINGS),
    _route("PATCH", "properties/values", Action.CHANGE_SETTINGS),
    _route("POST", "releases", Action.RELEASE),
    *_every("POST PATCH DELETE", "releases/{*rest}", Action.RELEASE),
)
