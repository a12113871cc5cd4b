"""A stand-in within the test's own process, and plain clients of it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hive.standins.github import seed
from hive.standins.github.forge import Forge
from hive.standins.github.runner import CheckRunner
from hive.standins.github.service import GitHubService
from hive.standins.github.wire import Server

CONTROL = "control-of-the-test"
ACCOUNTS = [
    {"login": "ada", "token": "token-ada", "association": "MEMBER", "permission": "admin"},
    {"login": "hive[bot]", "kind": "app", "token": "token-hive", "permission": "write"},
    {"login": "eve", "token": "token-eve"},
]
ISSUES = [
    {"title": "It crashes", "body": "On `start`.", "labels": ["bug"], "author": {"login": "ada"}},
    {
        "number": 5,
        "title": "Write more",
        "author": {"login": "eve", "association": "NONE"},
        "labels": [{"name": "go", "by": {"login": "ada"}, "at": "2026-11-01T10:00:00Z"}],
        "comments": [{"by": {"login": "eve"}, "at": "2026-11-02T10:00:00Z", "body": "Please."}],
        "created_at": "2026-10-01T10:00:00Z",
    },
]


@dataclass(frozen=True)
class Answer:
    """Status, headers and decoded body of one response."""

    status: int
    headers: dict[str, str] = field(hash=False)
    body: Any = field(hash=False)


@dataclass(frozen=True)
class World:
    """A served forge."""

    root: Path
    port: int
    forge: Forge
    service: GitHubService

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "token-hive",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request; `path` begins with `/repos`, or with another root's own prefix."""
        prefix = "" if path.startswith(("/_standin", "/api/", "/o/")) else "/api/v3"
        sent = {"Authorization": f"token {token}"} if token else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, prefix + path, data, {**sent, **(headers or {})})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        given = {name.lower(): value for name, value in response.getheaders()}
        is_json = "json" in given.get("content-type", "")
        return Answer(response.status, given, json.loads(text) if is_json and text else text)

    def graphql(self, query: str, **variables: Any) -> Any:
        """The whole answer to a GraphQL document."""
        answer = self.call("POST", "/api/graphql", {"query": query, "variables": variables})
        assert answer.status == 200, answer
        return answer.body

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """The answer of a control endpoint."""
        answer = self.call(method, f"/_standin{path}", body, token=CONTROL)
        assert answer.status == 200, answer
        return answer.body

    def clone_url(self, token: str | None = "token-hive") -> str:
        """Where git finds `o/r`."""
        return f"http://{f'x:{token}@' if token else ''}127.0.0.1:{self.port}/o/r.git"

    def push(
        self, branch: str, files: dict[str, str], *, base: str = "origin/main", force: bool = False
    ) -> str:
        """Commit files on a new branch from `base`, push it, and return the commit."""
        work = self.root.parent / "work"
        if not work.exists():
            git("clone", "--quiet", self.clone_url(), str(work))
        git("fetch", "--quiet", "origin", cwd=work)
        git("checkout", "--quiet", "-B", branch, base, cwd=work)
        for name, text in files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text, encoding="utf-8")
        git("add", "--all", cwd=work)
        git("commit", "--quiet", "-m", f"Change {', '.join(files)}", cwd=work)
        git("push", "--quiet", *(["--force"] if force else []), "origin", f"HEAD:{branch}", cwd=work)
        return git("rev-parse", "HEAD", cwd=work)

    def open_pull(self, branch: str, files: dict[str, str] | None = None, **extra: Any) -> Any:
        """Push a branch and open a pull request for it; its body as REST gives it."""
        self.push(branch, files or {f"{branch}.txt": "text\n"})
        wanted = {"title": f"Add {branch}", "body": "", "head": branch, "base": "main", **extra}
        answer = self.call("POST", "/repos/o/r/pulls", wanted)
        assert answer.status == 201, answer
        return answer.body


GIT_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.com",
    "GIT_COMMITTER_NAME": "Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.com",
}


def git(*arguments: str, cwd: Path | None = None, check: bool = True) -> str:
    """Standard output of git (and of a failed one its error, where it may fail)."""
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=GIT_ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if check and done.returncode != 0:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stderr}")
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()


def write_seed(folder: Path, **changes: Any) -> Path:
    """A description of one repository `o/r` with two issues; `changes` replace its top-level keys."""
    source = folder / "source"
    source.mkdir(exist_ok=True)
    (source / "README.md").write_text("# r\n", encoding="utf-8")
    (source / "src").mkdir(exist_ok=True)
    (source / "src" / "grün.txt").write_text("grün\n", encoding="utf-8")
    repository = {"full_name": "o/r", "from_folder": "source", "issues": ISSUES}
    path = folder / "seed.json"
    path.write_text(json.dumps({"accounts": ACCOUNTS, "repos": [repository], **changes}), encoding="utf-8")
    return path


@contextmanager
def serve(
    root: Path, seed_file: Path | None, *, check_command: str | None = None, check_timeout_s: float = 30.0
) -> Iterator[World]:
    """Serve a forge on a free port until the end of the block."""
    root.mkdir(exist_ok=True)
    forge = Forge(root)
    if seed_file is not None:
        seed.sow(forge, seed_file)
    runner = CheckRunner(forge, check_command, check_timeout_s, 1)
    service = GitHubService(forge, CONTROL)
    server = Server(("127.0.0.1", 0), service.answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    runner.start()
    try:
        yield World(root, server.server_port, forge, service)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        runner.stop()
        forge.store.close()
