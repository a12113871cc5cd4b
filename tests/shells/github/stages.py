"""The two forges that keep one contract: GitHub's shell over the stand-in, and the fake."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Protocol

from hive.ports.forge import Forge
from hive.shells.github import GitHubForge
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess, start
from tests.fakes.forge import FakeForge

REPO = "acme/widgets"
TOKEN = "token-of-the-bot"


class Stage(Protocol):
    """A forge with a repository `REPO`, whose other side the test moves."""

    @property
    def forge(self) -> Forge: ...

    def push(self, branch: str) -> str:
        """A new commit on `branch`; returns it."""
        ...

    def close(self) -> None: ...


class FakeStage:
    def __init__(self) -> None:
        self.forge = FakeForge()
        self.forge.add_repository(REPO)

    def push(self, branch: str) -> str:
        return self.forge.push(REPO, branch)

    def close(self) -> None:
        self.forge.close()


class StandInStage:
    def __init__(self, root: Path) -> None:
        self.process: StandInProcess = start(root / "forge", seed=_seed(root))
        self.forge = GitHubForge(self.process.api_url, lambda: TOKEN, now=SystemClock().now)
        self._clone = root / "clone"
        self._commits = 0
        host = self.process.url.removeprefix("http://")
        _git(root, "clone", "--quiet", f"http://x:{TOKEN}@{host}/{REPO}.git", str(self._clone))

    def push(self, branch: str) -> str:
        self._commits += 1
        (self._clone / "a.py").write_text(f"x = {self._commits}\n")
        _git(self._clone, "checkout", "--quiet", "-B", branch)
        _git(self._clone, "add", "--all")
        _git(self._clone, "commit", "--quiet", "--message", f"Change {self._commits}")
        _git(self._clone, "push", "--quiet", "--force", "origin", branch)
        return _git(self._clone, "rev-parse", "HEAD").strip()

    def close(self) -> None:
        self.forge.close()
        self.process.stop()


def _git(where: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(where),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=where, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def _seed(root: Path) -> Path:
    source = root / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 0\n")
    description = {
        "accounts": [
            {"login": "acme", "kind": "organization"},
            {"login": "hive-bot", "token": TOKEN, "permission": "admin", "association": "MEMBER"},
        ],
        "repos": [{"full_name": REPO, "from_folder": str(source)}],
    }
    path = root / "seed.json"
    path.write_text(json.dumps(description))
    return path
