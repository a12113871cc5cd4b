"""The fixtures, for the tests of the cluster itself."""

from __future__ import annotations

from tests.cluster.fixtures import *  # noqa: F403  (what `__all__` there names)
