"""Who is asking, and what they may do where."""

import base64
import binascii
import hmac

from hive.standins.github import apps
from hive.standins.github.failures import ApiFailure, forbidden, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Repository

_LEVELS = ("none", "read", "triage", "write", "maintain", "admin")
_BY_ASSOCIATION = {"OWNER": "admin", "MEMBER": "write", "COLLABORATOR": "write"}


def token_of(authorization: str | None) -> str | None:
    """The token of an Authorization header: `token X`, `Bearer X`, or Basic, where it is the password."""
    scheme, _, value = (authorization or "").strip().partition(" ")
    if scheme.lower() in ("token", "bearer"):
        return value.strip()
    if scheme.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    # git's `https://TOKEN@host` leaves the password empty.
    return password or user


def identify(forge: Forge, authorization: str | None) -> Account | None:
    """The account whose token this is; None where no credential was given.

    Raises a 401 for a token that is nobody's.
    """
    token = token_of(authorization)
    if token is None:
        return None
    if token.startswith("ghs_"):
        given = forge.store.tokens.last_of(token)
        if given is None:
            raise ApiFailure(401, "Bad credentials")
        return apps.account_of_token(forge, given)
    for account in forge.store.accounts:
        if account.token and hmac.compare_digest(account.token.encode(), token.encode()):
            return account
    raise ApiFailure(401, "Bad credentials")


def is_jwt(authorization: str | None) -> bool:
    """Whether an Authorization header carries an App's own signature."""
    scheme, _, value = (authorization or "").strip().partition(" ")
    return scheme.lower() == "bearer" and value.count(".") == 2 and value.startswith("ey")


def association(forge: Forge, account: Account | None, repo: Repository) -> str:
    """GitHub's `author_association` of an account in a repository."""
    if account is None:
        return "NONE"
    if account.id == repo.owner and account.kind == "person":
        return "OWNER"
    return account.associations.get(repo.full_name) or account.associations.get("*") or "NONE"


def permission(forge: Forge, account: Account | None, repo: Repository) -> str:
    """`none`, `read`, `triage`, `write`, `maintain` or `admin`."""
    public = "none" if repo.private else "read"
    if account is None:
        return public
    if account.granted is not None:
        return max(account.permissions.get(repo.full_name, public), public, key=_LEVELS.index)
    given = account.permissions.get(repo.full_name) or account.permissions.get("*")
    level = given or _BY_ASSOCIATION.get(association(forge, account, repo), public)
    return max(level, public, _by_team(forge, account, repo), key=_LEVELS.index)


def _by_team(forge: Forge, account: Account, repo: Repository) -> str:
    """The most that a team gives its member there."""
    given = [
        team.permissions.get(repo.full_name) or team.permissions.get("*") or "none"
        for team in forge.store.teams.of(repo.owner)
        if account.id in team.members
    ]
    return max(given, key=_LEVELS.index, default="none")


def may(forge: Forge, account: Account | None, repo: Repository, needed: str) -> bool:
    """Whether `account` has at least `needed` there."""
    return _LEVELS.index(permission(forge, account, repo)) >= _LEVELS.index(needed)


def require(forge: Forge, account: Account | None, repo: Repository, needed: str) -> None:
    """Refuse as GitHub does: 404 where it may not be seen, 401 without a credential, else 403."""
    if not may(forge, account, repo, "read"):
        raise not_found()
    if account is None and needed != "read":
        raise ApiFailure(401, "Requires authentication")
    if not may(forge, account, repo, needed):
        raise forbidden()


def signed_in(account: Account | None) -> Account:
    """The account, or a 401 where there is none."""
    if account is None:
        raise ApiFailure(401, "Requires authentication")
    return account
