"""An agent's place in front of a running gateway and a stand-in: its home, its tools, its clone."""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hive.facts.work import Task, TaskState, task_id
from hive.gateway import Gateway, GatewaySettings, client_files
from hive.ports.authority import Identity
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess
from tests.fakes.authority import FakeAuthority
from tests.gateway.client_folder import write_client_files

REPO = "acme/widgets"
CREDENTIAL = "ghp_the-real-credential-of-the-bot"
TOKEN = "hive-token-of-quality"
AGENT = "quality"


@dataclass
class Place:
    """Attributes:
    gh: Which of `gh_programs` it uses; empty for none.
    """

    root: Path
    forge: StandInProcess
    authority: FakeAuthority
    settings: GatewaySettings
    gateway: Gateway
    agent: str = AGENT
    token: str = TOKEN
    gh: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / "homes" / self.agent

    @property
    def clone(self) -> Path:
        return self.home / "widgets"

    def equip(self, gh: Path | None = None) -> None:
        """Write the agent's files; `gh` goes first on its path."""
        path = f"{gh.parent}:/usr/bin:/bin" if gh else "/usr/bin:/bin"
        files, environment = client_files(
            self.home,
            token=self.token,
            socket=self.settings.socket_path,
            proxy_url=self.gateway.proxy_url,
            ca_file=self.gateway.ca_file,
            agent=self.agent,
            repos=(REPO,),
            path=path,
        )
        write_client_files(files, environment)
        self.environment = dict(environment)

    def run(
        self, *command: str, cwd: Path | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """A command as the agent would run it."""
        return subprocess.run(
            command,
            cwd=cwd or (self.clone if self.clone.exists() else self.home),
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def good(self, *command: str, cwd: Path | None = None) -> str:
        """As `run`; what it printed. It has to succeed."""
        done = self.run(*command, cwd=cwd)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def check_out(self) -> None:
        """Clone the repository by its public address."""
        self.good("git", "clone", "--quiet", f"https://github.com/{REPO}.git", str(self.clone), cwd=self.home)

    def commit(self, branch: str, files: Mapping[str, str | bytes], message: str = "Change it") -> None:
        """A commit on `branch`, made from where the clone stands."""
        exists = self.run("git", "rev-parse", "--verify", "--quiet", branch).returncode == 0
        self.good("git", "checkout", "--quiet", *([] if exists else ["-b"]), branch)
        for name, content in files.items():
            path = self.clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.good("git", "add", "--all")
        self.good("git", "commit", "--quiet", "--message", message)

    def push(self, *what: str) -> subprocess.CompletedProcess[str]:
        return self.run("git", "push", "origin", *what)

    def pulls(self) -> list[dict[str, Any]]:
        """The stand-in's pull requests."""
        return list(self.forge.state()["repositories"][REPO]["pulls"])

    def branches(self) -> dict[str, str]:
        """The branches that the forge really has."""
        git = self.forge.root / "git" / f"{REPO}.git"
        done = subprocess.run(
            [
                "git",
                "-C",
                str(git),
                "-c",
                "safe.directory=*",
                "for-each-ref",
                "--format=%(refname) %(objectname)",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        return dict(line.split(" ") for line in done.stdout.splitlines())

    def api(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, dict[str, Any]]:
        """One request over the Unix socket: status and JSON."""
        sent = {"Host": "api.github.com", "Authorization": f"token {self.token}", **headers}
        with contextlib.closing(UnixConnection(self.settings.socket_path)) as connection:
            connection.request(method, path, body.encode() if body else None, sent)
            response = connection.getresponse()
            data = response.read()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return response.status, json.loads(data) if is_json else {}

    def good_api(self, method: str, path: str, body: str = "") -> dict[str, Any]:
        status, value = self.api(method, path, body)
        assert status in (200, 201), value
        return value

    def restart(self) -> None:
        """Another gateway in the place of this one, on the same socket and port."""
        self.settings = replace(self.settings, port=self.gateway.port)
        self.gateway.close()
        self.gateway = Gateway(self.settings, self.authority, SystemClock())
        self.gateway.start()


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def settings_for(root: Path, forge: StandInProcess) -> GatewaySettings:
    return GatewaySettings(
        socket_path=root / "gate" / "gateway.sock",
        state=root / "gateway",
        credential=lambda: CREDENTIAL,
        api_url=f"{forge.url}/api/v3",
        graphql_url=f"{forge.url}/api/graphql",
        git_url=forge.url,
        mirror_fresh_s=0.0,
    )


def seed(root: Path) -> Path:
    """A description of a small repository with two issues."""
    source = root / "source"
    source.mkdir()
    (source / "README.md").write_text("# widgets\n")
    (source / "widgets.py").write_text("def area(a, b):\n    return a + b\n")
    description = {
        "accounts": [
            {"login": "acme", "kind": "organization"},
            {"login": "hive-bot", "token": CREDENTIAL, "permission": "admin", "association": "MEMBER"},
            {"login": "ada", "token": "ada-token", "permission": "admin", "association": "OWNER"},
        ],
        "repos": [
            {
                "full_name": REPO,
                "from_folder": str(source),
                "issues": [
                    {"title": "area adds", "body": "It should multiply.", "author": "ada"},
                    {"title": "no tests", "body": "There are none.", "author": "ada"},
                ],
            }
        ],
    }
    path = root / "seed.json"
    path.write_text(json.dumps(description))
    return path


def identity(agent: str = AGENT, role: str = "quality") -> Identity:
    return Identity(agent, role, (REPO,), None)


def at_task(one: Identity, issue: int) -> Identity:
    """`one` at work on an issue of the place's repository: its words may close that one."""
    made = Task(
        id=task_id(REPO, issue, 1),
        repo=REPO,
        issue=issue,
        agent=one.agent,
        branch=f"hive/{one.agent}/{issue}",
        attempt=1,
        state=TaskState.WORKING,
        claimed_at=datetime(2026, 11, 30, tzinfo=UTC),
    )
    return replace(one, task=made)


def gh_programs() -> dict[str, Path]:
    """The real `gh` in the versions that people have: Debian's and a current one."""
    found = {"debian": Path("/usr/bin/gh"), "current": Path(sys.prefix) / "bin" / "gh"}
    return {name: path for name, path in found.items() if path.exists() and shutil.which(str(path))}
