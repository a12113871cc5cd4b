from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.gateway.product.scene import Scene, scene


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One forge and one gateway for all cases of a module."""
    with scene(tmp_path_factory.mktemp("product")) as made:
        yield made
