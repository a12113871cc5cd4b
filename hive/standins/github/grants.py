"""What a token may do beyond who holds it: an App's permissions, and the scopes of a personal token."""

import re
from collections.abc import Mapping

from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Account

_REPO = r"^/repos/\{owner\}/\{repo\}"
_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (_REPO + r"/pulls", ("pull_requests",)),
    (_REPO + r"/issues/\{number\}/(labels|assignees|comments|lock)", ("issues", "pull_requests")),
    (_REPO + r"/issues/comments", ("issues", "pull_requests")),
    (_REPO + r"/(issues|labels|milestones|assignees)", ("issues",)),
    (_REPO + r"/(check-runs|check-suites)", ("checks",)),
    (_REPO + r"/commits/\{ref:path\}/check-", ("checks",)),
    (_REPO + r"/(statuses|commits/\{ref:path\}/status)", ("statuses",)),
    (_REPO + r"/actions", ("actions",)),
    (_REPO + r"/branches/\{branch:path\}/protection", ("administration",)),
    (_REPO + r"/rulesets", ("administration",)),
    (_REPO + r"/hooks", ("repository_hooks",)),
    (_REPO + r"/(contents|git|compare|commits|branches|merges|readme|forks|dispatches)", ("contents",)),
)
"""Route templates and the permissions of which one is needed; what is not listed needs `metadata` alone."""

_MUTATIONS: dict[str, tuple[str, ...]] = {
    "createIssue": ("issues",),
    "updateIssue": ("issues",),
    "closeIssue": ("issues",),
    "reopenIssue": ("issues",),
    "transferIssue": ("issues",),
    "addComment": ("issues", "pull_requests"),
    "addLabelsToLabelable": ("issues", "pull_requests"),
    "removeLabelsFromLabelable": ("issues", "pull_requests"),
    "addAssigneesToAssignable": ("issues", "pull_requests"),
    "removeAssigneesFromAssignable": ("issues", "pull_requests"),
    "mergePullRequest": ("contents",),
    "createRef": ("contents",),
    "updateRef": ("contents",),
    "deleteRef": ("contents",),
    "createCommitOnBranch": ("contents",),
}


def family(template: str) -> tuple[str, ...]:
    """The permissions of which one opens a REST route; `metadata` where none is special to it."""
    return next((names for pattern, names in _FAMILIES if re.search(pattern, template)), ("metadata",))


def check_route(account: Account | None, method: str, template: str) -> None:
    """Refuse a call that an App's token does not cover, naming the permission as GitHub does."""
    if account is None or account.granted is None:
        return
    names, needed = family(template), "read" if method in ("GET", "HEAD") else "write"
    if template.endswith("/merge") and method == "PUT":
        names = ("contents",)
    if not _covers(account.granted, names, needed):
        raise _refused(names, needed)


def check_mutation(account: Account, name: str) -> None:
    """Refuse a mutation that an App's token does not cover."""
    names = _MUTATIONS.get(name, ("pull_requests",))
    if account.granted is not None and not _covers(account.granted, names, "write"):
        raise _refused(names, "write")


def check_git(account: Account | None, *, pushing: bool) -> None:
    """Refuse a fetch or push that an App's token does not cover."""
    needed = "write" if pushing else "read"
    if (
        account is not None
        and account.granted is not None
        and not _covers(account.granted, ("contents",), needed)
    ):
        raise ApiFailure(403, "Write access to repository not granted.")


def _covers(granted: Mapping[str, str], names: tuple[str, ...], needed: str) -> bool:
    if "metadata" in names and needed == "read":
        return True
    enough = ("read", "write", "admin") if needed == "read" else ("write", "admin")
    return any(granted.get(name) in enough for name in names)


def _refused(names: tuple[str, ...], needed: str) -> ApiFailure:
    accepted = "; ".join(f"{name}={needed}" for name in names)
    return ApiFailure(
        403, "Resource not accessible by integration", headers={"X-Accepted-GitHub-Permissions": accepted}
    )
