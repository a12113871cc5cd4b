"""What only a working copy has is kept in its agent's store before the copy goes, under refs of hive's own:
``refs/hive/rescue/NAME/…``. Nothing prunes them; ``git fetch STORE REF`` has them back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from hive.shells.trees.folders import Folders
from hive.shells.trees.git import Answer, Failed, Repository
from hive.shells.trees.looking import SAVED, modules, repositories

_AUTHOR = ("-c", "user.name=hive", "-c", "user.email=hive@localhost")


@dataclass(frozen=True, slots=True)
class Rescued:
    """Names of the refs in the store."""

    refs: tuple[str, ...]


def rescue(folders: Folders, tree: str, *, whole: bool) -> Rescued:
    """Keep what no branch leads to any more: what was reset, rebased or amended away. With `whole` also all
    else that the forge does not have: files, the index, stashes, branches and tags, also of repositories in
    it. Files that git ignores are kept by neither. Raises `Failed`."""
    inner = [Repository(folder) for folder in repositories(tree)]
    bare = [Repository(folder, bare=True) for folder in modules(tree)]
    refs: list[str] = []
    for number, repository in enumerate([*inner, *bare]):
        tips = dict(_lost(repository))
        if whole:
            tips |= dict(_refs(repository))
            if number < len(inner):
                tips |= dict(_files(folders, repository))
        below = f"refs/hive/rescue/{folders.name}" + (f"/inner-{number}" if number else "")
        refs += _kept(folders, repository, {f"{below}/{name}": tip for name, tip in tips.items()})
    return Rescued(tuple(refs))


def _kept(folders: Folders, repository: Repository, wanted: dict[str, str]) -> Iterator[str]:
    if not wanted:
        return
    if not os.path.isdir(folders.store):
        raise Failed(f"{folders.store} is gone: there is nowhere to keep what only {repository.folder} has")
    store = Repository(folders.store, bare=True)
    specs = [f"+{tip}:{ref}" for ref, tip in wanted.items()]
    store.must("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", repository.folder, *specs)
    yield from wanted


def _lost(repository: Repository) -> Iterator[tuple[str, str]]:
    """The newest of the commits that the reflogs alone have."""
    some = ("rev-list", "--parents", "--reflog", "--not", "--all", *SAVED)
    found = repository.ask(*some, "HEAD") if repository.commit("HEAD") else repository.ask(*some)
    if not found.ok:
        raise Failed(f"git rev-list: {found.why}")
    lines = [line.split() for line in found.out.splitlines()]
    parents = {parent for line in lines for parent in line[1:]}
    yield from ((f"lost-{line[0][:12]}", line[0]) for line in lines if line[0] not in parents)


def _refs(repository: Repository) -> Iterator[tuple[str, str]]:
    """Branches, tags, stashes and a detached head, where the forge does not have them."""
    for number, stash in enumerate(repository.must("stash", "list", "--format=%H").split()):
        yield f"stash-{number}", stash
    listed = repository.must("for-each-ref", "--format=%(objectname) %(refname)")
    for line in listed.splitlines():
        tip, _, name = line.partition(" ")
        if not name.startswith(("refs/remotes/", "refs/hive/", "refs/stash")) and _is_new(repository, tip):
            yield name.removeprefix("refs/"), tip
    head = repository.commit("HEAD")
    if head and repository.branch() is None and _is_new(repository, head):
        yield "HEAD", head


def _is_new(repository: Repository, tip: str) -> bool:
    counted = repository.ask("rev-list", "--count", tip, "--not", *SAVED)
    return not counted.ok or counted.out.strip() != "0"  # what is no commit cannot be counted, and is kept


def _files(folders: Folders, repository: Repository) -> Iterator[tuple[str, str]]:
    """A commit of the files as they are, and one of the index where that is something else again."""
    head = repository.commit("HEAD")
    known = repository.must("rev-parse", "HEAD^{tree}") if head else ""
    index = os.path.join(folders.home, ".cache", "hive", f"rescue-{folders.name}.index")
    _unlink(index)
    try:
        # An index of its own: what git was told not to look at in the other one is looked at here.
        if head:
            _worked(repository.ask("read-tree", "HEAD", index=index))
        _worked(repository.ask("add", "--all", ".", index=index))
        files = _worked(repository.ask("write-tree", index=index))
    finally:
        _unlink(index)
    staged = repository.ask("write-tree")  # not possible in the midst of a conflict
    for name, found in (("files", files), ("index", staged.out.strip() if staged.ok else files)):
        if found not in (known, files if name == "index" else ""):
            parent = ("-p", head) if head else ()
            yield (
                name,
                repository.must(*_AUTHOR, "commit-tree", *parent, "-m", f"Kept by hive: {name}", found),
            )


def _worked(answer: Answer) -> str:
    if not answer.ok:
        raise Failed(f"its files cannot be kept: {answer.why}")
    return answer.out.strip()


def _unlink(path: str) -> None:
    for each in (path, f"{path}.lock"):
        if os.path.lexists(each) and not os.path.isdir(each):
            os.unlink(each)
