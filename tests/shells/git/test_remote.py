from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hive.shells.git.remote import Origin, origin, parse_url


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, timeout=30)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "trunk")
    return tmp_path


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://github.com/o/r.git", ("github.com", "o/r")),
        ("https://github.com/o/r", ("github.com", "o/r")),
        ("https://me:pw@GitHub.com:443/o/r.git/", ("github.com", "o/r")),
        ("git@github.com:o/r.git", ("github.com", "o/r")),
        ("github.com:o/my.repo", ("github.com", "o/my.repo")),
        ("ssh://git@ssh.github.com:443/o/r.git", ("github.com", "o/r")),
        ("ssh://git@ghe.example:2222/o/r", ("ghe.example", "o/r")),
        ("/srv/git/r.git", None),
        ("../r.git", None),
        ("file:///srv/o/r", None),
        ("https://gitlab.example/group/sub/r.git", None),
        ("https://github.com/o", None),
        ("https://[bad/o/r", None),
        ("git@github.com:o/r\x1b[31m", None),
        ("https://git hub.com/o/r", None),
        ("", None),
    ],
)
def test_a_remote_address_names_host_and_repository(url: str, found: tuple[str, str] | None) -> None:
    assert parse_url(url) == found


def test_the_origin_of_a_working_copy_is_found_from_a_folder_in_it(copy: Path) -> None:
    git(copy, "remote", "add", "origin", "git@github.com:o/r.git")
    below = copy / "src"
    below.mkdir()
    assert origin(below) == Origin("github.com", "o/r", "trunk")


def test_the_remotes_default_branch_goes_before_the_one_checked_out(copy: Path) -> None:
    git(copy, "remote", "add", "origin", "https://github.com/o/r")
    git(copy, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/2.x")
    assert origin(copy) == Origin("github.com", "o/r", "release/2.x")


def test_a_repository_without_a_forge_has_no_origin(copy: Path) -> None:
    assert origin(copy) is None
    git(copy, "remote", "add", "origin", str(copy))
    assert origin(copy) is None


def test_a_folder_without_a_repository_has_no_origin(tmp_path: Path) -> None:
    assert origin(tmp_path) is None
    assert origin(tmp_path / "none") is None


def test_a_machine_without_git_has_no_origin(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(copy))
    assert origin(copy) is None


def test_another_repository_of_a_hook_is_not_mistaken_for_this_one(
    copy: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(copy, "remote", "add", "origin", "https://github.com/o/r")
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert origin(copy) == Origin("github.com", "o/r", "trunk")
