"""Hive on a forge where everything goes wrong, judged by a witness of the forge's own.

`HIVE_SOAK=whole` runs a week of 20 repositories with 2,000 issues and 60 agents; `HIVE_SOAK_SEED` draws
other chances.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.soak.explained import unexplained
from tests.soak.size import SMALL, WHOLE
from tests.soak.soak import Soak

_PEACE = timedelta(hours=3)
"""Longer than a task may take: what was begun before it has an end after it."""


@pytest.mark.slow
@pytest.mark.timeout(36_000 if os.environ.get("HIVE_SOAK") == "whole" else 900)
async def test_nothing_is_lost_doubled_merged_against_the_gate_or_left_unexplained(tmp_path: Path) -> None:
    size = WHOLE if os.environ.get("HIVE_SOAK") == "whole" else SMALL
    soak = Soak(tmp_path, replace(size, seed=int(os.environ.get("HIVE_SOAK_SEED", size.seed))))
    try:
        await soak.run()
        await soak.rest(_PEACE)
        memory = soak.daemon.ledger.memory
        print(soak.told())
        assert soak.oracle.problems == []
        assert soak.troupe.problems == []
        assert [one for one in memory.tasks.values() if one.is_open] == []
        assert dict(memory.in_doubt) == {}
        assert [one for one in memory.incidents.values() if not one.is_note] == []
        assert (soak.town.limits.refused, max(soak.town.limits.most.values()) < 0.9) == (0, True)
        assert list(unexplained(soak)) == []
        # It was a soak: agents opened and hive merged, was killed, and requests went wrong.
        assert soak.oracle.counted["pr.create"] > 0
        assert soak.oracle.counted["pr.merge"] > 0
        assert soak.counted["kills"] > 0
        assert soak.town.went_wrong > 0
    finally:
        soak.close()
