"""Commits made without a working tree: what the pages of GitHub do, and people in a test."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from hive.standins.github.gitrepo import GITHUB_SIGNATURE, GitRepo, git
from hive.standins.github.records import Account

_ABSENT = "0" * 40


def commit(
    repo: GitRepo, parent: str, files: Mapping[str, bytes | None], message: str, author: Account
) -> str:
    """A commit on `parent` with these files changed (None takes one away), on no branch yet."""
    with tempfile.TemporaryDirectory(prefix="index-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        repo.run("read-tree", parent, variables=index)
        for path, data in files.items():
            if data is None:
                gone = f"0 {_ABSENT}\t{path}\n".encode()
                repo.run("update-index", "--index-info", data=gone, variables=index)
                continue
            blob = repo.run("hash-object", "-w", "--stdin", data=data).strip()
            entry = f"100644,{blob},{path}"
            repo.run("update-index", "--add", "--cacheinfo", entry, variables=index)
        tree = repo.run("write-tree", variables=index).strip()
    who = {
        "GIT_AUTHOR_NAME": author.name or author.login,
        "GIT_AUTHOR_EMAIL": f"{author.id}+{author.login}@users.noreply.github.com",
        **GITHUB_SIGNATURE,
    }
    text = message.replace("\0", "").encode("utf-8", "replace")
    return repo.run("commit-tree", tree, "-p", parent, data=text, variables=who).strip()


def merge_commit(repo: GitRepo, tree: str, parents: tuple[str, ...], message: str, author: Account) -> str:
    """A merge of `parents` with a tree that was computed before."""
    who = {
        "GIT_AUTHOR_NAME": author.name or author.login,
        "GIT_AUTHOR_EMAIL": f"{author.id}+{author.login}@users.noreply.github.com",
        **GITHUB_SIGNATURE,
    }
    flags = [flag for parent in parents for flag in ("-p", parent)]
    return repo.run("commit-tree", tree, *flags, data=message.encode(), variables=who).strip()


def start(path: Path, files: Mapping[str, bytes], branch: str = "main") -> None:
    """A new bare repository with one commit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", "--bare", f"--initial-branch={branch}", str(path))
    repo = GitRepo(path)
    entries = [
        f"100644 blob {repo.run('hash-object', '-w', '--stdin', data=data).strip()}\t{name}"
        for name, data in files.items()
    ]
    tree = repo.run("mktree", data="\n".join(entries).encode()).strip()
    who = {"GIT_AUTHOR_NAME": "seed", "GIT_AUTHOR_EMAIL": "seed@users.noreply.github.com", **GITHUB_SIGNATURE}
    made = repo.run("commit-tree", tree, data=b"Begin\n", variables=who).strip()
    repo.update(f"refs/heads/{branch}", made, _ABSENT)
