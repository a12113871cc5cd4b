from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.shells.trees.estate import Estate, an_estate


@pytest.fixture
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return an_estate(tmp_path)
