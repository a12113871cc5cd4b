"""A real Kubernetes for the tests of the fleet."""

from tests.cluster.fixtures import *  # noqa: F403
