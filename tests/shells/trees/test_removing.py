"""What keeps a working copy, and that nothing of it is lost when it goes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hive.facts.trees import TreeSighting
from hive.shells.trees import removing
from hive.shells.trees.git import Failed
from tests.shells.trees.estate import BRANCH, Estate, commit, git


def test_a_tree_whose_commits_are_at_the_forge_is_removed_with_what_is_ignored(estate: Estate) -> None:
    estate.prepare()
    head = commit(estate.tree(), "fix", "done\n", push=BRANCH)
    (estate.tree() / "build").mkdir()
    (estate.tree() / "build" / "output").write_text("big")
    assert estate.look() == TreeSighting(exists=True, head=head, branch=BRANCH)
    assert estate.remove() == ()
    assert not estate.tree().exists()
    assert [name.name for name in estate.tree().parent.iterdir()] == []
    assert estate.remove() == ()


def test_a_squashed_branch_that_is_gone_counts_by_its_pull_request(estate: Estate) -> None:
    estate.prepare()
    head = commit(estate.tree(), "fix", "done\n", push=BRANCH)
    git(estate.forge, "update-ref", "refs/pull/9/head", head)
    git(estate.forge, "branch", "-D", BRANCH)
    assert estate.remove(1) == ("1 commit that the forge does not have",)
    assert estate.remove(1, 8) == ("1 commit that the forge does not have",)
    assert estate.remove(1, 9) == ()


def test_a_branch_that_was_deleted_before_its_merge_keeps_the_tree(estate: Estate) -> None:
    estate.prepare()
    commit(estate.tree(), "fix", "done\n", push=BRANCH)
    git(estate.forge, "branch", "-D", BRANCH)
    assert estate.remove() == ("1 commit that the forge does not have",)
    assert estate.tree().is_dir()


def _changed(tree: Path) -> None:
    (tree / "README").write_text("changed\n")


def _staged(tree: Path) -> None:
    _changed(tree)
    git(tree, "add", "README")
    git(tree, "show", "HEAD:README")
    (tree / "README").write_text("hello\n")


def _untracked(tree: Path) -> None:
    (tree / "new").write_text("x")


def _untracked_and_hidden_by_configuration(tree: Path) -> None:
    git(tree, "config", "status.showUntrackedFiles", "no")
    _untracked(tree)


def _not_looked_at(flag: str) -> Callable[[Path], None]:
    def work(tree: Path) -> None:
        git(tree, "update-index", flag, "README")
        _changed(tree)

    return work


def _committed(tree: Path) -> None:
    commit(tree, "fix", "done\n")


def _committed_on_another_branch(tree: Path) -> None:
    git(tree, "checkout", "-q", "-b", "aside")
    _committed(tree)
    git(tree, "checkout", "-q", BRANCH)


def _committed_on_no_branch(tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    _committed(tree)


def _tagged(tree: Path) -> None:
    _committed_on_no_branch(tree)
    git(tree, "tag", "kept")
    git(tree, "checkout", "-q", BRANCH)


def _stashed(tree: Path) -> None:
    _changed(tree)
    git(tree, "stash", "-q")


def _repository_within(tree: Path) -> None:
    git(tree, "init", "-q", "-b", "main", str(tree / "build" / "own"))
    commit(tree / "build" / "own", "work", "x\n")


def _working_copy_elsewhere(tree: Path) -> None:
    git(tree, "worktree", "add", "-q", "-b", "far", str(tree.parent / "far"))


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (_changed, ("1 changed file",)),
        (_staged, ("1 changed file",)),
        (_untracked, ("1 untracked file",)),
        (_untracked_and_hidden_by_configuration, ("1 untracked file",)),
        (_not_looked_at("--assume-unchanged"), ("1 changed file",)),
        (_not_looked_at("--skip-worktree"), ("1 changed file",)),
        (_committed, ("1 commit that the forge does not have",)),
        (_committed_on_another_branch, ("1 commit that the forge does not have",)),
        (_committed_on_no_branch, ("1 commit that the forge does not have",)),
        (_tagged, ("1 commit that the forge does not have",)),
        (_stashed, ("2 commits that the forge does not have", "1 stash")),
        (_repository_within, ("1 commit that the forge does not have",)),
        (_working_copy_elsewhere, ("1 other working copy depends on it",)),
    ],
)
def test_unsaved_work_keeps_the_tree(
    estate: Estate, work: Callable[[Path], None], told: tuple[str, ...]
) -> None:
    estate.prepare()
    work(estate.tree())
    before = _contents(estate.tree())
    assert estate.remove() == told
    assert _contents(estate.tree()) == before


def _contents(tree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and ".git" not in path.parts[len(tree.parts) : len(tree.parts) + 1]
    }


def test_a_merge_in_the_midst_keeps_the_tree_whose_head_is_on_no_branch(estate: Estate) -> None:
    estate.prepare()
    git(estate.tree(), "checkout", "-q", "--detach")
    commit(estate.tree(), "README", "ours\n", push=BRANCH)
    estate.advance("README", "theirs\n")
    git(estate.tree(), "fetch", "-q", "origin")
    with pytest.raises(AssertionError, match="CONFLICT"):
        git(estate.tree(), "merge", "origin/main")
    seen = estate.look()
    assert (seen.branch, seen.operation, seen.changed) == (None, "merge", 1)
    assert estate.remove() == ("1 changed file", "it is in the midst of a merge")


def test_a_submodule_with_work_of_its_own_keeps_the_tree(estate: Estate, tmp_path: Path) -> None:
    estate.advance()
    clone = estate.home.parent / "other"
    git(clone, "submodule", "add", "-q", str(estate.forge), "part")
    commit(clone, "more", "x\n", push="main")
    estate.prepare()
    git(estate.tree(), "submodule", "update", "-q", "--init")
    assert estate.remove() == ()
    estate.prepare()
    git(estate.tree(), "submodule", "update", "-q", "--init")
    commit(estate.tree() / "part", "own", "x\n")
    git(estate.tree(), "submodule", "update", "-q", "--force", "--checkout")
    git(estate.tree() / "part", "branch", "kept", "HEAD@{1}")
    git(estate.tree(), "submodule", "deinit", "-q", "-f", "part")
    assert estate.remove() == ("1 commit that the forge does not have",)


@pytest.mark.parametrize("spoilt", ["bare", "elsewhere", "not a repository", "no repository"])
def test_what_cannot_be_looked_at_is_kept(estate: Estate, tmp_path: Path, spoilt: str) -> None:
    estate.prepare()
    if spoilt == "bare":
        git(estate.tree(), "config", "core.bare", "true")
    elif spoilt == "elsewhere":
        git(estate.tree(), "config", "core.worktree", str(tmp_path))
    elif spoilt == "no repository":
        shutil.rmtree(estate.tree() / ".git")
    else:
        (estate.tree() / ".git" / "HEAD").unlink()
    (kept,) = estate.remove()
    assert kept.startswith(f"it cannot be looked at: {estate.tree()} ")
    assert (estate.tree() / "README").exists()


def test_a_forge_that_cannot_be_asked_keeps_the_tree(estate: Estate) -> None:
    estate.prepare()
    estate.forge.rename(estate.forge.with_name("gone.git"))
    (kept,) = estate.remove()
    assert kept.startswith("it cannot be looked at: git fetch: ")


def test_a_link_in_the_place_of_a_tree_is_left_and_so_is_what_it_leads_to(
    estate: Estate, tmp_path: Path
) -> None:
    estate.prepare(1)
    shutil.rmtree(estate.tree(1))
    estate.tree(1).symlink_to(estate.forge)
    assert estate.remove() == (
        f"it cannot be looked at: {estate.tree(1)} is no folder; what is there is left alone",
    )
    assert git(estate.forge, "rev-parse", "main")


def test_links_in_a_tree_are_removed_and_not_followed(estate: Estate, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("mine")
    estate.prepare()
    (estate.tree() / "build").symlink_to(precious)
    (estate.tree() / ".gitignore").write_text("build\n")
    commit(estate.tree(), "fix", "done\n", push=BRANCH)
    assert estate.remove() == ()
    assert (precious / "file").read_text() == "mine"


def test_caches_that_were_written_read_only_go_with_the_tree(estate: Estate) -> None:
    estate.prepare()
    cache = estate.tree() / "build" / "cache"
    cache.mkdir(parents=True)
    (cache / "module").write_text("x")
    cache.chmod(0o500)
    assert estate.remove() == ()
    assert not estate.tree().exists()


def test_what_was_set_aside_when_hive_ended_comes_back(estate: Estate) -> None:
    estate.prepare()
    (estate.tree() / "new").write_text("x")
    removing.set_aside(estate.folders())
    assert not estate.tree().exists()
    assert estate.look().untracked == 1
    assert (estate.tree() / "new").read_text() == "x"


def test_what_was_judged_when_hive_ended_goes(estate: Estate) -> None:
    estate.prepare()
    gone = Path(estate.folders().beside("gone"))
    os.rename(estate.tree(), gone)
    assert estate.look() == TreeSighting(exists=False)
    assert not gone.exists()


def test_what_was_set_aside_does_not_come_back_over_what_is_there_again(estate: Estate) -> None:
    estate.prepare()
    removing.set_aside(estate.folders())
    estate.tree().mkdir()
    with pytest.raises(Failed, match="cannot go back"):
        removing.put_back(estate.folders())
    assert (Path(estate.folders().beside("aside")) / "README").exists()
    (kept,) = estate.remove()
    assert "cannot go back" in kept
