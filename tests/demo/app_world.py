"""A whole hive that acts as a GitHub App: two owners with an installation each, and webhooks."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hive.demo.daemon import DemoDaemon
from hive.demo.world import DemoWorld
from hive.facts.app_permissions import USED
from hive.shells.system.files import private_folder, write_private
from hive.standins.github import process
from hive.standins.github.apps import new_key
from tests.demo.worlds import until

REPOS = ("acme/tally", "umbrella/count")
ACCOUNT = "hive-app[bot]"
ADA, SECRET = "ada-administers-0123456789", "signed-with-thirty-two-letters-00"
EVENTS = ("issues", "pull_request", "check_run", "push")
MAIL = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


@dataclass
class AppHouse:
    """The daemon, and ada, who administers both repositories."""

    daemon: DemoDaemon

    @property
    def forge(self) -> process.StandInProcess:
        return self.daemon.world.forge

    def ask(self, path: str, body: Mapping[str, Any] | None = None, method: str = "") -> Any:
        """As ada, by the forge's own interface; `path` follows ``/repos/``."""
        request = urllib.request.Request(
            f"{self.forge.api_url}/repos/{path}",
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"token {ADA}", "Content-Type": "application/json"},
            method=method or ("GET" if body is None else "POST"),
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def pulls(self, repo: str) -> list[Mapping[str, Any]]:
        found = self.forge.state()["repositories"][repo]["pulls"]
        return [pull for pull in found if pull["author"] == ACCOUNT]

    def webhooks(self) -> Mapping[str, Any]:
        """What the daemon says of deliveries, once it answers."""

        def told() -> Any:
            assert self.daemon.is_running(), self.daemon.last_words()
            return (self.daemon.status() or {}).get("webhooks")

        found: Mapping[str, Any] = until(told, "a daemon that listens")
        return found

    def hook(self) -> None:
        """Have both repositories deliver to where the daemon listens."""
        url = f"http://{self.webhooks()['at']}/"
        config = {"url": url, "secret": SECRET, "content_type": "json"}
        for repo in REPOS:
            self.ask(f"{repo}/hooks", {"config": config, "events": list(EVENTS)})

    def deliver(self, body: bytes, *, number: str, secret: str = SECRET) -> int:
        """One delivery that this test makes up; the answer's status."""
        host, _, port = str(self.webhooks()["at"]).partition(":")
        signed = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "X-GitHub-Event": "issues",
            "X-GitHub-Delivery": number,
            "X-Hub-Signature-256": f"sha256={signed}",
        }
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.request("POST", "/", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()


@contextmanager
def app_house(folder: Path, *, poll: str) -> Iterator[AppHouse]:
    """The forge runs; the daemon is not started yet. Everything is ended afterwards."""
    private_folder(folder)
    public, private = new_key()
    seed, key = folder / "seed.json", folder / "app.pem"
    write_private(seed, json.dumps(_seed(folder, public)).encode())
    write_private(key, private.encode())
    forge = process.start(folder / "github", seed=seed, check_command="true")
    try:
        config = folder / "hive.yaml"
        write_private(config, yaml.safe_dump(_settings(forge.api_url, key, poll), sort_keys=False).encode())
        daemon = DemoDaemon(DemoWorld(folder, config, REPOS[0], forge))
        try:
            yield AppHouse(daemon)
        finally:
            daemon.stop()
    finally:
        forge.stop()


def _seed(folder: Path, public_key: str) -> dict[str, Any]:
    return {
        "accounts": [
            *({"login": repo.partition("/")[0], "kind": "organization"} for repo in REPOS),
            {"login": "ada", "token": ADA, "permission": "admin", "association": "OWNER"},
        ],
        "repos": [{"full_name": repo, "from_git": str(_repository(folder, repo))} for repo in REPOS],
        "apps": [
            {
                "slug": "hive-app",
                "id": 7,
                "owner": "acme",
                "public_key": public_key,
                "permissions": dict(USED),
                "installed_on": [repo.partition("/")[0] for repo in REPOS],
            }
        ],
    }


def _repository(folder: Path, repo: str) -> Path:
    path = folder / "sources" / repo
    path.mkdir(parents=True)
    (path / "count.txt").write_text("one\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run(["git", *MAIL, *arguments], cwd=path, check=True)
    return path


def _settings(api_url: str, key: Path, poll: str) -> dict[str, Any]:
    agents = [
        {"name": f"quality-{number}", "role": "quality", "backend": "scripted", "repos": [repo]}
        for number, repo in enumerate(REPOS)
    ]
    return {
        "level": 5,
        "github": {
            "api_url": api_url,
            "app": {"id": "7", "private_key_file": str(key)},
            "webhooks": {"listen": "127.0.0.1:0", "secret": SECRET},
        },
        "repositories": list(REPOS),
        "state": "state",
        "tick": "1s",
        "poll": poll,
        "agents": [{**one, "environment": {"SCRIPTED_RETRY_SECONDS": "600"}} for one in agents],
        "merge": {"settle": "1s"},
        "lifecycle": {"stagger": "0s", "backoff": "1s", "rest": "2s"},
    }
