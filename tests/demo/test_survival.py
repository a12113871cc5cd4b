"""Hive is killed at any moment and goes on as if nothing had happened."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from hive.demo.world import Wishes
from tests.demo.worlds import demo, issues_file, prompts, pulls, starts, until, until_settled

KILLS = 10
ISSUES = {f"Note number {number}": "Write it down." for number in range(1, 7)}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_random_moments_it_adopts_its_agents_and_repeats_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    wishes = Wishes(level=5, agents=3, issues=issues_file(tmp_path, ISSUES))
    with demo(tmp_path / "demo", wishes) as hive:
        for _ in range(KILLS):
            hive.start()
            until(hive.status, "an answer of the daemon")
            time.sleep(chance.uniform(0.0, 1.5))
            hive.kill()
        hive.start()
        until_settled(hive)
        begun = starts(hive.world)
        opened = pulls(hive.world)
        arrived = prompts(hive.world)

    assert sorted(pull["title"] for pull in opened) == sorted(ISSUES)
    assert all(pull["labels"] == ["hold"] for pull in opened)
    assert set(arrived.values()) == {1}
    assert len(arrived) == len(ISSUES)
    assert set(begun.values()) == {1}
