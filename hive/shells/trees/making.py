"""Making a working copy: from a store of the agent's own, whose objects it shares by hard links.

So the second tree of a large repository costs its files alone, and nothing that happens to the store or to
another tree takes a commit from this one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from hive.decisions.counting import counted
from hive.facts.trees import TreeOrder, TreeReport
from hive.shells.trees.folders import Folders, remove, require_room
from hive.shells.trees.git import Failed, Repository
from hive.shells.trees.looking import operation, require_tree

_OWN_CONFIGURATION = {
    "core.hooksPath": "/dev/null",
    "protocol.ext.allow": "never",
    "push.autoSetupRemote": "true",
    "gc.autoDetach": "false",
}
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")


def prepare(folders: Folders, order: TreeOrder) -> TreeReport:
    """Have the tree, on its branch where it is new. Raises `Failed`, and leaves nothing half made then."""
    folders.prepare()
    folders.settle()
    require_room(folders.home, order.quota, order.fullest)
    store = _refreshed(folders, order.url)
    base = store.commit(f"refs/heads/{order.base}")
    if not base:
        raise Failed(f"{order.repo} has no branch {order.base} to begin from")
    if os.path.lexists(folders.tree):
        notes = _gone_on_with(folders, order)
    else:
        notes = _made(folders, order, base)
    require_tree(folders.tree)
    tree = Repository(folders.tree)
    return TreeReport(
        folder=folders.tree,
        head=tree.commit("HEAD"),
        branch=tree.branch() or "",
        base=base,
        notes=(*notes, *_warnings(tree)),
    )


def _refreshed(folders: Folders, url: str) -> Repository:
    """The store as the forge is now. One that is damaged is made anew: nothing depends on it."""
    fetched = _fetched(folders, url)
    if fetched is not None and Repository(folders.home).ask("ls-remote", url, "HEAD").ok:
        remove(folders.store)
        fetched = _fetched(folders, url)
    if fetched is not None:
        raise Failed(f"{folders.repo} cannot be fetched: {fetched}")
    return Repository(folders.store, bare=True)


def _fetched(folders: Folders, url: str) -> str | None:
    """Why it could not be fetched; None when it was."""
    if not os.path.lexists(folders.store):
        part = f"{folders.store}.part"
        os.makedirs(os.path.dirname(part), mode=0o700, exist_ok=True)
        remove(part)
        Repository(os.path.dirname(part)).must("init", "--quiet", "--bare", "--template=", part)
        os.rename(part, folders.store)
    store = Repository(folders.store, bare=True)
    with contextlib.suppress(OSError):
        _unlock(folders.store)
    refs = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    done = store.ask("fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", url, *refs)
    return None if done.ok else done.why


def _made(folders: Folders, order: TreeOrder, base: str) -> tuple[str, ...]:
    part = folders.beside("part")
    try:
        clone = ("clone", "--quiet", "--local", "--no-checkout", "--template=", "--origin=origin")
        Repository(folders.root).must(*clone, "--", folders.store, part)
        tree = Repository(part)
        for key, value in {"remote.origin.url": order.url, **_OWN_CONFIGURATION}.items():
            tree.must("config", key, value)
        start, notes = _start(folders, order, tree, base)
        tree.must("checkout", "--quiet", "--no-track", "-B", order.branch, start)
        if tree.branch() != order.branch or tree.commit("HEAD") != start:
            raise Failed(f"{part} is not on {order.branch} at {start}")
        os.rename(part, folders.tree)
    finally:
        remove(part)
    return notes


def _start(folders: Folders, order: TreeOrder, tree: Repository, base: str) -> tuple[str, tuple[str, ...]]:
    """Where the branch begins: at the base, at what the forge has of it, or at what a former tree of the
    same issue has beyond that."""
    pushed = tree.commit(f"refs/remotes/origin/{order.branch}")
    start = pushed or base
    notes = [f"{order.branch} is at the forge already and is gone on with"] if pushed else []
    for former in _former(folders):
        kept = "refs/hive/former"
        fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", former)
        if not tree.ask(*fetch, f"+refs/heads/{order.branch}:{kept}").ok:
            continue
        found = tree.commit(kept)
        tree.ask("update-ref", "-d", kept)
        if found and found != start and tree.is_within(start, found):
            count = int(tree.must("rev-list", "--count", f"{start}..{found}"))
            commits = counted(count, "commit")
            notes.append(f"it has {commits} of an earlier attempt, never pushed")
            start = found
            break
    return start, tuple(notes)


def _former(folders: Folders) -> Iterator[str]:
    """Trees of earlier attempts at the same issue, the newest first."""
    issue, _, number = folders.name.rpartition("-")
    for attempt in range(int(number) - 1, 0, -1) if number.isdecimal() else ():
        former = os.path.join(folders.root, f"{issue}-{attempt}")
        if os.path.isdir(os.path.join(former, ".git")) and not os.path.islink(former):
            yield former


def _gone_on_with(folders: Folders, order: TreeOrder) -> tuple[str, ...]:
    """The tree that is there, with all that is in it. Its branch is checked out where nothing stands
    against that."""
    require_tree(folders.tree)
    if not order.is_busy:
        _unlock(os.path.join(folders.tree, ".git"))
    tree = Repository(folders.tree)
    if tree.ask("config", "--get", "remote.origin.url").out.strip() != order.url:
        tree.must("config", "remote.origin.url", order.url)
    refs = ("+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
    tree.must("fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", order.url, *refs)
    if tree.branch() == order.branch:
        return ()
    if order.is_busy or operation(folders.tree) or not tree.commit(f"refs/heads/{order.branch}"):
        return (f"it is not on {order.branch}: {operation(folders.tree) or 'something else is checked out'}",)
    moved = tree.ask("checkout", "--quiet", order.branch)
    return () if moved.ok else (f"it is not on {order.branch}: {moved.why}",)


def _unlock(folder: str) -> None:
    """Remove locks of programs that were killed: none is at work here."""
    for name in _LOCKS:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(folder, name))
    for below, _, names in os.walk(os.path.join(folder, "refs")):
        for name in names:
            if name.endswith(".lock"):
                os.unlink(os.path.join(below, name))


def _warnings(tree: Repository) -> Iterator[str]:
    attributes = tree.ask("grep", "-l", "-e", "filter=lfs", "HEAD", "--", ":(glob)**/.gitattributes")
    if attributes.ok:
        yield "large files in it are pointers of Git LFS; hive does not fetch their contents"
    if tree.commit("HEAD") and tree.ask("cat-file", "-e", "HEAD:.gitmodules").ok:
        yield "it has submodules, which are not checked out"
