"""Where the forge is, and hive's credential for it."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from hive.errors import ConfigError
from hive.settings.secret import Secret


@dataclass(frozen=True, slots=True)
class AppSettings:
    """A GitHub App: `id` is its number or its client id."""

    id: str
    key_file: Path

    def key(self) -> str:
        """Its private key (PEM), read anew. Raises `ConfigError` as `GithubSettings.credential` does."""
        key = _read(self.key_file, "private key")
        if "PRIVATE KEY-----" not in key:
            raise ConfigError("this is no private key in PEM", source=str(self.key_file))
        return key


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """Where deliveries arrive, and the secret that they are signed with."""

    host: str
    port: int
    secret: Secret


@dataclass(frozen=True, slots=True)
class GithubSettings:
    """Addresses end without a slash.

    Attributes:
        git_url: ``{git_url}/OWNER/NAME.git`` is a repository.
        token: As it was when the configuration was loaded; `None` where it is in `token_file`, and where
            hive acts as an App.
        app: The App that takes a token's place.
        webhooks: Where GitHub's deliveries arrive; `None` for nowhere.
    """

    api_url: str
    graphql_url: str
    git_url: str
    token: Secret | None
    token_file: Path | None
    app: AppSettings | None = None
    webhooks: WebhookSettings | None = None

    def credential(self) -> str:
        """Hive's own credential, now: a token file is read anew, so that it can be replaced.

        Raises `ConfigError` when the file cannot be read, is empty or is open to others.
        """
        if self.token is not None:
            return self.token.reveal()
        if self.token_file is None:
            raise ConfigError("hive acts as a GitHub App, which has no token of its own")
        return read_token(self.token_file)


def read_token(path: Path) -> str:
    """The token in `path`. Raises `ConfigError` as `GithubSettings.credential` does."""
    token = _read(path, "token")
    if complaint := token_fault(token):
        raise ConfigError(complaint, source=str(path))
    return token


def _read(path: Path, what: str) -> str:
    """A secret from a file that is for hive alone."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise ConfigError(f"this is no file; write the {what} into one", source=str(path))
        if mode & 0o077:
            raise ConfigError(f"others may read this {what}; chmod 600 {path}", source=str(path))
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"the {what} cannot be read: {reason}", source=str(path)) from error


def token_fault(token: str) -> str | None:
    """What is wrong with a token, without showing it; `None` for nothing."""
    if not token:
        return "the token is empty"
    if not token.isascii() or not token.isprintable() or " " in token:
        return "the token holds characters that no token has; is there more than one line?"
    return None


def addresses(api_url: str) -> tuple[str, str]:
    """The GraphQL address and the root of the git addresses that belong to a REST address.

    ``https://api.github.com`` has its GraphQL below itself and its git without ``api.``; a server's
    ``https://HOST/api/v3`` has ``https://HOST/api/graphql`` and ``https://HOST``.
    """
    parts = urlsplit(api_url)
    root = f"{parts.scheme}://{parts.netloc}"
    path = parts.path.rstrip("/")
    if path.endswith("/api/v3"):
        base = root + path.removesuffix("/api/v3")
        return f"{base}/api/graphql", base
    host = parts.netloc
    git = f"{parts.scheme}://{host[4:]}" if host.lower().startswith("api.") else root + path
    return f"{api_url}/graphql", git
