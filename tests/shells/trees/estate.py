"""A forge's repository in a folder, and an agent's home with working copies of it; real git throughout."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hive.decisions.trees import hindrances, losses
from hive.facts.trees import TreeOrder, TreeReport, TreeSighting
from hive.shells.trees import looking, making, removing
from hive.shells.trees.folders import Folders

REPO, BRANCH = "acme/tally", "hive/a/7-crash"
_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "ada@example.com" for who in ("AUTHOR", "COMMITTER")},
}


def git(folder: Path | str, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *arguments],
        env=_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {arguments}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


@dataclass
class Estate:
    """`forge` is bare; `home` is the agent's; `rescued` is what the last removal kept."""

    forge: Path
    home: Path
    rescued: tuple[str, ...] = ()

    def folders(self, attempt: int = 1) -> Folders:
        return Folders(str(self.home), REPO, f"7-{attempt}")

    def tree(self, attempt: int = 1) -> Path:
        return Path(self.folders(attempt).tree)

    def prepare(
        self,
        attempt: int = 1,
        *,
        base: str = "main",
        is_busy: bool = False,
        quota: int | None = None,
        fullest: float = 1.01,
    ) -> TreeReport:
        order = TreeOrder(
            REPO, f"7-{attempt}", str(self.forge), BRANCH, base, quota=quota, fullest=fullest, is_busy=is_busy
        )
        return making.prepare(self.folders(attempt), order)

    def look(self, attempt: int = 1, *pulls: int) -> TreeSighting:
        return looking.look(self.folders(attempt), str(self.forge), pulls)

    def remove(self, attempt: int = 1, *pulls: int, whole: bool = False) -> tuple[str, ...]:
        """As hive does it, but for programs that are at work in it."""
        judge = hindrances if whole else losses
        folders = self.folders(attempt)
        seen = self.look(attempt, *pulls)
        if not seen.exists or judge(seen):
            return judge(seen)
        aside = removing.set_aside(folders)
        if against := judge(aside):
            removing.put_back(folders)
        else:
            self.rescued = removing.delete(folders, whole=whole).refs
        return against

    def advance(self, path: str = "README", text: str = "more\n", branch: str = "main") -> str:
        """A commit at the forge, by somebody else."""
        clone = self.home.parent / "other"
        if not clone.exists():
            git(self.home.parent, "clone", "-q", str(self.forge), str(clone))
        git(clone, "fetch", "-q", "origin")
        git(clone, "checkout", "-q", "-B", branch, f"origin/{branch}")
        return commit(clone, path, text, push=branch)


def commit(folder: Path, path: str, text: str, *, push: str = "") -> str:
    """Write, commit and perhaps push a file; the commit."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", f"change {path}")
    if push:
        git(folder, "push", "-q", "origin", f"HEAD:refs/heads/{push}")
    return git(folder, "rev-parse", "HEAD")


def an_estate(folder: Path) -> Estate:
    forge, home = folder / "forge.git", folder / "home"
    home.mkdir(mode=0o700)
    git(folder, "init", "-q", "--bare", "-b", "main", str(forge))
    first = folder / "first"
    git(folder, "clone", "-q", str(forge), str(first))
    git(first, "checkout", "-q", "-b", "main")
    (first / ".gitignore").write_text("build/\n")
    commit(first, "README", "hello\n", push="main")
    return Estate(forge, home)
