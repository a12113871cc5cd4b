"""The journal's bench measures what it says it does; the figures themselves are no test's business."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.bench import journal
from hive.facts.events import decode, encode


def test_both_pairs_are_measured_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = journal.run(commits=160, replayed=3000, turns=1)
    assert [(row.name, row.target) for row in result.rows] == [
        ("group commit", "≥ 0.6×"),
        ("group commit, p99", "≤ 5 ms"),
        ("JSON lines with fsync, p99", ""),
        ("replay", "≤ 1.5×"),
    ]
    assert all(row.value > 0 for row in result.rows)
    assert result.about == "16 producers, 160 commits, 3000 events replayed"
    assert list(tmp_path.iterdir()) == []


def test_the_sample_is_a_mixture_that_can_be_recorded() -> None:
    sample = list(journal.sample_events(9))
    assert [decode(encode(event)) for event in sample] == sample
    assert len({type(event) for event in sample}) == 3
