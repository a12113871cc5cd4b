"""Private files: whole or absent, closed to others, read with a limit."""

from __future__ import annotations

import os
import stat
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from hive.errors import ConfigError
from hive.shells.system.clock import SystemClock
from hive.shells.system.files import private_folder, read_bounded, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_written_file_is_private_whatever_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_private(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    write_private(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_private(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    link = tmp_path / "token"
    link.symlink_to(victim)
    write_private(link, b"new")
    assert (victim.read_bytes(), link.read_bytes(), link.is_symlink()) == (b"precious", b"new", False)


def test_a_private_folder_is_made_or_closed(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        made = private_folder(tmp_path / "a" / "b")
    finally:
        os.umask(umask)
    assert mode(made) == 0o700
    made.chmod(0o755)
    assert mode(private_folder(made)) == 0o700


def test_reading_stops_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, limit=5) == b"12345"
    with pytest.raises(ConfigError, match=r"file: is larger than 4 bytes$"):
        read_bounded(path, limit=4)
    with pytest.raises(ConfigError, match=r"^/dev/zero: is larger than 10 bytes$"):
        read_bounded(Path("/dev/zero"), limit=10)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none: cannot be read: No such file or directory$"):
        read_bounded(tmp_path / "none", limit=1)
    with pytest.raises(ConfigError, match=r": cannot be read: Is a directory$"):
        read_bounded(tmp_path, limit=1)


def test_the_clock_is_aware_in_utc_and_goes_forward() -> None:
    clock = SystemClock()
    first, second = clock.now(), clock.now()
    assert first.tzinfo is UTC
    assert timedelta(0) <= second - first < timedelta(minutes=1)
