"""What an issue waits for, as GitHub's own links between issues tell it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shells.github.stages import REPO, StandInStage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[StandInStage]:
    made = StandInStage(tmp_path, [{"title": title, "author": "ada"} for title in ("one", "two", "three")])
    yield made
    made.close()


def blockers(stage: StandInStage) -> dict[int, tuple[int, ...]]:
    return {one.number: one.blocked_by for one in stage.forge.look(REPO).issues}


def test_what_an_issue_waits_for_is_known_until_it_waits_no_longer(stage: StandInStage) -> None:
    assert blockers(stage) == {1: (), 2: (), 3: ()}
    ids = {number: stage.as_person("ada", "GET", f"/issues/{number}")["id"] for number in (1, 3)}
    for blocker in ids.values():
        stage.as_person("ada", "POST", "/issues/2/dependencies/blocked_by", {"issue_id": blocker})
    assert blockers(stage) == {1: (), 2: (1, 3), 3: ()}
    stage.as_person("ada", "PATCH", "/issues/1", {"state": "closed"})
    stage.as_person("ada", "DELETE", f"/issues/2/dependencies/blocked_by/{ids[3]}")
    assert blockers(stage) == {2: (), 3: ()}
