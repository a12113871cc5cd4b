"""What only a working copy has is in the agent's store before the copy goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.shells.trees.git import Failed
from tests.shells.trees.estate import BRANCH, Estate, commit, git


def stored(estate: Estate, ref: str, path: str = "") -> str:
    """A commit in the store, or a file of it."""
    return git(estate.folders().store, *(("show", f"{ref}:{path}") if path else ("rev-parse", ref)))


def test_commits_that_no_branch_leads_to_any_more_outlive_the_copy(estate: Estate) -> None:
    estate.prepare()
    tree = estate.tree()
    commit(tree, "src/one.py", "one\n")
    gone = commit(tree, "src/two.py", "two\n")
    git(tree, "reset", "-q", "--hard", "HEAD~2")
    assert estate.remove() == ()
    ref = f"refs/hive/rescue/7-1/lost-{gone[:12]}"
    assert estate.rescued == (ref,)
    assert stored(estate, ref) == gone
    assert stored(estate, ref, "src/one.py") == "one"
    estate.prepare(2)
    estate.remove(2)
    assert stored(estate, ref) == gone, "a later fetch of the store prunes it not"


def test_of_what_is_at_the_forge_nothing_is_kept_twice(estate: Estate) -> None:
    estate.prepare()
    commit(estate.tree(), "a", "a\n", push=BRANCH)
    assert estate.remove() == ()
    assert estate.rescued == ()


def test_a_released_copy_leaves_its_files_its_index_its_stashes_and_its_branches(estate: Estate) -> None:
    estate.prepare()
    tree = estate.tree()
    (tree / "README").write_text("stashed\n")
    git(tree, "stash")
    unpushed = commit(tree, "src/new.py", "new\n")
    git(tree, "tag", "mine")
    (tree / "README").write_text("staged\n")
    git(tree, "add", "README")
    (tree / "README").write_text("changed\n")
    (tree / "notes").write_text("untracked\n")
    (tree / "build").mkdir()
    (tree / "build" / "out").write_text("ignored\n")
    assert estate.remove() == (
        "1 changed file",
        "1 untracked file",
        "3 commits that the forge does not have",
        "1 stash",
    )
    assert estate.rescued == ()
    assert estate.remove(whole=True) == ()
    assert not tree.exists()
    below = "refs/hive/rescue/7-1"
    expected = {f"{below}/{name}" for name in ("files", "index", "stash-0", f"heads/{BRANCH}", "tags/mine")}
    assert set(estate.rescued) == expected
    assert stored(estate, f"{below}/files", "README") == "changed"
    assert stored(estate, f"{below}/files", "notes") == "untracked"
    assert stored(estate, f"{below}/index", "README") == "staged"
    assert stored(estate, f"{below}/stash-0", "README") == "stashed"
    assert stored(estate, f"{below}/heads/{BRANCH}") == unpushed
    assert git(estate.folders().store, "ls-tree", "-r", "--name-only", f"{below}/files").split() == [
        ".gitignore", "README", "notes", "src/new.py",
    ]  # fmt: skip


def test_a_released_copy_in_the_midst_of_a_conflict_leaves_its_files(estate: Estate) -> None:
    estate.prepare()
    tree = estate.tree()
    commit(tree, "README", "ours\n")
    estate.advance(text="theirs\n")
    git(tree, "fetch", "-q")
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(tree, "merge", "origin/main")
    assert estate.remove(whole=True) == ()
    kept = stored(estate, "refs/hive/rescue/7-1/files", "README")
    assert ("ours" in kept, "theirs" in kept) == (True, True)


def test_a_repository_within_a_released_copy_is_kept_too(estate: Estate) -> None:
    estate.prepare()
    inner = estate.tree() / "inner"
    git(estate.tree(), "init", "-q", str(inner))
    own = commit(inner, "a", "a\n")
    assert estate.remove(whole=True) == ()
    branch = next(ref for ref in estate.rescued if "/inner-1/heads/" in ref)
    assert stored(estate, branch) == own


def test_what_cannot_be_kept_keeps_its_copy_in_its_place(estate: Estate) -> None:
    estate.prepare()
    (estate.tree() / "notes").write_text("untracked\n")
    store = Path(estate.folders().store)
    store.rename(store.with_name("elsewhere"))
    with pytest.raises(Failed, match="nowhere to keep"):
        estate.remove(whole=True)
    assert (estate.tree() / "notes").read_text() == "untracked\n"
