"""The forge: whether hive's token is good, for what, for how long, and whether the clocks agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning
from hive.facts.actors import same_login
from hive.facts.app_permissions import NEEDED, reaches

_KINDS = {
    "ghp_": "a classic token",
    "github_pat_": "a fine-grained token",
    "gho_": "a token of an OAuth app",
    "ghu_": "a token of a GitHub App's user",
    "ghs_": "a token of a GitHub App's installation",
}
"""GitHub, "About authentication": what tokens begin with."""

_TO_GIVE = (
    "give it, for these repositories, Contents, Issues and Pull requests: read and write;"
    " Checks, Commit statuses and Actions: read"
)
_BEHIND = timedelta(seconds=30)
_FAR_BEHIND = timedelta(minutes=5)
"""Chosen: settling of pushes and expiry of tokens are counted in minutes."""
_LITTLE_LEFT = 0.1
"""Of a limit (chosen)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`headers` by names in lower case; `data` is what the JSON says, None where it is none."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Any = None


def app_finding(repo: str, login: str, granted: Mapping[str, str]) -> Finding:
    """Whether hive's App has in `repo` what hive needs."""
    name = f"github app in {repo}"
    lacking = [
        f"{what}: {least}"
        for what, least in NEEDED.items()
        if not reaches(granted.get(what), least)
        # Every App may read metadata, and not every answer says so.
        and what != "metadata"
    ]
    if not lacking:
        return ok(name, f"{login} has what hive needs")
    remedy = "give them to the App (its settings, Permissions), and have the owner accept them"
    return problem(name, f"{login} lacks {', '.join(lacking)}", remedy)


def kind_of(token: str) -> str:
    return next((kind for start, kind in _KINDS.items() if token.startswith(start)), "a token")


def token_findings(token: str, user: Reply) -> Iterator[Finding]:
    """`user` is what ``GET /user`` said; nothing of the token itself is told."""
    name, kind = "github token", kind_of(token)
    if user.status == 401:
        yield problem(name, f"the forge does not accept it ({kind})", "make a new one, and set github.token")
        return
    if user.status == 403 and token.startswith("ghs_"):
        yield ok(name, kind)
    elif user.status != 200:
        said = f"GET /user: {user.status} {message(user)}"
        yield problem(name, said, "see whether github.api_url is right and the account is in good standing")
        return
    else:
        yield ok(name, f"{kind} of {_text(user.data, 'login') or 'an account without a name'}")
        yield from _expiry(user.headers.get("github-authentication-token-expiration", ""))
    yield _scopes(kind, user.headers.get("x-oauth-scopes"))


def _expiry(said: str) -> Iterator[Finding]:
    if said:
        yield ok("github token: end", f"it ends at {said}")


def _scopes(kind: str, header: str | None) -> Finding:
    name = "github token: scopes"
    if header is None or (not kind.startswith("a classic") and not header.strip()):
        return skipped(name, f"the forge does not tell what {kind} may do", _TO_GIVE)
    scopes = sorted(each.strip() for each in header.split(",") if each.strip())
    said = ", ".join(scopes) or "none"
    if "repo" in scopes:
        return ok(name, said)
    if "public_repo" in scopes:
        return warning(name, f"{said}: public repositories only", "give it the scope repo for private ones")
    return problem(name, said, "give it the scope repo (public_repo where all repositories are public)")


def account_findings(user: Reply, owners: Iterable[str], *, shared: bool) -> Iterator[Finding]:
    """Whether a person works by hive's account, too; `owners` are those of the repositories."""
    name, login = "github account", _text(user.data, "login")
    remedy = "give hive an account, or an App, of its own"
    if shared:
        said = "shared with a person: what it does without hive is noted, and no incident"
        yield warning(name, said, f"{remedy}, and take incidents.shared_account out")
    elif login and any(same_login(login, owner) for owner in owners):
        said = f"{login} owns repositories here: what that person does by it is an incident"
        yield warning(name, said, f"{remedy}, or set incidents.shared_account: true")


def limit_findings(reply: Reply) -> Iterator[Finding]:
    """`reply` is what ``GET /rate_limit`` said."""
    if reply.status == 404:
        yield skipped("rate limit", "this server has none")
        return
    resources = reply.data.get("resources") if isinstance(reply.data, Mapping) else None
    if reply.status != 200 or not isinstance(resources, Mapping):
        said = f"GET /rate_limit: {reply.status} {message(reply)}"
        yield warning("rate limit", said, "see whether github.api_url is right")
        return
    for kind in ("core", "graphql"):
        window = resources.get(kind)
        if isinstance(window, Mapping):
            yield _limit(f"rate limit: {kind}", window)


def _limit(name: str, window: Mapping[str, Any]) -> Finding:
    left, limit, reset = (int(window.get(key) or 0) for key in ("remaining", "limit", "reset"))
    found = f"{left} of {limit} requests left"
    remedy = f"wait until the window ends (epoch {reset}), or look less often: `poll`"
    if not left:
        return problem(name, found, remedy)
    return warning(name, found, remedy) if left < limit * _LITTLE_LEFT else ok(name, found)


def clock_finding(theirs: datetime | None, ours: datetime) -> Finding:
    """`theirs` is the Date of an answer (whole seconds) which came at `ours`."""
    if theirs is None:
        return skipped("clock", "the forge's answers have no date")
    apart = abs(ours - theirs)
    side = "ahead of" if ours > theirs else "behind"
    found = f"{int(apart.total_seconds())} s {side} the forge's"
    remedy = "let the clock be set from the network: timedatectl set-ntp true"
    if apart > _FAR_BEHIND:
        return problem("clock", found, remedy)
    return warning("clock", found, remedy) if apart > _BEHIND else ok("clock", f"within {found}")


def message(reply: Reply) -> str:
    """The forge's own words; empty where there are none."""
    return _text(reply.data, "message")


def _text(data: Any, key: str) -> str:
    return str(data.get(key) or "") if isinstance(data, Mapping) else ""
