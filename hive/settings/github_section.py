"""The section `github` into addresses and a credential."""

from __future__ import annotations

import os
from pathlib import Path

from hive.documents import Document
from hive.errors import ConfigError
from hive.settings.github import (
    AppSettings,
    GithubSettings,
    WebhookSettings,
    addresses,
    read_token,
    token_fault,
)
from hive.settings.hive_file import GithubModel, WebhooksModel
from hive.settings.interpolation import Interpolation
from hive.settings.secret import Secret


def read_github(
    document: Document, model: GithubModel, path: Path, interpolation: Interpolation
) -> tuple[GithubSettings, Secret]:
    """Return the forge's settings and the credential as it is now, of an App its private key.

    Raises `ConfigError` when there is none or there are several, and when others can read it.
    """
    given = [name for name in ("token", "token_file", "app") if getattr(model, name) is not None]
    if len(given) != 1:
        said = f"{' and '.join(given)} are all given; keep one" if given else "there is no credential"
        if len(given) == 2:
            said = said.replace("all", "both")
        remedy = "" if given else "; write token: ${GITHUB_TOKEN}, token_file: PATH, or app"
        raise document.error(f"github: {said}{remedy}", ("github",))
    graphql, git = addresses(model.api_url)
    github = GithubSettings(
        api_url=model.api_url,
        graphql_url=model.graphql_url or graphql,
        git_url=model.git_url or git,
        token=None if model.token is None else Secret(model.token),
        token_file=None if model.token_file is None else _beside(path, model.token_file),
        app=None
        if model.app is None
        else AppSettings(model.app.id, _beside(path, model.app.private_key_file)),
        webhooks=None if model.webhooks is None else _webhooks(document, model.webhooks),
    )
    if github.app is not None:
        return github, _key(document, github.app)
    return github, _credential(document, github, path, interpolation)


def _webhooks(document: Document, model: WebhooksModel) -> WebhookSettings:
    host, _, port = model.listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        said = f"github.webhooks.listen: {model.listen!r} is no address; write it like 127.0.0.1:8686"
        raise document.error(said, ("github", "webhooks", "listen"))
    if len(model.secret) < 16:
        said = "github.webhooks.secret: it is too short; make one with: openssl rand -hex 32"
        raise document.error(said, ("github", "webhooks", "secret"))
    return WebhookSettings(host.strip("[]"), int(port), Secret(model.secret))


def _beside(path: Path, file: str) -> Path:
    return Path(os.path.abspath(path.parent / Path(file).expanduser()))


def _key(document: Document, app: AppSettings) -> Secret:
    try:
        return Secret(app.key())
    except ConfigError as error:
        said = f"github.app.private_key_file: {app.key_file}: {error.message}"
        raise document.error(said, ("github", "app", "private_key_file")) from error


def _credential(
    document: Document, github: GithubSettings, path: Path, interpolation: Interpolation
) -> Secret:
    if github.token_file is not None:
        try:
            return Secret(read_token(github.token_file))
        except ConfigError as error:
            said = f"github.token_file: {github.token_file}: {error.message}"
            raise document.error(said, ("github", "token_file")) from error
    assert github.token is not None
    at = ("github", "token")
    if complaint := token_fault(github.token.reveal()):
        raise document.error(f"github.token: {complaint}", at)
    if not interpolation.used.get(at) and path.exists() and path.stat().st_mode & 0o077:
        said = f"others may read the token in this file; write ${{GITHUB_TOKEN}}, or chmod 600 {path}"
        raise document.error(f"github.token: {said}", at)
    return github.token
