"""What the programs under test meet: a stage, a model, hive's socket. All of it ends with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.standins.models.server import ModelServer
from tests.backends.ask_socket import AskSocket
from tests.backends.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def hive(tmp_path: Path) -> Iterator[AskSocket]:
    socket = AskSocket(tmp_path / "h")
    yield socket
    socket.close()
