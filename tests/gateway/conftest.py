from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.gateway import Gateway
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess, start
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import TOKEN, Place, identity, seed, settings_for


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[StandInProcess]:
    process = start(tmp_path / "forge", seed=seed(tmp_path))
    yield process
    process.stop()


@pytest.fixture
def place(tmp_path: Path, forge: StandInProcess) -> Iterator[Place]:
    authority = FakeAuthority({TOKEN: identity()})
    settings = settings_for(tmp_path, forge)
    place = Place(tmp_path, forge, authority, settings, Gateway(settings, authority, SystemClock()))
    place.gateway.start()
    place.equip()
    yield place
    place.gateway.close()
