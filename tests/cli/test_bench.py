"""`hive bench`: lists, runs, judges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from hive import bench
from hive.bench import BenchResult, BenchRow
from hive.cli import main

MET = BenchRow("sweep", 31.0, "ms", "raw control mode", 30.0, 31 / 30, "≤ 1.3×", ok=True)
MISSED = BenchRow("create", 6.0, "ms each", "libtmux", 13.0, 13 / 6, "≥ 4× faster", ok=False)
TOLD = BenchRow("events", 12345.6, "1/s")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What the benchmark of tmux, replaced here, was asked for."""
    sizes: dict[str, int] = {}

    def run(**given: int) -> BenchResult:
        sizes.update(given)
        rows = (MET, TOLD) if given.get("sessions") != 3 else (MET, MISSED, TOLD)
        return BenchResult("tmux", rows, "a test")

    def load(name: str) -> Callable[..., BenchResult]:
        assert name == "tmux"
        return run

    monkeypatch.setattr(bench, "load", load)
    return sizes


def test_without_a_name_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told[1:]] == list(bench.MODULES)
    assert main(["bench", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == list(bench.MODULES)


def test_a_result_is_a_table_with_a_verdict(
    asked: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["bench", "tmux"]) == 0
    assert asked == {}
    heading, met, told, blank, verdict = capsys.readouterr().out.splitlines()
    assert heading.split() == ["FIGURE", "OF", "TARGET", "RATIO", "LIMIT"]
    cells = ["ok", "31.0 ms", "sweep", "≤ 1.3×", "1.03×", "30.0 ms raw control mode"]
    assert re.split(" {2,}", met) == cells
    assert told.split() == ["12,346", "1/s", "events", "-", "-", "-"]
    assert (blank, verdict) == ("", "tmux: every target is met (a test)")


def test_a_missed_target_is_exit_1(asked: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tmux", "--size", "3"]) == 1
    assert asked == {"sessions": 3}
    told = capsys.readouterr().out
    assert "MISSED" in told
    assert "tmux: 1 of 3 targets missed (a test)" in told


def test_as_json_it_is_one_document(asked: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tmux", "--json", "--size", "3"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert {key: document[key] for key in ("name", "ok", "about")} == {
        "name": "tmux",
        "ok": False,
        "about": "a test",
    }
    assert [row["ok"] for row in document["rows"]] == [True, False, None]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["tmx"], "there is no benchmark 'tmx'; did you mean 'tmux'?"),
        (["speed"], "there is no benchmark 'speed'; known: " + ", ".join(bench.MODULES)),
        (["tmux", "--size", "0"], "--size takes a whole number from 1 on"),
    ],
)
def test_what_cannot_be_run_is_told_in_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    assert capsys.readouterr().err == f"hive: {complaint}\n"


def test_every_size_is_a_keyword_of_its_benchmark() -> None:
    from inspect import signature

    for name, one in bench.MODULES.items():
        assert one.size in signature(bench.load(name)).parameters
