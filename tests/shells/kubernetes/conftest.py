"""The test cluster's fixtures and hooks, for the tests on real API servers and pods."""

from __future__ import annotations

from tests.cluster.fixtures import *  # noqa: F403  (what `__all__` there names)
