"""A disk that fails stops the journal before a record is lost, in words, and not for ever."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@functools.cache
def may_mount() -> bool:
    """Whether this user and machine allow a private mount; where not, the limited scenario still runs."""
    try:
        done = subprocess.run(
            ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


def run(scenario: str, folder: Path) -> list[str]:
    program = [sys.executable, "-m", "tests.shells.sqlite.disks", scenario, str(folder)]
    if scenario != "limited":
        if not may_mount():
            pytest.skip("no private mounts here")
        program = ["unshare", "--mount", "--map-root-user", *program]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert last == "ok"
    return lines


def test_a_full_disk_refuses_whole_groups_and_works_again_when_space_is_free(tmp_path: Path) -> None:
    for line in run("full", tmp_path):
        assert line.startswith(f"journal {tmp_path}/journal.db: ")
        assert "no space is left for it; free space on its file system" in line


def test_a_disk_full_from_the_start_leaves_no_half_made_journal(tmp_path: Path) -> None:
    (line,) = run("full_from_the_start", tmp_path)
    assert line.startswith(f"journal {tmp_path}/journal.db: ")
    assert "space" in line


def test_a_write_protected_folder_refuses_writers_and_lets_readers_read(tmp_path: Path) -> None:
    making, opening = run("write_protected", tmp_path)
    assert making == f"journal {tmp_path}/journal.db: Read-only file system; check the file and its folder"
    assert opening == making


def test_a_dead_writers_log_on_a_write_protected_disk_is_read_whole(tmp_path: Path) -> None:
    (line,) = run("write_protected_after_a_kill", tmp_path)
    assert line == "read 3"


def test_a_limit_on_file_size_is_told_and_works_again_when_lifted(tmp_path: Path) -> None:
    for line in run("limited", tmp_path):
        assert line.startswith(f"journal {tmp_path}/journal.db: disk I/O error (SQLITE_IOERR")
        assert "the limit on file size" in line
