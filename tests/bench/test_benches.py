"""The benchmarks run, in sizes that say nothing, and tell what they found in one shape."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hive.bench import BENCHES, BenchResult, BenchRow, at_least, at_most, below, below_or_near, faster, load

SMALL: dict[str, dict[str, float]] = {
    "tmux": {"sessions": 10, "turns": 1, "looks": 2, "seconds": 0.5, "idle": 1.0},
    "agents": {"agents": 2, "seconds": 1.0, "rounds": 1},
    "daemon": {"agents": 4, "seconds": 1.0},
    "gateway": {"calls": 3, "megabytes": 1, "turns": 1, "asks": 3},
    "github": {"repos": 2, "items": 20, "times": 2},
    "start": {"runs": 1, "agents": 2},
    "prompts": {"times": 1},
    "kubernetes": {"pods": 20, "turns": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_measures_its_limit_in_the_same_run(name: str) -> None:
    result = load(name)(**SMALL[name])
    assert result.name == name
    assert all(row.value >= 0 for row in result.rows)
    assert any(row.limit_value for row in result.rows)
    missed = [row for row in result.rows if "missed" in row.name or "wrong" in row.name]
    assert all((row.value, row.ok) == (0, True) for row in missed)
    assert json.loads(json.dumps(result.as_dict()))["name"] == name


def test_all_benchmarks_are_known_by_name_and_none_is_loaded_before_its_time() -> None:
    assert set(SMALL) <= set(BENCHES)
    with pytest.raises(KeyError):
        load("nothing")
    script = "import sys, hive.bench; print([name for name in sys.modules if name.startswith('hive.')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['hive.bench']"


def test_a_row_says_whether_its_target_is_met() -> None:
    assert at_most("a", 11, "ms", "raw", 10, times=1.15).ok is True
    assert at_most("a", 12, "ms", "raw", 10, times=1.15).ok is False
    assert at_most("a", 99, "ms", "raw", 10, times=None).ok is None
    assert at_least("a", 6, "1/s", "raw", 10, times=0.6).ok is True
    assert faster("a", 10, "ms", "slow", 39, times=4) == BenchRow(
        "a", 10, "ms", "slow", 39, 3.9, "≥ 4× faster", False
    )
    assert below("a", 2.0, "ms", 2.0).ok is True
    assert below_or_near("a", 30, "ms", 25, "wait", 10, times=5).ok is True
    assert below_or_near("a", 60, "ms", 25, "wait", 10, times=5).ok is False


def test_a_result_is_well_when_no_target_is_missed() -> None:
    met, missed, told = (BenchRow("a", 1, "ms", ok=ok) for ok in (True, False, None))
    assert BenchResult("x", (met, told)).ok
    assert not BenchResult("x", (met, missed)).ok
