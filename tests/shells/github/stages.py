"""The two forges that keep one contract: GitHub's shell over the stand-in, and the fake."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import requests

from hive.ports.forge import Forge
from hive.shells.github import GitHubForge
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess, start
from tests.fakes.forge import FakeForge

REPO = "acme/widgets"
OTHER = "acme/gadgets"
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
        self.forge: FakeForge = FakeForge()
        self.forge.add_repository(REPO)

    def push(self, branch: str) -> str:
        return self.forge.push(REPO, branch)

    def close(self) -> None:
        self.forge.close()


class StandInStage:
    """Attributes:
    later: By how much hive's clock is ahead of the real one.
    """

    def __init__(self, root: Path, issues: Sequence[Any] = (), **more: Any) -> None:
        self.process: StandInProcess = start(root / "forge", seed=_seed(root, issues, more))
        self.later = timedelta()
        self.forge: GitHubForge = self.another()
        self._clone = root / "clone"
        self._commits = 0
        self._counted: Counter[str] = Counter()
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

    def push_many(self, branches: Sequence[str]) -> None:
        """New branches, each with one commit of its own."""
        for branch in branches:
            self._commits += 1
            _git(self._clone, "checkout", "--quiet", "-B", branch, "origin/main")
            (self._clone / "a.py").write_text(f"x = {self._commits}\n")
            _git(self._clone, "commit", "--quiet", "--all", "--message", f"Change {self._commits}")
        _git(self._clone, "push", "--quiet", "origin", *branches)

    def another(self, timeout: int = 20) -> GitHubForge:
        """As hive is after a restart: it knows nothing."""
        return GitHubForge(
            self.process.api_url,
            lambda: TOKEN,
            now=lambda: SystemClock().now() + self.later,
            timeout=timeout,
        )

    def as_person(self, who: str, method: str, path: str, body: Any = None) -> Any:
        """One REST request under somebody's own account; `path` is below the repository."""
        answer = requests.request(
            method,
            f"{self.process.api_url}/repos/{REPO}{path}",
            headers={"Authorization": f"token token-of-{who}"},
            json=body,
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def counted(self) -> dict[str, int]:
        """Requests by route since this was last asked."""
        now = Counter(self.process.state()["requests"])
        since = now - self._counted
        self._counted = now
        return dict(since)

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


PEOPLE = [
    {"login": "ada", "token": "token-of-ada", "permission": "write", "association": "MEMBER"},
    {"login": "tim", "token": "token-of-tim", "permission": "triage", "association": "NONE"},
    {"login": "eve", "token": "token-of-eve"},
    {"login": "ci[bot]", "kind": "app", "token": "token-of-ci", "permission": "write"},
]


def _seed(root: Path, issues: Sequence[Any], more: Mapping[str, Any]) -> Path:
    source = root / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 0\n")
    description = {
        "accounts": [
            {"login": "acme", "kind": "organization"},
            {"login": "hive-bot", "token": TOKEN, "permission": "admin", "association": "MEMBER", **more},
            *PEOPLE,
        ],
        "repos": [
            {"full_name": REPO, "from_folder": str(source), "issues": list(issues)},
            {"full_name": OTHER, "from_folder": str(source)},
        ],
    }
    path = root / "seed.json"
    path.write_text(json.dumps(description))
    return path
