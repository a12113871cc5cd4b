"""Working copies as they are made and found again, with real git."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from hive.facts.trees import TreeReport
from hive.shells.trees.folders import Folders
from hive.shells.trees.git import Failed
from tests.shells.trees.estate import BRANCH, REPO, Estate, commit, git


def test_a_new_tree_is_on_its_branch_at_the_forges_base_of_now(estate: Estate) -> None:
    estate.prepare(1)
    new = estate.advance()
    report = estate.prepare(2)
    assert report == TreeReport(str(estate.tree(2)), head=new, branch=BRANCH, base=new)
    assert git(estate.tree(2), "status", "--porcelain") == ""
    assert git(estate.tree(2), "config", "remote.origin.url") == str(estate.forge)


def test_a_local_branch_of_other_work_is_no_part_of_a_new_tree(estate: Estate) -> None:
    estate.prepare(1)
    git(estate.tree(1), "checkout", "-q", "-b", "feature")
    commit(estate.tree(1), "feature", "unmerged\n")
    report = estate.prepare(2)
    assert report.head == git(estate.forge, "rev-parse", "main")


def test_a_tree_has_no_hooks_and_lets_no_remote_be_a_command(estate: Estate, tmp_path: Path) -> None:
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (template / "post-checkout").chmod(0o755)
    os.environ["GIT_TEMPLATE_DIR"] = str(template.parent)
    try:
        estate.prepare()
    finally:
        del os.environ["GIT_TEMPLATE_DIR"]
    assert not (tmp_path / "ran").exists()
    assert not (estate.tree() / ".git" / "hooks").exists()
    assert git(estate.tree(), "config", "core.hooksPath") == "/dev/null"
    assert git(estate.tree(), "config", "protocol.ext.allow") == "never"


def test_a_branch_that_was_pushed_is_gone_on_with(estate: Estate) -> None:
    estate.prepare(1)
    pushed = commit(estate.tree(1), "fix", "half\n", push=BRANCH)
    shutil.rmtree(estate.home)
    estate.home.mkdir()
    report = estate.prepare(2)
    assert (report.head, report.branch) == (pushed, BRANCH)
    assert report.notes == (f"{BRANCH} is at the forge already and is gone on with",)


def test_commits_of_an_earlier_attempt_that_were_never_pushed_are_gone_on_with(estate: Estate) -> None:
    estate.prepare(1)
    commit(estate.tree(1), "fix", "half\n")
    local = commit(estate.tree(1), "fix", "whole\n")
    report = estate.prepare(2)
    assert report.head == local
    assert report.notes == ("it has 2 commits of an earlier attempt, never pushed",)
    assert estate.tree(1).exists()


def test_an_earlier_attempt_that_the_forge_has_gone_beyond_is_not_gone_back_to(estate: Estate) -> None:
    estate.prepare(1)
    commit(estate.tree(1), "fix", "half\n", push=BRANCH)
    newer = estate.advance("fix", "by a person\n", BRANCH)
    assert estate.prepare(2).head == newer


def test_a_tree_is_found_again_with_all_that_is_in_it(estate: Estate) -> None:
    first = estate.prepare()
    local = commit(estate.tree(), "fix", "half\n")
    (estate.tree() / "note").write_text("not committed\n")
    base = estate.advance()
    again = estate.prepare()
    assert again == TreeReport(first.folder, head=local, branch=BRANCH, base=base)
    assert (estate.tree() / "note").read_text() == "not committed\n"
    assert git(estate.tree(), "rev-parse", "origin/main") == base


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_of_a_program_that_was_killed_is_removed(estate: Estate, lock: str) -> None:
    estate.prepare()
    (estate.tree() / ".git" / lock).write_text("")
    estate.prepare()
    assert not (estate.tree() / ".git" / lock).exists()


def test_a_lock_is_left_while_a_program_is_at_work(estate: Estate) -> None:
    estate.prepare()
    lock = estate.tree() / ".git" / "index.lock"
    lock.write_text("")
    estate.prepare(is_busy=True)
    assert lock.exists()


def test_another_branch_is_left_for_the_tasks_own_where_nothing_stands_against_it(estate: Estate) -> None:
    estate.prepare()
    git(estate.tree(), "checkout", "-q", "--detach")
    assert estate.prepare().branch == BRANCH


def test_a_rebase_in_the_midst_is_left_and_told(estate: Estate) -> None:
    estate.prepare()
    commit(estate.tree(), "README", "ours\n")
    estate.advance("README", "theirs\n")
    git(estate.tree(), "fetch", "-q", "origin")
    with pytest.raises(AssertionError, match="could not apply"):
        git(estate.tree(), "rebase", "origin/main")
    report = estate.prepare()
    assert (report.branch, report.notes) == ("", (f"it is not on {BRANCH}: rebase",))


def test_a_half_made_tree_and_store_are_made_anew(estate: Estate) -> None:
    folders = estate.folders()
    half = Path(folders.beside("part"))
    (half / ".git").mkdir(parents=True)
    (half / "file").write_text("half")
    Path(f"{folders.store}.part").mkdir(parents=True)
    report = estate.prepare()
    assert report.branch == BRANCH
    assert not half.exists()


def test_a_damaged_store_is_made_anew_and_no_tree_is_the_worse_for_it(estate: Estate) -> None:
    estate.prepare(1)
    store = Path(estate.folders().store)
    shutil.rmtree(store / "objects")
    (store / "HEAD").unlink()
    estate.advance()
    assert estate.prepare(2).branch == BRANCH
    assert git(estate.tree(1), "fsck", "--no-dangling") == ""


def test_a_base_that_is_gone_is_told_and_a_renamed_one_is_begun_from(estate: Estate) -> None:
    git(estate.forge, "branch", "-m", "main", "trunk")
    with pytest.raises(Failed, match=re.escape("acme/tally has no branch main to begin from")):
        estate.prepare()
    assert not estate.tree().exists()
    assert estate.prepare(base="trunk").base == git(estate.forge, "rev-parse", "trunk")


def test_a_base_that_was_rewritten_is_begun_from_as_it_is_now(estate: Estate) -> None:
    estate.advance()
    estate.prepare(1)
    git(estate.forge, "update-ref", "refs/heads/main", "main~1")
    rewritten = estate.advance("README", "another way\n")
    assert estate.prepare(2).base == rewritten
    assert estate.prepare(1).base == rewritten


def test_a_branch_that_became_a_folder_of_branches_is_fetched(estate: Estate) -> None:
    git(estate.forge, "branch", "topic", "main")
    estate.prepare(1)
    git(estate.forge, "branch", "-D", "topic")
    git(estate.forge, "branch", "topic/one", "main")
    assert estate.prepare(2).branch == BRANCH
    assert estate.prepare(1).branch == BRANCH


@pytest.mark.parametrize("there", ["file", "folder", "link"])
def test_what_is_in_the_way_is_told_and_left(estate: Estate, tmp_path: Path, there: str) -> None:
    tree = estate.tree()
    tree.parent.mkdir(parents=True)
    precious = tmp_path / "precious"
    precious.mkdir()
    if there == "file":
        tree.write_text("mine")
    elif there == "folder":
        (tree / "mine").mkdir(parents=True)
    else:
        tree.symlink_to(precious)
    with pytest.raises(Failed, match=re.escape(str(tree))):
        estate.prepare()
    assert os.path.lexists(tree)
    assert precious.is_dir()


def test_a_link_above_the_tree_leads_nowhere(estate: Estate, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (estate.home / "work").mkdir()
    (estate.home / "work" / "acme").symlink_to(elsewhere)
    with pytest.raises(Failed, match="is no folder"):
        estate.prepare()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("repo", "name"), [("../..", "7-1"), ("a/b/c", "7-1"), ("a/b", ".."), ("a/b", ".git")]
)
def test_names_that_lead_elsewhere_are_refused(estate: Estate, repo: str, name: str) -> None:
    with pytest.raises(Failed, match="names no working copy"):
        Folders(str(estate.home), repo, name)


def test_a_full_volume_and_a_full_home_take_no_further_tree(estate: Estate) -> None:
    with pytest.raises(Failed, match=r"no room: the volume of .* is [\d.]+% full, and from 0% on"):
        estate.prepare(fullest=0.0)
    (estate.home / "build").write_bytes(b"x" * 200_000)
    with pytest.raises(Failed, match=r"no room: .* GiB, more than the agent's .* \(isolation.disk\)"):
        estate.prepare(quota=100_000)
    assert not estate.tree().exists()


def test_large_files_elsewhere_and_submodules_are_told(estate: Estate) -> None:
    estate.advance("assets/.gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
    clone = estate.home.parent / "other"
    git(clone, "submodule", "add", "-q", str(estate.forge), "part")
    commit(clone, "more", "x\n", push="main")
    assert estate.prepare().notes == (
        "large files in it are pointers of Git LFS; hive does not fetch their contents",
        "it has submodules, which are not checked out",
    )


def test_a_forge_that_cannot_be_reached_is_told_and_the_store_is_kept(estate: Estate) -> None:
    estate.prepare(1)
    estate.forge.rename(estate.forge.with_name("gone.git"))
    with pytest.raises(Failed, match=f"{REPO} cannot be fetched"):
        estate.prepare(2)
    assert Path(estate.folders().store).is_dir()
    assert not estate.tree(2).exists()
