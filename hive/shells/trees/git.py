"""git in one repository, whatever that repository's own configuration says."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

_ALWAYS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.ignoreStat=false",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "advice.detachedHead=false",
    "commit.gpgSign=false",
)
_SLOWEST_S = 840.0
_MOST_LINES = 3


class Failed(Exception):
    """Something could not be done; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def why(self) -> str:
        """git's own last words, in one line."""
        lines = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return "; ".join(lines[-_MOST_LINES:]) or f"it ended with {self.code} and said nothing"


class Repository:
    """A repository by its folder, or by its git folder alone."""

    def __init__(self, folder: str, *, bare: bool = False) -> None:
        self.folder = folder
        self._where = ("--git-dir", folder) if bare else ("-C", folder)

    def ask(self, *arguments: str, index: str = "") -> Answer:
        """Run git, whatever it ends with."""
        configured = [word for each in _ALWAYS for word in ("-c", each)]
        # Of the caller's surroundings nothing may name another repository than this one.
        names = [name for name in os.environ if name.startswith("GIT_") and name not in _KEPT]
        environment = {name: value for name, value in os.environ.items() if name not in names}
        environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        environment |= {"GIT_CEILING_DIRECTORIES": os.path.dirname(self.folder)}
        if index:
            environment["GIT_INDEX_FILE"] = index
        try:
            done = subprocess.run(
                ["git", *configured, *self._where, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                env=environment,
                timeout=_SLOWEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"git {arguments[0]} did not end within {_SLOWEST_S:.0f} s") from None
        return Answer(done.returncode, done.stdout, done.stderr)

    def must(self, *arguments: str) -> str:
        """What git said. Raises `Failed` when it could not do it."""
        answer = self.ask(*arguments)
        if not answer.ok:
            raise Failed(f"git {arguments[0]}: {answer.why}")
        return answer.out.rstrip("\n")

    def commit(self, name: str) -> str:
        """The commit that a ref leads to; empty where there is none."""
        answer = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return answer.out.strip() if answer.ok else ""

    def branch(self) -> str | None:
        """What is checked out; None for a detached head."""
        answer = self.ask("symbolic-ref", "--quiet", "HEAD")
        return answer.out.strip().removeprefix("refs/heads/") if answer.ok else None

    def is_within(self, older: str, newer: str) -> bool:
        """Whether the commit `older` is `newer` or one that leads to it."""
        return self.ask("merge-base", "--is-ancestor", older, newer).ok


_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_SSL_CAINFO")
