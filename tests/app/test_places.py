"""Where a hive's files and sockets lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive.app import places
from hive.app.places import Places
from hive.errors import ConfigError


def test_sockets_lie_in_the_state_folder_where_its_path_is_short_enough(tmp_path: Path) -> None:
    assert Places(Path("/srv/hive")).operator_socket == Path("/srv/hive/run/hive.sock")


def test_a_long_state_folder_has_its_sockets_in_a_short_one_of_its_own_whatever_tmpdir_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    long, other = Places(Path("/srv") / ("x" * 100)), Places(Path("/srv") / ("y" * 100))
    before = long.operator_socket
    monkeypatch.setenv("TMPDIR", "/var/tmp")
    assert long.operator_socket == before
    assert len(os.fsencode(before)) < 100
    assert other.sockets != long.sockets


def test_a_short_folder_that_somebody_else_laid_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_SHORT", tmp_path)
    here = Places(tmp_path / ("x" * 100))
    (tmp_path / "elsewhere").mkdir()
    here.sockets.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="belongs to somebody else"):
        here.make()
