"""The fuzz target runs for a moment from its corpus: it works, and finds nothing there."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.gateway.generated.fuzz import CORPUS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("atheris") is None, reason="atheris has no wheel for this machine"),
]


def fuzz(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    found = f"-artifact_prefix={tmp_path}/"
    return subprocess.run(
        [sys.executable, "-m", "tests.gateway.generated.fuzz", "-max_len=2048", "-seed=1", found, *options],
        cwd=Path(__file__).parents[3],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": "backends:guardrails:."},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_the_fuzz_target_finds_nothing_in_a_short_run(tmp_path: Path) -> None:
    done = fuzz(tmp_path, "-runs=200")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Done 200 runs in" in done.stderr
    assert not [path for path in CORPUS.iterdir() if len(path.name) == 40], "new inputs go elsewhere"
