"""Fixtures for every room that needs a Kubernetes: see README.md for what each gives.

Import them by name into a room's conftest. All rooms of one process share what is started, see `shared`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

import pytest

from tests.cluster import binaries, given, namespace
from tests.cluster import fleet as fleets
from tests.cluster.api import ApiError
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fleet import Fleet
from tests.cluster.given import Cluster
from tests.cluster.node import Node
from tests.cluster.shared import SHARED, Shared
from tests.cluster.unavailable import Unavailable

__all__ = [
    "cluster",
    "cluster_run",
    "control_plane",
    "fleet",
    "fresh_control_plane",
    "fresh_fleet",
    "fresh_namespace",
    "node",
    "pytest_collection_finish",
    "pytest_collection_modifyitems",
]
_numbers = count(1)
_PATIENCE = 300
"""Seconds that a test may take. A cluster with a node takes 15 on a quiet machine, 100 on a busy one."""


@contextmanager
def had() -> Iterator[None]:
    """Turn "not here" into a skip with one line; on CI, where everything has to be there, into a failure."""
    try:
        yield
    except Unavailable as unavailable:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true, and {unavailable}", pytrace=False)
        pytest.skip(str(unavailable))


@pytest.fixture(scope="session")
def cluster_run() -> Iterator[Shared]:
    """What this process shares; ended with the session."""
    SHARED.lease()
    try:
        with had():
            SHARED.start()
        yield SHARED
    finally:
        SHARED.release()


@pytest.fixture(scope="session")
def control_plane(cluster_run: Shared) -> ControlPlane:
    """An API server alone (no controllers, no node), shared by all tests: do not restart or pause it."""
    with had():
        return cluster_run.control_plane()


@pytest.fixture(scope="session")
def fleet(cluster_run: Shared) -> Callable[[int], Fleet]:
    """`fleet(n)`: a hub and n members, the same ones at each call, shared by all tests."""

    def of(members: int) -> Fleet:
        with had():
            return cluster_run.fleet(members)

    return of


@pytest.fixture(scope="session")
def node(cluster_run: Shared) -> Node:
    """A node on which pods run, shared by all tests; its control plane is `node.plane`."""
    with had():
        return cluster_run.node()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Where pods run: what `HIVE_TEST_KUBECONFIG` names, or else the same node as `node`'s."""
    SHARED.lease()
    try:
        with had():
            found = given.cluster(SHARED.node)
        yield found
    finally:
        SHARED.release()


@pytest.fixture
def fresh_control_plane(cluster_run: Shared) -> Iterator[Callable[[], ControlPlane]]:
    """Makes control planes for one test, which may restart, pause and break them; about four seconds each."""
    made: list[ControlPlane] = []

    def make() -> ControlPlane:
        with had():
            plane = ControlPlane(cluster_run.run, f"own-{next(_numbers)}", cluster_run.etcd())
        made.append(plane)
        return plane

    yield make
    for plane in made:
        plane.stop()


@pytest.fixture
def fresh_fleet(cluster_run: Shared) -> Iterator[Callable[[int], Fleet]]:
    """Makes fleets for one test, which may break them: `fresh_fleet(2).member("m1").pause()`."""
    made: list[Fleet] = []

    def make(members: int) -> Fleet:
        number = next(_numbers)
        names = tuple(f"own-{number}-m{each}" for each in range(1, members + 1))
        controllers = cluster_run.has_controllers()
        with had():
            started = fleets.start(
                cluster_run.run, cluster_run.etcd(), names, hub=f"own-{number}-hub", controllers=controllers
            )
        made.append(started)
        return started

    yield make
    for each in made:
        each.stop()


@pytest.fixture
def fresh_namespace() -> Iterator[Callable[[ControlPlane], str]]:
    """`fresh_namespace(plane)`: the name of a new namespace there, deleted after the test."""
    made: list[tuple[ControlPlane, str]] = []

    def make(plane: ControlPlane) -> str:
        name = namespace.make(plane.api)
        made.append((plane, name))
        return name

    yield make
    for plane, name in made:
        try:
            namespace.remove(plane.api, name)
        except (ApiError, OSError) as error:  # a test that broke its control plane is not to fail for that
            print(f"namespace {name} was left behind: {error}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first waits for the cluster, within its own time, on a busy machine too."""
    for item in items:
        if item.get_closest_marker("cluster") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_PATIENCE))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build what is missing before the first test, because it takes longer than a test may."""
    if any(item.get_closest_marker("cluster") for item in session.items):
        # Where nothing can be built, each test that needs it says so.
        with suppress(Unavailable):
            binaries.ensure(lambda line: print(f"\n{line}", file=sys.stderr, flush=True))
