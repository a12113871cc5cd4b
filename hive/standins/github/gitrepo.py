"""One bare repository, asked and changed through git itself."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

# A git command of a stand-in on a local disk; one that takes longer hangs (chosen).
_TIMEOUT_S = 120

# Answers kept about pairs of commits; enough for a thousand pull requests (chosen).
_MOST_KNOWN = 10_000
_SHA = re.compile(r"[0-9a-f]{40}")

GITHUB_SIGNATURE = {"GIT_COMMITTER_NAME": "GitHub", "GIT_COMMITTER_EMAIL": "noreply@github.com"}


class GitFailure(Exception):
    """git ended with an error; the text is its own."""


def environment(**extra: str) -> dict[str, str]:
    """The environment of every git command: no configuration of the user's, no prompts, no credentials."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        **extra,
    }


def git(
    *arguments: str,
    data: bytes | None = None,
    ok: tuple[int, ...] = (0,),
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Standard output of `git ARGUMENTS`, with `variables` beside the usual environment.

    Raises `GitFailure` when it ends with a code not in `ok`.
    """
    command = ["git", "-c", "core.quotePath=false", "-c", "safe.directory=*", *arguments]
    done = subprocess.run(
        command,
        input=data,
        capture_output=True,
        env=environment(**variables or {}),
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode not in ok:
        raise GitFailure(done.stderr.decode(errors="replace").strip() or f"git ended with {done.returncode}")
    return done.stdout


@dataclass(frozen=True, slots=True)
class Signature:
    """Who made a commit and when (ISO 8601 with zone)."""

    name: str
    email: str
    date: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as git has it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


_COMMIT_FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x00%x01"


class GitRepo:
    """A bare repository at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._commits: dict[str, Commit] = {}
        self._known: dict[tuple[str, ...], Any] = {}

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        variables: Mapping[str, str] | None = None,
    ) -> str:
        """Standard output of a git command in this repository, undecodable bytes replaced."""
        output = git(f"--git-dir={self.path}", *arguments, data=data, ok=ok, variables=variables)
        return output.decode(errors="replace")

    def heads(self) -> dict[str, str]:
        """Branch name to commit."""
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads").splitlines()
        return {ref.removeprefix("refs/heads/"): sha for sha, ref in (line.split(" ", 1) for line in lines)}

    def refs(self, prefix: str) -> dict[str, tuple[str, str]]:
        """Full ref name to (object, type), for refs that begin with `prefix`."""
        lines = self.run("for-each-ref", "--format=%(objectname) %(objecttype) %(refname)").splitlines()
        split = (line.split(" ", 2) for line in lines)
        return {ref: (sha, kind) for sha, kind, ref in split if ref.startswith(prefix)}

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, tag, full ref or sha names; None when there is none."""
        for candidate in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            found = self.run(
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{candidate}^{{commit}}",
                ok=(0, 1, 128),
            )
            if found.strip():
                return found.strip()
        return None

    def commit(self, sha: str) -> Commit:
        """The commit `sha`; raises `GitFailure` when there is none."""
        if sha not in self._commits:
            self._commits[sha] = self.log(sha, limit=1)[0]
        return self._commits[sha]

    def log(
        self, *revisions: str, limit: int = 250, reverse: bool = False, path: str | None = None
    ) -> list[Commit]:
        """Commits reachable by `revisions`, newest first unless `reverse`."""
        flags = ["--reverse"] if reverse else []
        output = self.run(
            "log",
            f"--format={_COMMIT_FORMAT}",
            f"-{limit}",
            *flags,
            *revisions,
            "--",
            *([path] if path else []),
        )
        return [_parse_commit(entry) for entry in output.split("\x01") if entry.strip("\n")]

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` contains `ancestor`."""
        return self.run("rev-list", "-1", ancestor, f"^{descendant}", ok=(0,)).strip() == ""

    def merge_base(self, left: str, right: str) -> str | None:
        """The best common ancestor, or None for unrelated histories."""
        return self.once(
            ("merge-base", left, right),
            lambda: self.run("merge-base", left, right, ok=(0, 1)).strip() or None,
        )

    def once(self, question: tuple[str, ...], ask: Callable[[], T]) -> T:
        """The answer to a question about two commits, given by their full names: it never changes."""
        if not all(_SHA.fullmatch(name) for name in question[1:]):
            return ask()
        if question not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[question] = ask()
        known: T = self._known[question]
        return known

    def count(self, *revisions: str) -> int:
        """How many commits `revisions` reach."""
        return int(self.run("rev-list", "--count", *revisions))

    def blob(self, sha: str) -> bytes:
        """The bytes of a file."""
        return git(f"--git-dir={self.path}", "cat-file", "blob", sha)

    def update(self, ref: str, new: str, old: str | None = None) -> bool:
        """Set `ref` to `new` if it is `old`, and say whether it was; zeros are absence, None is anything."""
        try:
            self.run("update-ref", ref, new, *([old] if old is not None else []))
        except GitFailure:
            return False
        return True

    def delete(self, ref: str) -> None:
        """Remove `ref`."""
        self.run("update-ref", "-d", ref)


def _parse_commit(entry: str) -> Commit:
    fields = entry.lstrip("\n").split("\x00")
    sha, tree, parents, author, author_mail, authored, committer, committer_mail, committed, message = fields[
        :10
    ]
    return Commit(
        sha=sha,
        tree=tree,
        parents=tuple(parents.split()),
        author=Signature(author, author_mail, authored),
        committer=Signature(committer, committer_mail, committed),
        message=message.rstrip("\n"),
    )
