"""A fleet with nodes for the tests of agents in pods, shared by all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.fixtures import *  # noqa: F403
from tests.cluster.fixtures import had
from tests.cluster.shared import Shared
from tests.demo.pods_fleet import PodsFleet, start


@pytest.fixture(scope="session")
def shared_pods_fleet(cluster_run: Shared) -> Iterator[PodsFleet]:
    """A hub and two members with a node each, hive's definitions installed."""
    with had():
        started = start(cluster_run)
    yield started
    started.close()


@pytest.fixture
def pods_fleet(shared_pods_fleet: PodsFleet) -> Iterator[PodsFleet]:
    """The same with nothing of a test before on it."""
    yield shared_pods_fleet
    shared_pods_fleet.clear()
