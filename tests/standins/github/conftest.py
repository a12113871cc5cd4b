"""A fresh stand-in for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins.github.harness import World, serve, write_seed


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A forge with the repository `o/r`, its two issues, and three accounts."""
    with serve(tmp_path / "root", write_seed(tmp_path)) as served:
        yield served
