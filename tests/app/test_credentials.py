"""One source of hive's credential: which of a GitHub App's installations reaches what."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hive.app.configuration import LiveConfiguration
from hive.app.credentials import Credentials
from hive.standins.github import apps
from tests.settings.conftest import ENVIRON, GOOD, backends
from tests.standins.github.harness import serve, write_seed


def credentials(folder: Path, github: str, now: datetime) -> Credentials:
    path = folder / "hive.yaml"
    path.write_text(GOOD.replace("github:\n  token: ${GITHUB_TOKEN}\n", f"github: {github}\n"))
    live = LiveConfiguration(path, environ=ENVIRON, backends=backends(), guardrails={})
    return Credentials(live, lambda: now)


def test_an_app_has_an_installation_for_each_repository(tmp_path: Path) -> None:
    with serve(tmp_path / "root", write_seed(tmp_path)) as world:
        forge = world.forge
        with forge.transaction():
            owner = forge.account("o")
            assert owner is not None
            app, key = apps.register(forge, "hive-app", owner=owner, permissions={"issues": "write"})
            installed = apps.install(forge, app, owner)
        file = tmp_path / "app.pem"
        file.touch(0o600)
        file.write_text(key)
        url = f"http://127.0.0.1:{world.port}/api/v3"
        section = f"{{api_url: '{url}', app: {{id: {app.id}, private_key_file: app.pem}}}}"
        asked = credentials(tmp_path, section, datetime.fromtimestamp(forge.clock.epoch(), UTC))
        assert asked.installation_of("o/r") == installed.id


def test_a_token_is_the_one_for_all_repositories(tmp_path: Path) -> None:
    asked = credentials(tmp_path, '{token: "${GITHUB_TOKEN}"}', datetime(2026, 12, 1, tzinfo=UTC))
    assert {asked.installation_of(repo) for repo in ("o/r", "elsewhere/s")} == {0}
