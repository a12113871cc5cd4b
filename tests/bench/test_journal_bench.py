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
    figures = journal.measure(commits=160, replayed=3000, turns=1)
    assert figures.replayed == 3000
    assert min(figures.commits.per_second, figures.bare_commits.per_second) > 0
    assert 0 < figures.commits.p99 < 60
    assert figures.commit_ratio == figures.commits.per_second / figures.bare_commits.per_second
    assert figures.replay_ratio == figures.replay_seconds / figures.bare_replay_seconds
    assert list(tmp_path.iterdir()) == []


def test_the_sample_is_a_mixture_that_can_be_recorded() -> None:
    sample = list(journal.sample_events(9))
    assert [decode(encode(event)) for event in sample] == sample
    assert len({type(event) for event in sample}) == 3
