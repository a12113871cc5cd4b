"""What is in a working copy that would be lost with it; whatever hides it there is looked behind."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hive.facts.trees import TreeSighting
from hive.shells.trees.folders import Folders, is_folder
from hive.shells.trees.git import Failed, Repository

SAVED = ("--remotes=origin", "--glob=refs/hive/*")
"""What the forge has, as `know_the_forge` saw it a moment ago."""
_OPERATIONS = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


def look(folders: Folders, url: str, pulls: tuple[int, ...]) -> TreeSighting:
    """Look at the tree once the forge's refs are known. Never raises `Failed`: what cannot be looked at is
    told as a fault."""
    try:
        folders.check()
        folders.settle()
        if not os.path.lexists(folders.tree):
            return TreeSighting(exists=False)
        require_tree(folders.tree)
        know_the_forge(Repository(folders.tree), url, pulls)
        return seen(folders.tree)
    except (Failed, OSError) as error:
        return TreeSighting(exists=True, fault=str(error))


def require_tree(tree: str) -> None:
    """Raise `Failed` unless the folder is a working copy of its own, with all of its repository in it."""
    if not is_folder(tree):
        raise Failed(f"{tree} is no folder; what is there is left alone")
    if not is_folder(os.path.join(tree, ".git")):
        raise Failed(f"{tree} has no repository of its own in it")
    own = Repository(tree).ask("rev-parse", "--show-toplevel", "--absolute-git-dir")
    if not own.ok:
        raise Failed(f"{tree} is no working copy: {own.why}")
    real = os.path.realpath(tree)
    if own.out.splitlines() != [real, os.path.join(real, ".git")]:
        raise Failed(f"{tree} is a working copy of {own.out.strip()!r} and not of itself")


def know_the_forge(repository: Repository, url: str, pulls: tuple[int, ...]) -> None:
    """Have the forge's branches and tags, and what it keeps of `pulls`, as they are now.

    The head of a pull request stays there when its branch is gone, and a squashed one is on no branch.
    Raises `Failed` when it cannot be asked.
    """
    refs = ("+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/hive/tags/*")
    fetch = ("fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", url)
    repository.must(*fetch, *refs)
    for number in pulls:
        # A forge that does not keep it has its commits by a branch, or does not have them.
        repository.ask(*fetch, f"+refs/pull/{number}/head:refs/hive/pull/{number}")


def seen(tree: str) -> TreeSighting:
    """All that is in the tree, without asking the forge. Raises `Failed`."""
    top = Repository(tree)
    counts = [_counts(Repository(folder)) for folder in repositories(tree)]
    unpushed = sum(_unpushed(Repository(folder, bare=True)) for folder in modules(tree))
    linked = top.must("worktree", "list", "--porcelain").count("worktree ") - 1
    return TreeSighting(
        exists=True,
        head=top.commit("HEAD"),
        branch=top.branch(),
        changed=sum(each[0] for each in counts),
        untracked=sum(each[1] for each in counts),
        unpushed=sum(each[2] for each in counts) + unpushed,
        stashes=sum(each[3] for each in counts),
        operation=operation(tree),
        linked=linked,
    )


def operation(tree: str) -> str:
    for name, told in _OPERATIONS.items():
        if os.path.lexists(os.path.join(tree, ".git", name)):
            return told
    return ""


def repositories(tree: str) -> Iterator[str]:
    """The tree, and each working copy within it: a submodule, or one that nobody told of."""
    yield tree
    for folder, folders, names in os.walk(tree):
        if folder == tree:
            folders.remove(".git")
            continue
        if ".git" in folders or ".git" in names:
            yield folder
        if ".git" in folders:
            folders.remove(".git")


def modules(tree: str) -> Iterator[str]:
    """Repositories of submodules, also of those that are not checked out now."""
    for folder, folders, names in os.walk(os.path.join(tree, ".git", "modules")):
        if "HEAD" in names and "objects" in folders:
            folders.remove("objects")
            yield folder


def _counts(repository: Repository) -> tuple[int, int, int, int]:
    """Changed, untracked, unpushed and stashed."""
    told = repository.must(
        "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"
    )
    entries = [entry for entry in told.split("\0") if entry]
    untracked = sum(entry.startswith("?? ") for entry in entries)
    stashes = len(repository.must("stash", "list").splitlines())
    changed = len(entries) - untracked + _hidden_changes(repository)
    return changed, untracked, _unpushed(repository), stashes


def _unpushed(repository: Repository) -> int:
    found = repository.ask("rev-list", "--count", "HEAD", "--all", "--not", *SAVED)
    if not found.ok:
        # Before the first commit there is no HEAD, and there may be other branches all the same.
        return int(repository.must("rev-list", "--count", "--all", "--not", *SAVED))
    return int(found.out)


def _hidden_changes(repository: Repository) -> int:
    """Files that git was told not to look at, and that differ all the same."""
    told = repository.must("ls-files", "-v", "-z").split("\0")
    flagged = {entry[2:] for entry in told if entry[:1].islower() or entry[:1] == "S"}
    if not flagged:
        return 0
    count = 0
    for entry in repository.must("ls-files", "-s", "-z").split("\0"):
        facts, _, name = entry.partition("\t")
        if name in flagged and os.path.lexists(os.path.join(repository.folder, name)):
            there = repository.ask("hash-object", "--", name)
            count += there.out.strip() != facts.split()[1]
    return count
