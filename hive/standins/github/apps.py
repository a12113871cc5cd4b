"""GitHub Apps: their JWTs, installations, and the tokens that these get."""

import secrets
from dataclasses import replace
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from hive.standins.github.clock import written
from hive.standins.github.failures import ApiFailure
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account
from hive.standins.github.records_access import App, Installation, InstallationToken

TOKEN_S = 3600
"""How long an installation's token is good for, by GitHub's documentation."""
LONGEST_JWT_S = 600
"""How far ahead a JWT may expire, by GitHub's documentation."""
_ORDER = ("read", "write", "admin")


def register(
    forge: Forge,
    slug: str,
    *,
    owner: Account,
    permissions: dict[str, str],
    public_key: str | None = None,
    app_id: int | None = None,
    events: list[str] | None = None,
) -> tuple[App, str]:
    """A new App and its private key (PEM; empty where the public one was given)."""
    private = ""
    if public_key is None:
        public_key, private = new_key()
    bots = forge.store.accounts
    bot = forge.account(f"{slug}[bot]") or bots.put(Account(bots.next_id(), f"{slug}[bot]", "app"))
    app = App(
        id=app_id or forge.store.apps.next_id(),
        slug=slug,
        client_id=f"Iv23li{secrets.token_hex(7)}",
        owner=owner.id,
        public_key=public_key,
        bot=bot.id,
        permissions=permissions,
        events=events or [],
        created_at=forge.clock.now(),
    )
    return forge.store.apps.put(app), private


def new_key() -> tuple[str, str]:
    """A fresh pair of RSA keys in PEM: public, private."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return public.decode(), private.decode()


def install(
    forge: Forge, app: App, account: Account, *, repositories: list[str] | None = None
) -> Installation:
    """Put an App on an account, with the permissions that it asks for."""
    table = forge.store.installations
    made = Installation(
        table.next_id(), app.id, account.id, dict(app.permissions), repositories, forge.clock.now()
    )
    return table.put(made)


def app_of_jwt(forge: Forge, token: str) -> App:
    """The App that signed a JWT; a 401 in GitHub's words for one that is not good."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError as error:
        raise ApiFailure(401, "A JSON web token could not be decoded") from error
    issuer = str(claims.get("iss", ""))
    app = next((app for app in forge.store.apps if issuer in (str(app.id), app.client_id)), None)
    if app is None:
        raise ApiFailure(401, "Integration not found")
    try:
        unchecked = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
        jwt.decode(token, app.public_key, algorithms=["RS256"], options=unchecked)  # type: ignore[arg-type]  # a subset of the options, as PyJWT takes it
    except jwt.PyJWTError as error:
        raise ApiFailure(401, "A JSON web token could not be decoded") from error
    _check_times(forge.clock.epoch(), claims)
    return app


def _check_times(now: int, claims: dict[str, Any]) -> None:
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(expires, int) or expires <= now:
        raise ApiFailure(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which "
            "the assertion expires",
        )
    if expires > now + LONGEST_JWT_S:
        raise ApiFailure(401, "'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(issued, int) or issued > now:
        raise ApiFailure(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was "
            "issued",
        )


def make_token(
    forge: Forge,
    installation: Installation,
    *,
    repositories: list[str] | None = None,
    permissions: dict[str, str] | None = None,
) -> InstallationToken:
    """A token for an hour, narrowed to some repositories and permissions where the caller says so.

    422 for what the installation does not have itself, 403 where it is suspended.
    """
    if installation.suspended_at:
        raise ApiFailure(403, "This installation has been suspended")
    table = forge.store.tokens
    made = InstallationToken(
        id=table.next_id(),
        installation=installation.id,
        token=f"ghs_{secrets.token_hex(18)}",
        expires_at=forge.clock.time() + TOKEN_S,
        permissions=_narrowed(installation, permissions),
        repositories=_chosen(forge, installation, repositories),
    )
    return table.put(made)


def _narrowed(installation: Installation, asked: dict[str, str] | None) -> dict[str, str]:
    if asked is None:
        return {"metadata": "read", **installation.permissions}
    has = {"metadata": "read", **installation.permissions}
    for name, level in asked.items():
        if level not in _ORDER or name not in has or _ORDER.index(level) > _ORDER.index(has[name]):
            raise ApiFailure(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read", **asked}


def _chosen(forge: Forge, installation: Installation, asked: list[str] | None) -> list[str] | None:
    if asked is None:
        return installation.repositories
    owner = forge.login(installation.account)
    full = [name if "/" in name else f"{owner}/{name}" for name in asked]
    for name in full:
        repo = forge.repository(name)
        listed = installation.repositories is None or name in installation.repositories
        if repo is None or repo.owner != installation.account or not listed:
            raise ApiFailure(
                422, "There is at least one repository that does not exist or is not accessible to the parent"
            )
    return full


def covered(forge: Forge, installation: Installation, names: list[str] | None) -> list[str]:
    """The `owner/name`s that a token reaches."""
    if names is not None:
        return names
    return [repo.full_name for repo in forge.store.repositories if repo.owner == installation.account]


def account_of_token(forge: Forge, given: InstallationToken) -> Account:
    """The bot that a token stands for, as it may act by this token; 401 where that is over."""
    installation = forge.store.installations.get(given.installation)
    app = forge.store.apps.get(installation.app) if installation else None
    bot = forge.store.accounts.get(app.bot) if app else None
    if installation is None or bot is None or given.expires_at <= forge.clock.time():
        raise ApiFailure(401, "Bad credentials")
    if installation.suspended_at:
        raise ApiFailure(403, "This installation has been suspended")
    level = "admin" if given.permissions.get("administration") == "write" else "write"
    writes = any(value in ("write", "admin") for value in given.permissions.values())
    names = covered(forge, installation, given.repositories)
    return replace(
        bot,
        permissions=dict.fromkeys(names, level if writes else "read"),
        associations=bot.associations,
        granted=given.permissions,
        installation=installation.id,
    )


def shown_expiry(given: InstallationToken) -> str:
    """When it ends, as GitHub writes it."""
    return written(given.expires_at)
