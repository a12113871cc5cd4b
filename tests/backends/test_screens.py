"""Every backend reads the screens that were recorded from its own program.

A recording is ``screens/BACKEND/STATE/NAME.txt``, captured by ``tmux capture-pane -p -e -J`` (or without
``-e``). Beside it, ``NAME.json`` may name more of the answer: ``detail``, ``options``, ``resets_at``
(for a `now` of 2026-11-30T12:00:00Z in UTC, or the ``now`` and ``zone`` given there).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.kernel.plugins import backends

SCREENS = Path(__file__).parent / "screens"
RECORDED = sorted(SCREENS.glob("*/*/*.txt"))
NOW = "2026-11-30T12:00:00+00:00"


def recording_id(path: Path) -> str:
    return str(path.relative_to(SCREENS).with_suffix(""))


@pytest.mark.parametrize("path", RECORDED, ids=recording_id)
@pytest.mark.parametrize("colours", [True, False], ids=["colours", "plain"])
def test_a_recorded_screen_is_read_as_the_state_that_it_was_recorded_in(path: Path, colours: bool) -> None:
    backend, state = path.parts[-3:-1]
    beside = path.with_suffix(".json")
    expected = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else {}
    now, zone = datetime.fromisoformat(expected.pop("now", NOW)), expected.pop("zone", "UTC")
    text = path.read_text(encoding="utf-8")
    if not colours:
        if expected.pop("needs_colour", False):
            pytest.skip("only its colours tell this screen from another")
        text = re.sub(r"\x1b\[[0-9;:]*m", "", text)
    expected.pop("needs_colour", None)
    screen = backends()[backend].read(text, now=now, zone=zone)
    answer = {
        "state": screen.state,
        "detail": screen.detail,
        "options": list(screen.options),
        "resets_at": screen.resets_at.astimezone(UTC).isoformat() if screen.resets_at else None,
    }
    assert {key: answer[key] for key in ("state", *expected)} == {"state": state, **expected}, answer


@pytest.mark.parametrize("name", list(backends()))
def test_every_backend_has_recorded_screens(name: str) -> None:
    states = {path.parts[-2] for path in RECORDED if path.parts[-3] == name}
    assert {"ready", "working", "asking"} <= states
