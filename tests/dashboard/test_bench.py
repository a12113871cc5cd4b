"""The benchmark runs, and what it measures is a dashboard at work."""

from __future__ import annotations

import pytest

from hive.bench.dash import cpu_percent, run


@pytest.mark.slow
def test_the_benchmark_measures_a_dashboard_of_its_own() -> None:
    result = run(agents=20, seconds=2)
    assert [(row.name, row.unit, row.target) for row in result.rows] == [
        ("20 agents at 1 Hz", "% CPU", "≤ 10 % CPU"),
        ("no agents", "% CPU", ""),
    ]
    assert all(0 < row.value < 400 for row in result.rows)


def test_a_dashboard_that_ends_by_itself_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(RuntimeError, match="ended by itself with exit code 1"):
        cpu_percent(agents=1, records=1, seconds=1, columns=80, rows=24)
