"""The rooms depend downwards, and a forbidden import breaks the contract that forbids it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.project import PACKAGES, ROOT

CONTRACTS = (
    "Rooms depend downwards",
    "Deciding touches no world",
    "Plug-ins see only facts and contracts",
    "Built-in plug-ins are reached by entry point only",
)

_LINT = "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"


@dataclass(frozen=True)
class Report:
    """What the linter said: each contract's verdict, and the forbidden imports it named."""

    code: int
    contracts: Mapping[str, str]
    text: str


def lint(root: Path) -> Report:
    """Lint the packages below `root` by the project's contracts, never this checkout's own."""
    sources = [root, *(root / folder for folder, _ in PACKAGES if folder)]
    ran = subprocess.run(
        [sys.executable, "-c", _LINT],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.fspath, sources)), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    verdicts = {
        name: line.removeprefix(name).split()[0]
        for name in CONTRACTS
        for line in ran.stdout.splitlines()
        if line.startswith(f"{name} ")
    }
    return Report(ran.returncode, verdicts, ran.stdout + ran.stderr)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of all packages and of the contracts, to be spoilt."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder, package in PACKAGES:
        source = ROOT / folder / package
        shutil.copytree(source, tmp_path / folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_contracts_hold() -> None:
    report = lint(ROOT)
    assert (report.code, report.contracts) == (0, dict.fromkeys(CONTRACTS, "KEPT")), report.text


@pytest.mark.parametrize(
    ("file", "line", "broken", "named"),
    [
        ("hive/kernel/tick.py", "import hive.shells.tmux", 0, "hive.kernel.tick -> hive.shells.tmux"),
        ("hive/decisions/plan.py", "import hive.settings", 0, "hive.decisions.plan -> hive.settings"),
        ("hive/facts/work.py", "import subprocess", 1, "hive.facts.work -> subprocess"),
        (
            "backends/hive_backends/captures.py",
            "import random",
            1,
            "hive_backends.captures -> random",
        ),
        (
            "backends/hive_backends/scripted_agent/turn.py",
            "import hive.decisions.one_line",
            2,
            "hive_backends.scripted_agent.turn -> hive.decisions.one_line",
        ),
        ("hive/app/run.py", "import hive_backends.scripted", 3, "hive.app.run -> hive_backends.scripted"),
    ],
    ids=["a-sibling", "upwards", "a-fact", "a-backend", "a-plug-in", "a-built-in"],
)
def test_a_forbidden_import_breaks_its_contract(
    house: Path, file: str, line: str, broken: int, named: str
) -> None:
    with (house / file).open("a") as module:
        module.write(f"\n{line}\n")
    report = lint(house)
    assert report.code == 1, report.text
    assert report.contracts[CONTRACTS[broken]] == "BROKEN"
    assert named in report.text


def test_a_room_that_has_no_place_breaks_the_layers(house: Path) -> None:
    (house / "hive" / "attic").mkdir()
    (house / "hive" / "attic" / "__init__.py").write_text("")
    report = lint(house)
    assert report.code == 1
    assert "attic" in report.text
